/** The network between trader and exchange: executes each call's fate. */

import type { Answer } from '../../src/exchange/service/answers.js';
import type { Timeline } from '../../src/lab/backtest/run.js';
import { declarationOf } from '../../src/shared/protocol/endpoints.js';
import type { AnyCall, BudgetReport, Outcome } from '../../src/shared/protocol/seam.js';
import { classify } from '../../src/shell/client/message.js';
import type { Pacing } from '../../src/shell/client/pacing.js';
import type { ExchangeSide } from './exchange-side.js';
import { type Fate, type Script, THROTTLED } from './fates.js';
import type { Tally } from './faults.js';
import type { Weather } from './weather.js';

type HeardOfBudget = Parameters<Pacing['onAnswer']>[1];

/** The client's timeout. */
const TIMEOUT_MS = 10_000;
/** Default transit time in each direction. */
const CALM_MS = 20;
const UNREACHABLE: Fate = { unreachable: true };

export interface Delivery {
  readonly outcome: Outcome;
  readonly venueTimeMs: number | null;
  /** Its `resetMs` is on the exchange's clock. */
  readonly budget: BudgetReport | null;
  /** The client's view of its budget; null if nothing arrived. */
  readonly heard: HeardOfBudget | null;
  /** The received body; empty without one. */
  readonly text: string;
}

export type Deliver = (delivery: Delivery) => void;
/** Called for every answer of the exchange's core, delivered or not. */
export type Heard = (call: AnyCall, answer: Answer) => void;

export class Network {
  readonly weather: Weather;
  /** Decides before any draw. */
  script: Script | null = null;
  /** The exchange is unreachable until this time. */
  outageUntilMs = 0;
  readonly #exchange: ExchangeSide;
  readonly #timeline: Timeline;
  readonly #tally: Tally;
  readonly #heard: Heard;
  /** Number of restarts of the exchange: earlier connections are cut. */
  #connections = 0;
  /** End of the wait demanded by the received errors of each scope, ms. */
  readonly #heldUntilMs = { public: 0, signed: 0, bootstrap: 0 };

  constructor(exchange: ExchangeSide, timeline: Timeline, weather: Weather, tally: Tally, heard: Heard) {
    this.#exchange = exchange;
    this.#timeline = timeline;
    this.weather = weather;
    this.#tally = tally;
    this.#heard = heard;
  }

  /** The exchange is down for this time; all data in transit is lost. */
  cut(forMs: number): void {
    this.#connections++;
    this.outageUntilMs = Math.max(this.outageUntilMs, this.#timeline.nowMs + forMs);
  }

  /** Sends one call; `deliver` is called exactly once. */
  send(call: AnyCall, deliver: Deliver): void {
    const nowMs = this.#timeline.nowMs;
    if (nowMs < this.#heldUntilMs[declarationOf(call.endpoint).scope]) this.#tally.add('sent inside a Retry-After');
    const away = nowMs < this.outageUntilMs;
    const fate = this.script?.(call, nowMs) ?? (away ? UNREACHABLE : this.weather.fateOf(call, nowMs));
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
    const connection = this.#connections;
    const whenThere = (arrive: () => void) => {
      if (this.#connections === connection) arrive();
      else this.#tally.add('fault: cut by a restart');
    };
    this.#timeline.after(fate.thereMs ?? CALM_MS, () => whenThere(() => this.#arrive(call, fate, tell)));
    // Before or after the answered one, whose answer may then be the error of a duplicate.
    if (fate.copyMs !== undefined) this.#timeline.after(fate.copyMs, () => whenThere(() => this.#effect(call, {})));
  }

  #arrive(call: AnyCall, fate: Fate, tell: Deliver): void {
    const { scope } = declarationOf(call.endpoint);
    const back = (answer: Answer) => this.#back(tell, answer, call, fate, budget);
    const { allowed, ...verdict } = this.#exchange.admit(scope, this.#timeline.nowMs);
    const budget = { scope, ...verdict, resetMs: Math.ceil(verdict.resetMs / 1000) * 1000 };
    if (!allowed) this.#tally.add('throttled by the exchange');
    if (!allowed) return back(THROTTLED);
    if (fate.instead !== undefined) return back(fate.instead);
    const answer = this.#effect(call, fate);
    if (this.#happens('answer lost', fate.answerLost)) return;
    const { damage } = fate;
    const told = fate.afterwards ?? answer;
    back(damage === undefined ? told : { ...told, text: damage(told.text) });
  }

  #back(tell: Deliver, { status, text }: Answer, call: AnyCall, fate: Fate, honest: BudgetReport): void {
    const { nowMs } = this.#timeline;
    const { askedMs = null, budget: lie } = fate.says ?? {};
    const budget = lie === undefined ? honest : lie && { ...honest, ...lie, resetMs: nowMs + lie.resetInMs };
    const { outcome, genuine } = classify(declarationOf(call.endpoint), status, text);
    // The resolution of a `Date` header.
    const venueTimeMs = genuine ? Math.floor(this.#timeline.nowMs / 1000) * 1000 : null;
    const throttled = status === 429;
    // As the client reads it: without `Retry-After`, until the reset.
    const waitMs = askedMs ?? (genuine && throttled ? Math.max(0, (budget ?? honest).resetMs - nowMs) : null);
    const heard: HeardOfBudget = { genuine, throttled, askedMs: waitMs, budget: genuine ? budget : null };
    const delivery = { outcome, venueTimeMs, budget: genuine ? budget : null, heard, text };
    const connection = this.#connections;
    this.#timeline.after(fate.backMs ?? CALM_MS, () => {
      if (this.#connections === connection) {
        if (genuine && throttled) this.#heldUntilMs[honest.scope] = this.#timeline.nowMs + (waitMs ?? 0);
        tell(delivery);
      } else this.#tally.add('fault: cut by a restart');
    });
  }

  #effect(call: AnyCall, { lag, expiresInMs, failsToLand }: Fate): Answer {
    const answer = this.#exchange.serve(call, this.#timeline.nowMs, lag);
    if (failsToLand === true && answer.status < 300) this.#failToLand(answer);
    if (expiresInMs !== undefined && answer.status === 201) this.#expireEarly(answer, expiresInMs);
    this.#heard(call, answer);
    return answer;
  }

  /** Its market cannot convert at the time of landing. */
  #failToLand({ text }: Answer): void {
    this.#tally.add('fault: merge fails');
    // The answer of a submit from the exchange.
    const { data } = JSON.parse(text) as { data: { market_condition_id: string } };
    const pause = (paused: boolean) =>
      this.#exchange.core.at(this.#timeline.nowMs).markets.setPaused(data.market_condition_id, paused);
    pause(true);
    this.#timeline.after(this.#exchange.landingMs + 1, () => pause(false));
  }

  #expireEarly({ text }: Answer, inMs: number): void {
    // The answer of a draft call from the exchange.
    const { data } = JSON.parse(text) as { data: { pubkey: string } };
    this.#timeline.after(inMs, () => {
      this.#happens('draft expired early', this.#exchange.expireEarly(data.pubkey));
    });
  }

  #happens(fault: string, happens = false): boolean {
    if (happens) this.#tally.add(`fault: ${fault}`);
    return happens;
  }
}

const nothing = (reason: string, sent: boolean): Delivery => ({
  outcome: { kind: 'unknown', reason, sent },
  venueTimeMs: null,
  budget: null,
  heard: null,
  text: '',
});
