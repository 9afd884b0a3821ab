/** Draws the fate of each call from the current faults. */

import type { Answer } from '../../src/exchange/service/answers.js';
import type { Random } from '../../src/shared/base/random.js';
import { declarationOf } from '../../src/shared/protocol/endpoints.js';
import type { AnyCall } from '../../src/shared/protocol/seam.js';
import type { Lag } from './exchange-side.js';
import { EMPTY, type Fate, HTML, htmlPage, INTERNAL, SIGNING_DOWN, THROTTLED } from './fates.js';
import { CALM, type Faults, type Tally } from './faults.js';
import { drawMisjudgment } from './misjudging.js';
import { poison } from './poison.js';

const TAIL_MS = 60_000;
/** Maximum time for which a list or book stays stale. */
const LONGEST_LAG_MS = 5_000;
/** A draft that expires early does so soon, or its submit is faster. */
const EARLY_MS = 300;

export class Weather {
  faults: Faults = CALM;
  readonly #random: Random;
  readonly #tally: Tally;
  /** By endpoint, and by market for books: the end of its staleness. */
  readonly #lagsUntilMs = new Map<string, number>();

  constructor(random: Random, tally: Tally) {
    this.#random = random;
    this.#tally = tally;
  }

  fateOf(call: AnyCall, nowMs: number): Fate {
    const { faults } = this;
    const thereMs = this.#hit('long delay', faults.tail) ? this.#random.below(TAIL_MS) : this.#delay();
    const fate: { -readonly [K in keyof Fate]: Fate[K] } = { thereMs, backMs: this.#delay() };
    if (this.#random.chance(faults.requestLost)) fate.requestLost = true;
    if (this.#hit('delivered twice', faults.deliveredTwice)) fate.copyMs = this.#random.below(2 * thereMs);
    if (this.#random.chance(faults.answerLost)) fate.answerLost = true;
    this.#drawAnswer(call, fate);
    const ofSets = call.endpoint === 'merges.submit' || call.endpoint === 'splits.submit';
    if (ofSets && this.#random.chance(faults.mergeFails)) fate.failsToLand = true;
    const lag = this.#lagOf(call, nowMs);
    if (lag !== null) fate.lag = lag;
    const poisoned = this.#random.chance(faults.poisonedRows) ? poison(call, this.#random) : null;
    if (poisoned !== null) {
      this.#tally.add('fault: poisoned rows');
      fate.damage = poisoned;
    }
    if (this.#hit('body cut or garbled', faults.cut)) fate.damage = this.#damage();
    return fate;
  }

  #drawAnswer(call: AnyCall, fate: { -readonly [K in keyof Fate]: Fate[K] }): void {
    const { faults } = this;
    const { method, status } = declarationOf(call.endpoint);
    const isDraft = status === 201 || call.endpoint === 'orders.cancel';
    if (this.#hit('throttled', faults.throttled)) fate.instead = THROTTLED;
    if (this.#random.chance(faults.misjudged)) this.#misjudge(fate);
    if (isDraft && this.#hit('signing down', faults.signingDown)) fate.instead = SIGNING_DOWN;
    if (this.#hit('5xx before the effect', faults.gatewayBefore)) fate.instead = this.#gateway();
    if (method === 'POST' && this.#hit('error after the effect', faults.errorAfter)) fate.afterwards = INTERNAL;
    if (this.#hit('5xx after the effect', faults.gatewayAfter)) fate.afterwards = this.#gateway();
    if (this.#hit('HTML in place of JSON', faults.html)) fate.afterwards = HTML;
    if (call.endpoint === 'orders.create' && this.#random.chance(faults.earlyExpiry))
      fate.expiresInMs = this.#random.exponential(EARLY_MS);
  }

  #misjudge(fate: { -readonly [K in keyof Fate]: Fate[K] }): void {
    const [kind, more] = drawMisjudgment(this.#random);
    this.#tally.add(`fault: ${kind}`);
    Object.assign(fate, more);
  }

  #gateway(): Answer {
    const status = 500 + this.#random.below(5);
    return this.#random.chance(0.5) ? htmlPage(status) : { ...EMPTY, status };
  }

  #lagOf(call: AnyCall, nowMs: number): Lag | null {
    const { endpoint, params } = call;
    if (endpoint === 'markets.book')
      return this.#lags(`book ${params.condition_id}`, 'stale book', this.faults.stale, nowMs) ? { stale: true } : null;
    if (declarationOf(endpoint).page === undefined) return null;
    const isFurther = 'cursor' in call.query && call.query.cursor !== undefined;
    if (isFurther) return this.#hit('cursor repeats', this.faults.cursorRepeats) ? { repeatsCursor: true } : null;
    return this.#lags(endpoint, 'list behind', this.faults.behind, nowMs) ? { missesNewest: true } : null;
  }

  #lags(what: string, fault: string, probability: number, nowMs: number): boolean {
    if (this.#hit(fault, probability)) this.#lagsUntilMs.set(what, nowMs + this.#random.below(LONGEST_LAG_MS));
    return nowMs <= (this.#lagsUntilMs.get(what) ?? 0);
  }

  #damage(): (text: string) => string {
    const [where, cuts] = [this.#random.uniform(), this.#random.chance(0.5)];
    return (text) => {
      const at = Math.floor(where * text.length);
      return cuts ? text.slice(0, at) : `${text.slice(0, at)}\u0000\ufffd"}${text.slice(at + 4)}`;
    };
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
