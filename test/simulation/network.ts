/** Between trader and exchange: loses, delays, repeats, cuts and refuses, as its seed says. */

import type { Timeline } from '../../src/backtest/timeline.js';
import type { Random } from '../../src/base/random.js';
import { classify } from '../../src/client/classify.js';
import { type Answer, faultAnswer } from '../../src/exchange/http/envelope.js';
import { declarationOf } from '../../src/protocol/endpoints.js';
import type { AnyCall, BudgetReport, Outcome } from '../../src/protocol/seam.js';
import type { ExchangeSide } from './exchange-side.js';
import { CALM, type Faults, type Tally } from './faults.js';

/** After this the client has given up on an answer. */
const TIMEOUT_MS = 10_000;
const TAIL_MS = 60_000;
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
    const { faults } = this;
    if (this.#timeline.nowMs < this.outageUntilMs) {
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
    if (this.#hit('request lost', faults.requestLost)) return;
    const thereMs = this.#hit('long delay', faults.tail) ? this.#random.below(TAIL_MS) : this.#delay();
    this.#timeline.after(thereMs, () => this.#arrive(call, tell));
    if (this.#hit('delivered twice', faults.deliveredTwice)) {
      // Before or after the one whose answer we get: that may then be the refusal of a repetition.
      this.#timeline.after(this.#random.below(2 * thereMs), () => this.#effect(call));
    }
  }

  #arrive(call: AnyCall, tell: Deliver): void {
    const { faults } = this;
    const declaration = declarationOf(call.endpoint);
    if (this.#hit('gateway error', faults.gatewayBefore)) return this.#back(tell, GATEWAY, call, null);
    const venueMs = this.#timeline.nowMs;
    const { allowed, limit, remaining, resetMs } = this.#exchange.admit(declaration.scope, venueMs);
    const budget = { scope: declaration.scope, limit, remaining, resetMs: Math.ceil(resetMs / 1000) * 1000 };
    if (!allowed) this.#tally.add('throttled by the exchange');
    const throttled = this.#hit('throttled', faults.throttled);
    if (!allowed || throttled) return this.#back(tell, THROTTLED, call, budget);
    const isDraft = declaration.status === 201 || call.endpoint === 'orders.cancel';
    if (isDraft && this.#hit('signing down', faults.signingDown)) return this.#back(tell, SIGNING_DOWN, call, budget);
    const answer = this.#effect(call);
    if (this.#hit('answer lost', faults.answerLost)) return;
    if (this.#hit('gateway error after the effect', faults.gatewayAfter)) return this.#back(tell, GATEWAY, call, null);
    if (declaration.method === 'POST' && this.#hit('error after the effect', faults.errorAfter)) {
      return this.#back(tell, INTERNAL, call, budget);
    }
    const cut = this.#hit('body cut', faults.cut);
    const text = cut ? answer.text.slice(0, this.#random.below(answer.text.length)) : answer.text;
    this.#back(tell, { ...answer, text }, call, budget);
  }

  #back(tell: Deliver, { status, text }: Answer, call: AnyCall, budget: BudgetReport | null): void {
    const { outcome, genuine } = classify(declarationOf(call.endpoint), status, text);
    // The resolution of a `Date` header.
    const venueTimeMs = genuine ? Math.floor(this.#timeline.nowMs / 1000) * 1000 : null;
    this.#timeline.after(this.#delay(), () => tell({ outcome, venueTimeMs, budget: genuine ? budget : null }));
  }

  #effect(call: AnyCall): Answer {
    const answer = this.#exchange.serve(call, this.#timeline.nowMs, this.#isBehind(call));
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
    const hit = this.#random.chance(probability);
    if (hit) this.#tally.add(`fault: ${fault}`);
    return hit;
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

const GATEWAY: Answer = { status: 502, text: '<html><body><h1>502 Bad Gateway</h1></body></html>' };
const THROTTLED = faultAnswer({ slug: 'throttled' });
const SIGNING_DOWN = faultAnswer({ slug: 'gringotts_unavailable' });
const INTERNAL = faultAnswer({ slug: 'internal_error' });
