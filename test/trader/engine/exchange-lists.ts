/**
 * An exchange's lists of one account, which grow, and a reconciler with its real ledger and executor that reads them:
 * by pages, late, in part, twice. The ledger has our records as the executor would have left them.
 */

import { must } from '../../../src/shared/base/errors.js';
import { type Micros, micros } from '../../../src/shared/base/micros.js';
import type {
  AssetRow,
  ConversionRow,
  OrderRow,
  OwnTradeRow,
  RedeemRow,
} from '../../../src/shared/protocol/records.js';
import type { RoundList } from '../../../src/shared/protocol/request-owner.js';
import type { AnyCall, Outcome, PlannedRequest, RequestResult } from '../../../src/shared/protocol/seam.js';
import type { OrderStatus, Side } from '../../../src/shared/protocol/states.js';
import { readProfile } from '../../../src/shell/config/config.js';
import { Wallet } from '../../../src/shell/wallet/wallet.js';
import { OwnLists } from '../../../src/trader/engine/own/own-lists.js';
import { Executor } from '../../../src/trader/executor/executor.js';
import type { Ledger } from '../../../src/trader/ledger/contract.js';
import { openMemoryLedger } from '../../../src/trader/ledger/ledger.js';
import { Reconciler } from '../../../src/trader/reconcile/reconciler.js';
import { conversionOf, intentOf, m, ONE, orderOf } from '../ledger/books.js';

export const ROUND_LISTS: readonly RoundList[] = ['assets', 'orders', 'trades', 'merges', 'splits', 'redeems', 'sums'];

const PROFILE = readProfile('config/venues/paper.yaml', process.cwd());

export interface Fault {
  readonly list: RoundList;
  readonly kind: 'lags' | 'lost' | 'row twice' | 'cursor twice';
  /** Age of the newest row of a stale list, ms. */
  readonly lagMs: number;
}

interface Listed<Row> {
  readonly row: Row;
  /** Time of its appearance, our clock. */
  readonly sinceMs: number;
  /** Time of its replacement by the current record, our clock. */
  readonly untilMs?: number;
}

/** Rows, newest first. */
class List<Row> {
  rows: Listed<Row>[] = [];

  add(row: Row, sinceMs: number): void {
    this.rows.unshift({ row, sinceMs });
  }

  /** Replaces a record in place from now on. */
  replace(before: Row, row: Row, nowMs: number): void {
    const at = this.rows.findIndex((listed) => listed.row === before);
    this.rows.splice(at, 1, { row, sinceMs: nowMs }, { ...must(this.rows[at], 'row'), untilMs: nowMs });
  }
}

const UNTOLD = { remaining_amount: null, funds: null, remaining_funds: null, filled_funds: null };
const order = (pubkey: string, side: Side, isYes: boolean, amount: number, status: OrderStatus): OrderRow => ({
  pubkey,
  status,
  side,
  price: m(400_000),
  amount: m(amount),
  filled_amount: m(status === 'filled' ? amount : 0),
  ...UNTOLD,
  market: { condition_id: 'A', title: 'A' },
  outcome: { is_yes: isYes, text: null },
});

export class Account {
  readonly ledger: Ledger = openMemoryLedger();
  /** Our clock, which equals the exchange's. */
  nowMs = 1_700_000_000_000;
  reconciler: Reconciler;
  ownLists: OwnLists;
  readonly orders = new List<OrderRow>();
  readonly trades = new List<OwnTradeRow>();
  readonly merges = new List<ConversionRow>();
  readonly splits = new List<ConversionRow>();
  readonly redeems = new List<RedeemRow>();
  readonly moves: { readonly outcome: string; readonly amount: number; readonly sinceMs: number }[] = [];
  requests = 0;
  /** Hides a trade from all readers but the second one. */
  hiddenFromFirst: string | null = null;
  /** Called while a request is in flight. */
  meanwhile: () => void = () => undefined;
  #names = 0;
  #executor: Executor | null = null;

  constructor() {
    this.ledger.transaction(() => this.ledger.startRun({ id: 'run', version: '0', configHash: 'h', startedMs: 1 }));
    [this.reconciler, this.ownLists] = this.#process();
  }

