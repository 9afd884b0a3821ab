/**
 * Open positions: at most one for each account, market and outcome. Another request for the same outcome increases the
 * position by the request's shares, liquidity and cost. The take profit and stop loss of a later request replace the
 * old values.
 *
 * A position is checked when the reference price moves, when the market trades again, and when its interest may
 * liquidate it. A position's exit conditions are checked in this order: liquidation, requested close, take profit or
 * stop loss. A closing sale sells all of a position's shares at the reference price. No position is checked while the
 * market is paused or not open. A resolved market ends positions at 1 or 0, a canceled market at 0.5.
 */

import { must } from '../../../shared/base/errors.js';
import { VOID_OUTCOME, yesValue } from '../../../shared/protocol/outcome.js';
import type { CLOSE_TYPES, MarginActivity } from '../../../shared/protocol/states.js';
import { makeName } from '../catalog.js';
import { invalid, ok, type Result, refuse, type TpSlChange, type Wire } from '../contract.js';
import { type CoreContext, delaysInForce, landsMs, seconds } from '../core-context.js';
import { text, timesDown } from '../money.js';
import { Records } from '../records/records.js';
import { checkPrices, fatalPercent, limitCost, type MarginMarket, marginMarket, marketCost } from './checks.js';
import * as economics from './economics.js';
import { badPrice } from './pool.js';
import type { PositionRecord, RequestRecord, SettlementRecord, TpSlRecord } from './records.js';
import { positionRow, tpSlRow } from './rows.js';

class RealizedPnl {
  readonly #byAccount = new Map<number, Map<number, number>>();

  add(account: number, market: number, pnl: number): void {
    const sums = this.#byAccount.get(account) ?? new Map<number, number>();
    this.#byAccount.set(account, sums.set(market, (sums.get(market) ?? 0) + pnl));
  }

  of(account: number, markets?: Iterable<number>): number {
    const sums = this.#byAccount.get(account) ?? new Map<number, number>();
    let total = 0;
    for (const market of markets ?? sums.keys()) total += sums.get(market) ?? 0;
    return total;
  }

  dump(): readonly (readonly [number, number, number])[] {
    return [...this.#byAccount].flatMap(([account, sums]) =>
      [...sums].map(([market, pnl]) => [account, market, pnl] as const),
    );
  }

  load(dump: readonly (readonly [number, number, number])[]): void {
    for (const [account, market, pnl] of dump) this.add(account, market, pnl);
  }
}

/**
 * Payments of ended positions to their users. Each change of state takes `landing_ms`. Only the claim is a user's call:
 *
 *     created -> settlement_pending -> claimable -(claim)-> claim_pending -> done
 *
 * In the state `done`, the account has the money, and the position is claimed. A settlement of 0 has the same states.
 */
export class Settlements extends Records<SettlementRecord, Wire<'settlementRow'>> {
  readonly realized = new RealizedPnl();

  constructor(context: CoreContext, positionOf: (settlement: SettlementRecord) => PositionRecord) {
    super(context, {
      recordKind: 'settlement',
      facets: ({ market, state, isYes }) => ({ market, state, isYes, side: null }),
      toRow: (record) => settlementRow(context, record, positionOf(record)),
    });
  }

  create(position: PositionRecord, payout: number): void {
    const { account, market, isYes, leverage, userLiquidity, openingFee } = position;
    const record: SettlementRecord = {
      id: this.nextId(),
      pubkey: position.pubkey,
      position: position.id,
      account,
      market,
      isYes,
      leverage,
      userLiquidity,
      payout,
      totalPnl: payout - userLiquidity - openingFee,
      createdMs: this.context.nowMs,
      state: 'created',
    };
    this.keep(record);
    this.realized.add(account, market, record.totalPnl);
    this.#putStep(record);
  }

