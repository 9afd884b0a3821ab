/** Between trader and exchange: loses, delays, repeats, cuts and refuses, as its seed says. */

import type { Timeline } from '../../src/backtest/timeline.js';
import type { Random } from '../../src/base/random.js';
import { classify } from '../../src/client/classify.js';
import type { Answer } from '../../src/exchange/http/envelope.js';
import { declarationOf } from '../../src/protocol/endpoints.js';
import type { AnyCall, BudgetReport, Outcome } from '../../src/protocol/seam.js';
import type { ExchangeSide } from './exchange-side.js';
import { type Fate, htmlPage, INTERNAL, type Script, SIGNING_DOWN, THROTTLED } from './fates.js';
import { CALM, type Faults, type Tally } from './faults.js';

/** After this the client has given up on an answer. */
const TIMEOUT_MS = 10_000;
const TAIL_MS = 60_000;
/** Either way, where nothing else was said. */
const CALM_MS = 20;
const UNREACHABLE: Fate = { unreachable: true };
const LONGEST_BEHIND_MS = 5_000;

export interface Delivery {
  readonly outcome: Outcome;
  readonly venueTimeMs: number | null;
  /** Its `resetMs` is on the exchange's clock. */
  readonly budget: BudgetReport | null;
}

export type Deliver = (delivery: Delivery) => void;

export class Network {
  faults: Faults = CALM;
  /** Decides before anything is drawn. */
  script: Script | null = null;
  /** Nothing can be reached before this moment. */
  outageUntilMs = 0;
  readonly #exchange: ExchangeSide;
  readonly #timeline: Timeline;
  readonly #random: Random;
  readonly #tally: Tally;
  readonly #onEffect: (call: AnyCall) => void;
  /** By endpoint: until when its list misses its newest row. */
  readonly #behindUntilMs = new Map<string, number>();

  /** @param onEffect called after every call that reached the exchange's core */
  constructor(
    exchange: ExchangeSide,
    timeline: Timeline,
    random: Random,
    tally: Tally,
    onEffect: (call: AnyCall) => void,
  ) {
    this.#exchange = exchange;
    this.#timeline = timeline;
    this.#random = random;
    this.#tally = tally;
    this.#onEffect = onEffect;
  }

  /** Sends one call; `deliver` is called exactly once. */
  send(call: AnyCall, deliver: Deliver): void {
    const nowMs = this.#timeline.nowMs;
    const fate = this.script?.(call, nowMs) ?? (nowMs < this.outageUntilMs ? UNREACHABLE : this.#draw(call));
    if (fate.unreachable === true) {
      this.#tally.add('fault: unreachable');
      this.#timeline.after(5, () => deliver(nothing('connection refused', false)));
      return;
    }
    let told = false;
    const tell: Deliver = (delivery) => {
      if (told) return;
      told = true;
      deliver(delivery);
    };
    this.#timeline.after(TIMEOUT_MS, () => tell(nothing('no answer in time', true)));
    if (this.#happens('request lost', fate.requestLost)) return;
    this.#timeline.after(fate.thereMs ?? CALM_MS, () => this.#arrive(call, fate, tell));
    // Before or after the one whose answer we get: that may then be the refusal of a repetition.
    if (fate.copyMs !== undefined) this.#timeline.after(fate.copyMs, () => this.#effect(call, false));
  }

  #draw(call: AnyCall): Fate {
    const { faults } = this;
    const declaration = declarationOf(call.endpoint);
    const thereMs = this.#hit('long delay', faults.tail) ? this.#random.below(TAIL_MS) : this.#delay();
    const isDraft = declaration.status === 201 || call.endpoint === 'orders.cancel';
    const fate: { -readonly [K in keyof Fate]: Fate[K] } = { thereMs, backMs: this.#delay() };
    if (this.#random.chance(faults.requestLost)) fate.requestLost = true;
    if (this.#hit('delivered twice', faults.deliveredTwice)) fate.copyMs = this.#random.below(2 * thereMs);
    if (this.#hit('throttled', faults.throttled)) fate.instead = THROTTLED;
    if (isDraft && this.#hit('signing down', faults.signingDown)) fate.instead = SIGNING_DOWN;
    if (this.#hit('gateway error', faults.gatewayBefore)) fate.instead = htmlPage(502);
    if (declaration.method === 'POST' && this.#hit('error after the effect', faults.errorAfter)) {
      fate.afterwards = INTERNAL;
    }
    if (this.#hit('gateway error after the effect', faults.gatewayAfter)) fate.afterwards = htmlPage(502);
    if (this.#random.chance(faults.answerLost)) fate.answerLost = true;
    if (this.#isBehind(call)) fate.behind = true;
    if (this.#hit('body cut', faults.cut)) fate.damage = (text) => text.slice(0, this.#random.below(text.length));
    return fate;
  }

  #arrive(call: AnyCall, fate: Fate, tell: Deliver): void {
    const { scope } = declarationOf(call.endpoint);
    const back = (answer: Answer) => this.#back(tell, answer, call, fate, budget);
    const { allowed, ...verdict } = this.#exchange.admit(scope, this.#timeline.nowMs);
    const budget = { scope, ...verdict, resetMs: Math.ceil(verdict.resetMs / 1000) * 1000 };
    if (!allowed) this.#tally.add('throttled by the exchange');
    if (!allowed) return back(THROTTLED);
    if (fate.instead !== undefined) return back(fate.instead);
    const answer = this.#effect(call, fate.behind ?? false);
    if (this.#happens('answer lost', fate.answerLost)) return;
    const { damage } = fate;
    const told = fate.afterwards ?? answer;
    back(damage === undefined ? told : { ...told, text: damage(told.text) });
  }

  #back(tell: Deliver, { status, text }: Answer, call: AnyCall, fate: Fate, budget: BudgetReport): void {
    const { outcome, genuine } = classify(declarationOf(call.endpoint), status, text);
    // The resolution of a `Date` header.
    const venueTimeMs = genuine ? Math.floor(this.#timeline.nowMs / 1000) * 1000 : null;
    const delivery = { outcome, venueTimeMs, budget: genuine ? budget : null };
    this.#timeline.after(fate.backMs ?? CALM_MS, () => tell(delivery));
  }

  #effect(call: AnyCall, behind: boolean): Answer {
    const answer = this.#exchange.serve(call, this.#timeline.nowMs, behind);
    this.#onEffect(call);
    return answer;
  }

  #isBehind({ endpoint }: AnyCall): boolean {
    if (declarationOf(endpoint).page === undefined) return false;
    const nowMs = this.#timeline.nowMs;
    if (this.#hit('list behind', this.faults.behind)) {
      this.#behindUntilMs.set(endpoint, nowMs + this.#random.below(LONGEST_BEHIND_MS));
    }
    return nowMs <= (this.#behindUntilMs.get(endpoint) ?? 0);
  }

  #hit(fault: string, probability: number): boolean {
    return this.#happens(fault, this.#random.chance(probability));
  }

  #happens(fault: string, happens = false): boolean {
    if (happens) this.#tally.add(`fault: ${fault}`);
    return happens;
  }

  #delay(): number {
    return 2 + this.#random.exponential(this.faults.delayMs);
  }
}

const nothing = (reason: string, sent: boolean): Delivery => ({
  outcome: { kind: 'unknown', reason, sent },
  venueTimeMs: null,
  budget: null,
});