  #process(): [Reconciler, OwnLists] {
    const signer = new Wallet(new Uint8Array(32).fill(1)).draftSigner({
      service_name: PROFILE.service_name,
      draft_message: 'utf8',
      allowBlindSigning: false,
      loadDraft: (id) => this.ledger.storedDraft(id),
    });
    this.#executor = new Executor(this.ledger, signer, PROFILE, { runId: 'run', configHash: 'h', ownPollMs: 1000 });
    const reconciler = new Reconciler(this.ledger, this.#executor, true);
    return [reconciler, new OwnLists(this.ledger, this.#executor, reconciler)];
  }

  /** As by a kill and a start: only the ledger's data remains. */
  restart(): void {
    [this.reconciler, this.ownLists] = this.#process();
  }

  close(): void {
    this.ledger.close();
  }

  name(kind: string): string {
    return `${kind}${++this.#names}`;
  }

  /** Adds an own order with a fill at the exchange: the ledger knows the order, and will read the trade. */
  fill(side: Side, isYes: boolean, shares: number): OwnTradeRow {
    const row = order(this.name('order'), side, isYes, shares, 'filled');
    this.#own(row);
    return this.trade(row, shares);
  }

  /** Adds an own order that ends without a fill. */
  canceled(): void {
    const row = order(this.name('order'), 'buy', true, ONE, 'canceled');
    this.#own(row);
    this.orders.add(row, this.nowMs);
  }

  /** Adds an own resting order. */
  resting(shares: number): OrderRow {
    const row = order(this.name('order'), 'buy', true, shares, 'open');
    this.#own(row);
    this.orders.add(row, this.nowMs);
    return row;
  }

  /** Fills a part of a resting order; returns its new row. */
  fillPart(of: OrderRow, shares: number): OrderRow {
    const filled_amount = m((of.filled_amount ?? 0) + shares);
    const row: OrderRow = { ...of, status: filled_amount === of.amount ? 'filled' : 'partially_filled', filled_amount };
    this.orders.replace(of, row, this.nowMs);
    this.#trade(row, shares);
    return row;
  }

  #own({ pubkey, side, outcome, amount, filled_amount, status: known }: OrderRow): void {
    const status = must(known, 'status');
    const terms = { side, isYes: outcome.is_yes, priceMicros: m(400_000), amountMicros: amount ?? m(0) };
    const [state, closedMs] = status === 'open' ? (['live', null] as const) : (['done', this.nowMs] as const);
    const id = `run.${pubkey}`;
    const intent = intentOf({ id, marketConditionId: 'A', draftPubkey: pubkey, ...terms, state });
    const times = { createdMs: this.nowMs, closedMs };
    const key = { pubkey: pubkey ?? '', intentId: id, marketConditionId: 'A' };
    const filledMicros = filled_amount ?? m(0);
    this.ledger.transaction(() => {
      this.ledger.addIntent(intent);
      this.ledger.addOrder(orderOf({ ...key, ...terms, filledMicros, status, ...times }));
    });
  }

  /** A trade of this order, which may be foreign. */
  trade(of: OrderRow, shares: number): OwnTradeRow {
    this.orders.add(of, this.nowMs);
    return this.#trade(of, shares);
  }

  get #nowS(): number {
    return Math.floor(this.nowMs / 1000);
  }

  #trade(of: OrderRow, shares: number): OwnTradeRow {
    const terms = { market_condition_id: 'A', amount: m(shares), price: m(400_000), fee: m(0), is_maker: true };
    const pubkey = this.name('trade');
    const row: OwnTradeRow = { pubkey, ...terms, timestamp: this.#nowS, state: 'done', order: of };
    this.trades.add(row, this.nowMs);
    this.#move(of.outcome.is_yes, of.side === 'buy' ? shares : -shares);
    return row;
  }