  #putStep(record: SettlementRecord): void {
    this.context.timers.put(landsMs(this.context), 'settlement', record.id);
  }

  /** Moves a due settlement to its next state. Returns the position's id if the settlement has ended; else null. */
  step(id: number): number | null {
    const record = this.requireLive(id);
    if (record.state === 'claim_pending') {
      marginMarket(this.context, record.market).pool.held -= record.payout;
      this.context.funds.add(record.account, record.payout);
      record.state = 'done';
      this.finish(record);
      return record.position;
    }
    if (record.state === 'created') this.#putStep(record);
    record.state = record.state === 'created' ? 'settlement_pending' : 'claimable';
    return null;
  }

  claim(record: SettlementRecord): Result<SettlementRecord> {
    if (record.state !== 'claimable') return invalid('pubkey', `The settlement is ${record.state}, not claimable.`);
    record.state = 'claim_pending';
    this.#putStep(record);
    return ok(record);
  }
}

/** Longest interval between interest checks of a position, ms. */
const CHECK_MS = 30 * 86_400_000;

type Fill = ReturnType<typeof marketCost> & Readonly<{ shares: number; mark: number }>;

/** Opens, increases, marks, liquidates and closes the positions of all accounts. */
export class Positions extends Records<PositionRecord, Wire<'positionRow'>> {
  readonly #settlements: Settlements;
  readonly #open = new Map<string, PositionRecord>();
  /** By position id: mark above which no liquidation is possible before the next check. Snapshots omit this cache. */
  readonly #safeAbove = new Map<number, number>();

  constructor(context: CoreContext, settlements: Settlements) {
    super(context, {
      recordKind: 'position',
      facets: ({ market, isYes, end }) => ({
        market,
        isYes,
        side: null,
        state: end?.isLiquidated === true ? 'liquidated' : 'closed',
      }),
      toRow: (record) => positionRow(context, record),
    });
    this.#settlements = settlements;
  }

  /** Buys shares at the mark and pays unused money back; returns false if the position would be empty or too large. */
  open(request: RequestRecord, mark: number): boolean {
    const named = marginMarket(this.context, request.market);
    const fill = computeFill(request, named, mark);
    const existing = this.#open.get(makeKey(request)) ?? null;
    if (fill === null || isTooMuch(existing, fill)) return false;
    const { pool } = named;
    const saved = request.reserved - fill.userLiquidity - fill.openingFee;
    pool.held -= saved + fill.openingFee;
    this.context.funds.add(request.account, saved);
    this.context.matching.fees += fill.openingFee;
    const position = existing ?? this.#start(request);
    this.#add(position, named, request, fill);
    this.#print(position, named, existing === null ? 'opened' : 'increased', fill, fill.openingFee);
    this.#check(position);
    return true;
  }

