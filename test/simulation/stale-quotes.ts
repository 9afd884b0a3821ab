/**
 * Control 14 for resting orders: no quote outlives its book by more than a bound while the exchange answers. The trader
 * reports which book it uses, by its own clock; the world knows the true time of that book's request.
 */

import { declarationOf } from '../../src/shared/protocol/endpoints.js';
import type { Outcome, Request } from '../../src/shared/protocol/seam.js';
import type { ExchangeSide } from './exchange-side.js';
import type { Setting } from './setting.js';
import type { TraderProcess } from './trader-process.js';

const LOOK_EVERY_MS = 5_000;
/** For two requests with their answers, and one retry. */
const PULLED_WITHIN_MS = 30_000;

export class StaleQuotes {
  readonly #exchange: ExchangeSide;
  readonly #maxAgeMs: number;
  readonly #say: (violation: string) => void;
  /** By request id of the running process: the true time of its send. */
  readonly #leftMs = new Map<number, number>();
  /** By market: the true times of the newest polls of its book, by the trader's time. */
  readonly #looks = new Map<string, Map<number, number>>();
  /** By order: since when it rests on a book that is too old, without a break. */
  readonly #staleMs = new Map<string, number>();
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(exchange: ExchangeSide, { limits }: Setting, say: (violation: string) => void) {
    this.#exchange = exchange;
    this.#maxAgeMs = limits.maxBookAgeMs;
    this.#say = say;
  }

  /** A new process has no book, and may take a book's maximum age to get one. */
  restarted(): void {
    this.#leftMs.clear();
    this.#looks.clear();
    this.#staleMs.clear();
  }

  /** A request is sent. */
  left({ id, call }: Request, nowMs: number): void {
    if (call.endpoint === 'markets.book') this.#leftMs.set(id, nowMs);
  }

  /** An outcome reaches the trader. @param sentMs time of the send, by the trader's clock */
  delivered({ id, call }: Request, outcome: Outcome, sentMs: number): void {
    const scope = declarationOf(call.endpoint).scope;
    // An exchange that rejects requests may not cancel either.
    if (scope === 'signed' && outcome.kind !== 'answered') this.#staleMs.clear();
    const leftMs = this.#leftMs.get(id);
    this.#leftMs.delete(id);
    if (call.endpoint !== 'markets.book' || outcome.kind !== 'answered' || leftMs === undefined) return;
    const market = call.params.condition_id;
    const looks = this.#looks.get(market) ?? new Map<number, number>();
    this.#looks.set(market, looks.set(sentMs, leftMs));
  }

  looked({ trader }: TraderProcess, ourMs: number, nowMs: number): void {
    if (nowMs - this.#lookedMs < LOOK_EVERY_MS) return;
    this.#lookedMs = nowMs;
    const resting = this.#exchange.resting();
    if (resting.length === 0) return this.#staleMs.clear();
    const ages = new Map<string, number>();
    for (const { conditionId, bookSentMs } of trader.snapshot(ourMs).markets) {
      const age = bookSentMs === null ? Number.POSITIVE_INFINITY : this.#ageMs(conditionId, bookSentMs, nowMs);
      ages.set(conditionId, age);
    }
    for (const { pubkey, market } of resting) this.#judge(pubkey ?? '', ages.get(market.condition_id) ?? 0, nowMs);
    const known = new Set(resting.map(({ pubkey }) => pubkey));
    for (const pubkey of this.#staleMs.keys()) if (!known.has(pubkey)) this.#staleMs.delete(pubkey);
  }

  /** Null for an unknown book. */
  #ageMs(market: string, sentMs: number, nowMs: number): number {
    const looks = this.#looks.get(market);
    const leftMs = looks?.get(sentMs);
    // Requests older than the current one are no longer needed.
    for (const [each, left] of looks ?? []) if (left < (leftMs ?? left)) looks?.delete(each);
    return leftMs === undefined ? 0 : nowMs - leftMs;
  }

  #judge(pubkey: string, ageMs: number, nowMs: number): void {
    if (ageMs <= this.#maxAgeMs) {
      this.#staleMs.delete(pubkey);
      return;
    }
    const sinceMs = this.#staleMs.get(pubkey) ?? nowMs;
    this.#staleMs.set(pubkey, sinceMs);
    if (nowMs - sinceMs <= this.#maxAgeMs + PULLED_WITHIN_MS) return;
    this.#say(`14: an order rests on a book that is ${ageMs} ms old, and the exchange answers`);
  }
}