  #move(isYes: boolean, amount: number): void {
    this.moves.push({ outcome: `A ${isYes ? 'YES' : 'NO'}`, amount, sinceMs: this.nowMs });
  }

  /** The exchange changes a listed trade: it failed, settles, or settled late. Returns its new row. */
  turn(trade: OwnTradeRow, state: 'failed' | 'in_process' | 'done'): OwnTradeRow {
    const row: OwnTradeRow = { ...trade, state };
    this.trades.replace(trade, row, this.nowMs);
    const sign = (trade.order.side === 'buy' ? 1 : -1) * (state === 'done' ? 1 : -1);
    this.#move(trade.order.outcome.is_yes, sign * trade.amount);
    return row;
  }

  foreignOrder(status: OrderStatus): OrderRow {
    const row = order(this.name('foreign'), 'buy', true, ONE, status);
    if (status !== 'filled') this.orders.add(row, this.nowMs);
    return row;
  }

  /** A merge at the exchange; booked if it is ours. */
  merge(shares: number, ours: boolean): ConversionRow {
    const row = this.#conversion(shares);
    this.merges.add(row, this.nowMs);
    for (const isYes of [true, false]) this.#move(isYes, -shares);
    if (ours) this.book('merge', row.pubkey, 'A', shares);
    return row;
  }

  split(shares: number): ConversionRow {
    const row = this.#conversion(shares);
    this.splits.add(row, this.nowMs);
    for (const isYes of [true, false]) this.#move(isYes, shares);
    return row;
  }

  redeem(ours: boolean): RedeemRow {
    const of = { pubkey: this.name('redeem'), market_condition_id: 'B', created: this.#nowS };
    const nothing = { funds: m(0), onchain_funds: m(0), yes_shares: m(0), no_shares: m(0) };
    const row: RedeemRow = { ...of, state: 'completed', message: null, ...nothing };
    this.redeems.add(row, this.nowMs);
    if (ours) this.book('redeem', row.pubkey, 'B', 0);
    return row;
  }

  #conversion(shares: number): ConversionRow {
    const of = { pubkey: this.name('conversion'), market_condition_id: 'A', created: this.#nowS };
    return { ...of, state: 'done', message: null, amount: m(shares), onchain_amount: m(shares) };
  }

  book(kind: 'merge' | 'redeem', pubkey: string, marketConditionId: string, sets: number): void {
    const id = `run.${pubkey}`;
    const conversion = conversionOf(kind, sets, { pubkey, intentId: id, marketConditionId, seenMs: this.nowMs });
    this.ledger.transaction(() => {
      this.ledger.addIntent(intentOf({ id, kind, state: 'done', draftPubkey: pubkey }));
      this.ledger.bookConversion(conversion);
    });
  }

  /** One attempt at a round; true if it was complete. `meanwhile` runs between its lists and the next reads. */
  round(faults: readonly Fault[] = [], meanwhile: () => void = () => undefined): boolean {
    const before = this.reconciler.newest?.comparedMs;
    this.nowMs += 1;
    const first: PlannedRequest = {
      lane: 'own',
      latestMs: this.nowMs + 10_000,
      owner: { kind: 'poll', target: { kind: 'assets' } },
      call: { endpoint: 'account.assets', params: {}, query: { limit: 200 }, body: undefined },
    };
    let requests = this.ledger.transaction(() => this.reconciler.begin(first, this.nowMs));
    while (requests.length > 0) requests = requests.flatMap((request) => this.#ofRound(request, faults));
    meanwhile();
    for (let look = 0; look < 4 && this.reconciler.awaits.length > 0; look++) {
      for (const kind of this.reconciler.awaits) this.look(kind, faults);
    }
    return this.reconciler.newest?.comparedMs !== before;
  }

  #ofRound(request: PlannedRequest, faults: readonly Fault[]): readonly PlannedRequest[] {
    const list = request.owner.kind === 'round' ? request.owner.list : 'assets';
    const report = this.#answer(request, list, faults);
    return this.ledger.transaction(() => this.reconciler.onRound(list, report)).requests;
  }

  /** One poll of resting orders or of fills, with all its pages. */
  look(kind: 'orders' | 'fills', faults: readonly Fault[] = []): void {
    const call: AnyCall =
      kind === 'orders'
        ? { endpoint: 'orders.list', params: {}, query: { limit: 100, status: ['open'] }, body: undefined }
        : { endpoint: 'trades.list', params: {}, query: { limit: 100 }, body: undefined };
    const owner = { kind: 'poll', target: { kind } } as const;
    let requests: readonly PlannedRequest[] = [{ lane: 'own', latestMs: this.nowMs + 10_000, owner, call }];
    const list = kind === 'orders' ? 'orders' : 'trades';
    this.reconciler.onAsk(kind);
    while (requests.length > 0) {
      requests = requests.flatMap((request) => {
        const report = this.#answer(request, list, faults);
        return this.ledger.transaction(() => this.ownLists.onReport(kind, report)).requests;
      });
    }
  }

  /** The executor reads the orders that it follows. */
  follow(): void {
    const executor = must(this.#executor, 'executor');
    this.ledger.transaction(() => {
      for (const request of executor.tick(this.nowMs, this.nowMs).requests) {
        // No other request is in flight here.
        const pubkey = request.call.endpoint === 'orders.detail' ? request.call.params.pubkey : null;
        const row = must(
          this.orders.rows.find((listed) => listed.row.pubkey === pubkey),
          `order ${pubkey}`,
        ).row;
        const sentMs = this.nowMs;
        this.nowMs += 20;
        const outcome: Outcome = { kind: 'answered', data: row as never, nextCursor: null };
        executor.onReport({ request, outcome, sentMs, nowMs: this.nowMs, venueTimeMs: this.nowMs });
      }
    });
  }

  /** Ends the waits for missing fills, as an adoption does. */
  endWaits(): void {
    const executor = must(this.#executor, 'executor');
    for (const fill of executor.missingFills())
      if (this.reconciler.isLost(fill.orderPubkey)) executor.endWait(fill, this.nowMs);
  }

  #answer(request: PlannedRequest, list: RoundList, faults: readonly Fault[]): RequestResult {
    this.requests += 1;
    this.nowMs += 20;
    const sentMs = this.nowMs;
    const fault = faults.find((one) => one.list === list) ?? null;
    this.meanwhile();
    const outcome = fault?.kind === 'lost' ? LOST : this.#page(request, list, fault);
    this.nowMs += 20;
    return { request, outcome, sentMs, nowMs: this.nowMs, venueTimeMs: this.nowMs - (this.nowMs % 1000) };
  }

  #page({ call, owner }: PlannedRequest, list: RoundList, fault: Fault | null): Outcome {
    const untilMs = this.nowMs - (fault?.kind === 'lags' ? fault.lagMs : 0);
    const { limit = 50, cursor, status } = call.query as { limit?: number; cursor?: string; status?: unknown };
    const all = this.#shown(list, untilMs, status !== undefined);
    // Rows of assets have no key.
    const isShown = (row: unknown) => (row as { pubkey?: string }).pubkey !== this.hiddenFromFirst;
    const rows = all.filter((row) => list === 'sums' || isShown(row));
    const isOfRound = list === 'assets' || owner.kind === 'round';
    const from = cursor === undefined ? 0 : Number(cursor);
    const page = rows.slice(from, from + limit);
    const isTwice = fault?.kind === 'row twice' && page[0] !== undefined && isOfRound;
    const next = from + limit < rows.length ? `${from + limit}` : null;
    const data = isTwice ? [...page, page[0]] : page;
    const nextCursor = fault?.kind === 'cursor twice' && isOfRound ? '0' : next;
    // The rows of this list.
    return { kind: 'answered', data: data as never, nextCursor };
  }

  #shown(list: RoundList, untilMs: number, restingOnly: boolean): readonly unknown[] {
    if (list === 'assets') return this.#assets(untilMs);
    const { orders, trades, merges, splits, redeems } = this;
    const of = { orders, trades, merges, splits, redeems, sums: trades }[list];
    const rows = (of as List<{ readonly status?: unknown }>).rows.filter(
      ({ sinceMs, untilMs: endMs = Number.POSITIVE_INFINITY }) => sinceMs <= untilMs && untilMs < endMs,
    );
    const resting = ['open', 'partially_filled'];
    return rows.map(({ row }) => row).filter(({ status }) => !restingOnly || resting.includes(`${status}`));
  }

  #assets(untilMs: number): readonly AssetRow[] {
    const held = new Map<string, number>();
    for (const { outcome, amount, sinceMs } of this.moves) {
      if (sinceMs <= untilMs) held.set(outcome, (held.get(outcome) ?? 0) + amount);
    }
    return [...held].map(([outcome, total]) => assetRow(outcome, micros(total)));
  }
}

const LOST: Outcome = { kind: 'unknown', reason: 'no answer in time', sent: true };

const assetRow = (outcome: string, total: Micros): AssetRow => ({
  asset_kind: 'share',
  amounts: { total, locked: m(0), available: total },
  token: { symbol: outcome, address: null },
  value: { usdt: null, basis: null },
  position: {
    market: { condition_id: 'A', title: null, state: 'open', margin_enabled: false },
    is_yes: outcome.endsWith('YES'),
    outcome_text: null,
    is_final: false,
    avg_trade_price: null,
  },
  created: null,
});