  #start(request: RequestRecord): PositionRecord {
    const { nowMs, settings } = this.context;
    const id = this.nextId();
    // The record is built field by field, because spread syntax slows checks.
    const position: PositionRecord = {
      id,
      pubkey: makeName(settings.seed, 'position', id),
      requestPubkey: request.pubkey,
      account: request.account,
      market: request.market,
      isYes: request.isYes,
      createdMs: nowMs,
      leverage: request.leverage,
      shares: 0,
      cost: 0,
      userLiquidity: 0,
      totalLiquidity: 0,
      openingFee: 0,
      interest: 0,
      interestSinceMs: nowMs,
      closePrice: null,
      closeFromMs: null,
      tpSl: null,
      watchMs: null,
      end: null,
      isClaimed: false,
    };
    this.keep(position);
    this.#enter(position);
    return position;
  }

  #enter(position: PositionRecord): void {
    this.#open.set(makeKey(position), position);
    marginMarket(this.context, position.market).pool.openPositions.add(position.id);
  }

  #add(position: PositionRecord, { pool }: MarginMarket, request: RequestRecord, fill: Fill): void {
    const { nowMs } = this.context;
    const isNew = position.shares === 0;
    position.interest = economics.interestAt(position, pool.rules.annualRate, nowMs);
    position.interestSinceMs = nowMs;
    position.shares += fill.shares;
    position.cost += timesDown(fill.mark, fill.shares);
    position.userLiquidity += fill.userLiquidity;
    position.totalLiquidity += fill.totalLiquidity;
    position.openingFee += fill.openingFee;
    if (!isNew) position.leverage = economics.computeLeverage(position.userLiquidity, position.totalLiquidity);
    const { takeProfit, stopLoss } = request;
    if (takeProfit === null && stopLoss === null) return;
    position.tpSl = makeTpSl(pricesAfter(position.tpSl, takeProfit ?? undefined, stopLoss ?? undefined));
  }

  /** Publishes a position's trade with the pool: once as a market trade and once as an activity. */
  #print(
    position: PositionRecord,
    { market, pool }: MarginMarket,
    type: MarginActivity,
    { shares, mark }: Pick<Fill, 'shares' | 'mark'>,
    fee: number,
    realizedPnl: number | null = null,
  ): void {
    const { account, isYes, leverage } = position;
    const timeMs = this.context.nowMs;
    pool.activity.add({ type, account, isYes, leverage, shares, price: mark, realizedPnl, timeMs });
    const notional = timesDown(mark, shares);
    market.tape.write(timeMs, economics.ownPrice(mark, isYes), shares, notional, isYes, 0, fee);
  }

  /** Sells a position if an exit condition holds, otherwise schedules the position's next check. */
  #check(position: PositionRecord): void {
    const named = marginMarket(this.context, position.market);
    if (!named.market.isTradable || position.end !== null) return;
    const { nowMs } = this.context;
    const mark = named.pool.mark(position.isYes);
    const interest = economics.interestAt(position, named.pool.rules.annualRate, nowMs);
    if (economics.isLiquidatable(position, mark, interest, fatalPercent(this.context)))
      return this.#sell(position, named, mark, 'liquidated');
    const { closePrice, closeFromMs } = position;
    if (closePrice !== null && mark >= closePrice && nowMs >= (closeFromMs ?? 0))
      return this.#sell(position, named, mark, 'closed');
    const type = triggerAt(position.tpSl, mark);
    if (position.tpSl === null || type === null) return this.#scheduleCheck(position, named, mark);
    position.tpSl.state = 'triggered';
    position.tpSl.trigger = { type, price: mark, timeMs: nowMs };
    this.#sell(position, named, mark, 'closed');
  }

  #scheduleCheck(position: PositionRecord, { pool }: MarginMarket, mark: number): void {
    const { annualRate } = pool.rules;
    const lossPercent = fatalPercent(this.context);
    if (economics.bearsInterest(position, annualRate)) {
      const dueMs = economics.liquidationDueMs(position, mark, annualRate, lossPercent);
      this.#putCheck(position, dueMs ?? Number.POSITIVE_INFINITY);
    }
    const interest = economics.interestAt(position, annualRate, position.watchMs ?? this.context.nowMs);
    this.#safeAbove.set(position.id, economics.liquidationPrice(position, interest, lossPercent));
  }

  #putCheck(position: PositionRecord, liquidationMs: number): void {
    const { nowMs, timers } = this.context;
    const checkMs = Math.min(Math.max(liquidationMs, nowMs + 1), nowMs + CHECK_MS);
    // An earlier check is already scheduled; this earlier check will schedule the next one.
    if (position.watchMs !== null && position.watchMs <= checkMs) return;
    position.watchMs = checkMs;
    timers.put(checkMs, 'position', position.id);
  }

  /** Checks a position at the scheduled time `dueMs`, unless the check was rescheduled to another time. */
  onCheckDue(id: number, dueMs: number): void {
    const position = this.live(id);
    if (position === null || position.watchMs !== dueMs) return;
    position.watchMs = null;
    this.#safeAbove.delete(id);
    this.#check(position);
  }

  #sell(position: PositionRecord, named: MarginMarket, mark: number, type: 'closed' | 'liquidated'): void {
    const { shares, userLiquidity } = position;
    const { payout, closingFee } = this.#end(position, named, mark, type === 'liquidated');
    this.#print(position, named, type, { shares, mark }, closingFee, payout - userLiquidity);
  }

  #end(position: PositionRecord, { pool }: MarginMarket, price: number, isLiquidated: boolean): economics.Ending {
    const { nowMs } = this.context;
    const { annualRate, closingRate } = pool.rules;
    position.interest = economics.interestAt(position, annualRate, nowMs);
    position.interestSinceMs = nowMs;
    const ending = economics.computeEnding(position, price, isLiquidated, closingRate);
    pool.end(position.userLiquidity, ending);
    pool.openPositions.delete(position.id);
    this.#open.delete(makeKey(position));
    this.#safeAbove.delete(position.id);
    this.context.matching.fees += ending.closingFee;
    if (position.tpSl?.state === 'active') position.tpSl.state = 'cancelled';
    position.closePrice = null;
    position.watchMs = null;
    position.end = { price, timeMs: nowMs, isLiquidated, payout: ending.payout };
    this.#settlements.create(position, ending.payout);
    return ending;
  }

  settle({ market, pool }: MarginMarket): void {
    const { outcome } = market;
    for (const id of pool.positionIds()) {
      const position = this.requireLive(id);
      const price = economics.ownPrice(yesValue(outcome ?? VOID_OUTCOME), position.isYes);
      const { account, isYes, leverage, shares, userLiquidity } = position;
      const { payout } = this.#end(position, { market, pool }, price, false);
      const timeMs = this.context.nowMs;
      const realizedPnl = payout - userLiquidity;
      pool.activity.add({ type: 'closed', account, isYes, leverage, shares, price, realizedPnl, timeMs });
    }
  }

  /** Checks, oldest first, all positions of a market that may be affected by the present price. */
  sweep(pool: MarginMarket['pool']): void {
    for (const id of pool.positionIds()) {
      const position = this.requireLive(id);
      if (!this.#isUnaffected(position, pool.mark(position.isYes))) this.#check(position);
    }
  }

  #isUnaffected({ id, closePrice, tpSl }: PositionRecord, mark: number): boolean {
    const isSafe = mark > (this.#safeAbove.get(id) ?? Number.POSITIVE_INFINITY);
    return isSafe && (closePrice === null || mark < closePrice) && triggerAt(tpSl, mark) === null;
  }

  /**
   * Sells all of a position at the reference price: now, or once this price reaches `price`. A later close replaces the
   * limit price. Closing an ended position returns `zero`. Checks, in order: position found, price, market open.
   */
  close(account: number, pubkey: string, price: number | null): Result<Wire<'closeResult'>> {
    const position = this.find(account, pubkey);
    if (position === null) return refuse('not_found');
    if (position.end !== null) return ok(closeRow(position, 'zero'));
    const { market, pool } = marginMarket(this.context, position.market);
    const fault = badPrice('price', price, pool.rules);
    if (fault !== null) return fault;
    if (!market.isTradable) return refuse('order_market_not_open');
    // A second close request does not restart the delay of the close.
    if (position.closePrice === null) {
      const { nowMs, timers } = this.context;
      position.closeFromMs = nowMs + (delaysInForce(this.context).closingMs ?? 0);
      if (position.closeFromMs > nowMs) timers.put(position.closeFromMs, 'close', position.id);
    }
    // A close without a limit price uses 0, which every mark reaches.
    position.closePrice = price ?? 0;
    this.#check(position);
    return ok(closeRow(position, 'order'));
  }

  onCloseDue(id: number): void {
    const position = this.live(id);
    if (position !== null) this.#check(position);
  }

  /**
   * Sets a position's take profit and stop loss. Checks, in order: position found, backend supports trigger prices,
   * position open, prices. A price reached during a pause triggers after the pause.
   */
  setTpSl(account: number, pubkey: string, { takeProfit, stopLoss }: TpSlChange): Result<Wire<'tpSlRow'>> {
    const found = this.#withTpSl(account, pubkey);
    if (!found.ok) return found;
    const position = found.value;
    const { pool } = marginMarket(this.context, position.market);
    const fault = checkPrices(pool, pricesAfter(null, takeProfit, stopLoss), pool.mark(position.isYes));
    if (fault !== null) return fault;
    position.tpSl = makeTpSl(pricesAfter(position.tpSl, takeProfit, stopLoss));
    return ok(tpSlRow(position.tpSl));
  }

  /** Removes take profit and stop loss, after the checks of `setTpSl`; `not_found` if neither price is active. */
  deleteTpSl(account: number, pubkey: string): Result<Wire<'tpSlRow'>> {
    const found = this.#withTpSl(account, pubkey);
    if (!found.ok) return found;
    const { tpSl } = found.value;
    if (tpSl?.state !== 'active') return refuse('not_found');
    tpSl.state = 'cancelled';
    return ok(tpSlRow(tpSl));
  }

  #withTpSl(account: number, pubkey: string): Result<PositionRecord> {
    const position = this.find(account, pubkey);
    if (position === null) return refuse('not_found');
    const { pool } = marginMarket(this.context, position.market);
    if (pool.rules.kind === 'hyperliquid') return refuse('hyperliquid_margin_tp_sl_not_supported');
    return position.end === null ? ok(position) : invalid('pubkey', 'The position is closed.');
  }

  /** Moves a position to the final records after its settlement is paid. */
  onClaim(id: number): void {
    const position = this.requireLive(id);
    position.isClaimed = true;
    this.finish(position);
  }

  override load(dump: ReturnType<Positions['dump']>): void {
    super.load(dump);
    for (const position of this.allLive()) if (position.end === null) this.#enter(position);
  }
}

