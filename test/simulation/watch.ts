/**
 * Controls whose breach has no immediate cost, so that no other invariant finds it: 10 the reserve that cancels
 * everything, 3 no price beyond the collar (`Collar`), 13 our own orders never meet, 14 no quote on an old book, 17
 * only reducing orders after an operator's command. Judged from the sent requests, not by the trader.
 */

import { declarationOf } from '../../src/shared/protocol/endpoints.js';
import type { OperatorCommand, Outcome, Request } from '../../src/shared/protocol/seam.js';
import { Collar } from './collar.js';
import type { ExchangeSide } from './exchange-side.js';
import type { StoredIntent } from './ledger-file.js';
import type { Setting } from './setting.js';
import { StaleQuotes } from './stale-quotes.js';
import type { TraderProcess } from './trader-process.js';

const WINDOW_MS = 60_000;
const REQUESTS_PER_CANCEL = 2;
/** Maximum wait of a draft between decision and send. */
const WAIT_MS = 3_000;

export class Watch {
  readonly #exchange: ExchangeSide;
  readonly #setting: Setting;
  readonly #say: (violation: string) => void;
  /** Send times of the signed requests of the last minute, over all processes. */
  #signed: number[] = [];
  /** By request id of the running process: the time of its send. */
  readonly #leftMs = new Map<number, number>();
  /** By market: request time of the trader's newest book. */
  readonly #booksMs = new Map<string, number>();
  /** Time since which one process runs and our clock has not jumped. */
  #steadySinceMs = Number.POSITIVE_INFINITY;
  #reducesOnly = false;
  readonly #collar: Collar;
  readonly #stale: StaleQuotes;

  constructor(exchange: ExchangeSide, setting: Setting, say: (violation: string) => void) {
    this.#exchange = exchange;
    this.#setting = setting;
    this.#say = say;
    this.#collar = new Collar(setting.limits, say);
    this.#stale = new StaleQuotes(exchange, setting, say);
  }

  /** A new process has no data. */
  restarted(): void {
    this.#stale.restarted();
  }

  /** Once a second, by the trader's clock and the world's. */
  looked(process: TraderProcess, ourMs: number, nowMs: number): void {
    this.#stale.looked(process, ourMs, nowMs);
  }

  /** A new process, which does not know its predecessor's requests, or a clock that jumped. */
  unsettled(nowMs: number): void {
    this.#steadySinceMs = nowMs;
    this.#booksMs.clear();
    this.#collar.forget();
  }

  /** A command was accepted, durably. */
  commanded({ kind }: OperatorCommand): void {
    if (kind === 'reduce-only') this.#reducesOnly = true;
  }

  /** An unsigned fill was booked: only reducing orders may be sent until a user acknowledges it. */
  differed(): void {
    this.#reducesOnly = true;
  }

  /** No command to reduce is in force any longer. */
  resumed(): void {
    this.#reducesOnly = false;
  }

  /** A submit is released. @param net YES minus NO in its market, in millionths of a share, by the ledger */
  submitted({ id, is_yes, side }: StoredIntent, net: number): void {
    const raises = (side === 'buy') === (is_yes === 1);
    if (this.#reducesOnly && (raises ? net >= 0 : net <= 0))
      this.#say(`17: order ${id} left with ${net} held, and only what reduces may`);
  }

  /** A split is drafted or sent: it locks currency and reduces nothing. */
  split(endpoint: string): void {
    if (this.#reducesOnly) this.#say(`17: ${endpoint} left, and only what reduces may`);
  }

  /** A request is sent. */
  left(request: Request, nowMs: number): void {
    const { id, lane, call } = request;
    this.#stale.left(request, nowMs);
    this.#leftMs.set(id, nowMs);
    this.#collar.left(call);
    if (declarationOf(call.endpoint).scope !== 'signed') return;
    this.#signed = this.#signed.filter((leftMs) => leftMs > nowMs - WINDOW_MS);
    this.#signed.push(nowMs);
    if (nowMs - this.#steadySinceMs < WINDOW_MS) return;
    if (call.endpoint === 'orders.create') this.#looked(call.body.market_condition_id, nowMs);
    if (lane !== 'cancel' && lane !== 'own') this.#reserved(call.endpoint);
  }

  /** An outcome reaches the trader. */
  /** @param sentMs time of the send, by the trader's clock */
  delivered(request: Request, outcome: Outcome, sentMs: number, nowMs: number): void {
    this.#stale.delivered(request, outcome, sentMs);
    this.#collar.delivered(request, outcome, nowMs);
    const { id, call } = request;
    const { kind } = outcome;
    const leftMs = this.#leftMs.get(id);
    this.#leftMs.delete(id);
    if (call.endpoint !== 'markets.book' || kind !== 'answered' || leftMs === undefined) return;
    const market = call.params.condition_id;
    this.#booksMs.set(market, Math.max(leftMs, this.#booksMs.get(market) ?? leftMs));
  }

  /** An order of ours has reached the exchange. */
  placed(pubkey: string): void {
    const { core, account } = this.#exchange;
    const status = core.orders.row(account, pubkey)?.status ?? '';
    // Only the exchange cancels this fast: it cancels an order that would meet another of its account.
    if (status.endsWith('canceled')) this.#say(`13: order ${pubkey} met one of our own`);
  }

  #looked(market: string, nowMs: number): void {
    const ageMs = nowMs - (this.#booksMs.get(market) ?? Number.NEGATIVE_INFINITY);
    if (ageMs > this.#setting.limits.maxBookAgeMs + WAIT_MS)
      this.#say(`14: an order was drafted on a book of ${market} that is ${ageMs} ms old`);
  }

  #reserved(endpoint: string): void {
    const left = this.#setting.profile.rate_limits.signed_per_minute - this.#signed.length;
    const resting = this.#exchange.resting().length;
    if (left >= REQUESTS_PER_CANCEL * resting) return;
    this.#say(`10: ${endpoint} left ${left} requests of the minute to cancel ${resting} orders`);
  }
}