/** Returns which trigger price the mark has reached, or null. The take profit comes first if both are reached. */
function triggerAt(tpSl: TpSlRecord | null, mark: number) {
  if (tpSl?.state !== 'active') return null;
  if (tpSl.takeProfit !== null && mark >= tpSl.takeProfit) return 'take_profit';
  return tpSl.stopLoss !== null && mark <= tpSl.stopLoss ? 'stop_loss' : null;
}

const makeKey = ({ account, market, isYes }: Pick<PositionRecord, 'account' | 'market' | 'isYes'>): string =>
  `${account}/${market}/${isYes ? 'yes' : 'no'}`;

function computeFill(request: RequestRecord, { pool }: MarginMarket, mark: number): Fill | null {
  const { funds, leverage } = request;
  if (funds === null) {
    const shares = must(request.shares, 'the shares of a limit request');
    return { ...limitCost(pool, shares, mark, leverage), shares, mark };
  }
  const cost = marketCost(pool, funds, leverage);
  const shares = economics.sharesFor(cost.totalLiquidity, mark, pool.rules.sharesStep);
  return shares === null || shares === 0 ? null : { ...cost, shares, mark };
}

const isTooMuch = (position: PositionRecord | null, fill: Fill): boolean =>
  (position?.shares ?? 0) + fill.shares > economics.MAX_SIZE ||
  (position?.totalLiquidity ?? 0) + fill.totalLiquidity > economics.MAX_SIZE;

/** Answer to a call that closes a margin position. */
const closeRow = (position: PositionRecord, closeType: CloseType): Wire<'closeResult'> => ({
  close_type: closeType,
  position_pubkey: position.pubkey,
  is_closed: position.end !== null,
});

/** Result of a close call: a sale was ordered (`order`), or nothing was left to sell (`zero`). */
type CloseType = (typeof CLOSE_TYPES)[number];

/** A settlement with its position in wire format. */
const settlementRow = (context: CoreContext, settlement: SettlementRecord, position: PositionRecord) => ({
  position_pubkey: settlement.pubkey,
  position: positionRow(context, position),
  total_pnl: text(settlement.totalPnl),
  user_liquidity: text(settlement.userLiquidity),
  state: settlement.state,
  created: seconds(settlement.createdMs),
});

/** Computes changed trigger prices: undefined keeps an active price, null removes it. Inactive prices are dropped. */
function pricesAfter(
  before: TpSlRecord | null,
  takeProfit: number | null | undefined,
  stopLoss: number | null | undefined,
) {
  const old = before?.state === 'active' ? before : { takeProfit: null, stopLoss: null };
  return {
    takeProfit: takeProfit === undefined ? old.takeProfit : takeProfit,
    stopLoss: stopLoss === undefined ? old.stopLoss : stopLoss,
  };
}

/** Makes the record of take profit and stop loss; without either price, its state is `cancelled`. */
const makeTpSl = ({ takeProfit, stopLoss }: ReturnType<typeof pricesAfter>): TpSlRecord => ({
  takeProfit,
  stopLoss,
  state: takeProfit === null && stopLoss === null ? 'cancelled' : 'active',
  trigger: null,
});
