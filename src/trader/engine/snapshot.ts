/** The trader's state at one moment, for status lines, the control socket and telemetry. Amounts in micros. */

import { add, sub } from '../../shared/base/micros.js';
import type { AccountStatus, MarketStatus } from '../../shared/protocol/trader-status.js';
import type { BookLevel, MarketView } from '../market/view.js';
import { describeWayBack, type Safety } from './control/safety.js';
import type { MarketEntry } from './markets.js';
import { showTitle } from './notices.js';
import type { Account } from './own/account.js';
import { heldIn } from './own/own-state.js';
import type { QuotedOrder } from './quoting/changes.js';
import { bestOwn } from './quoting/event-turns.js';
import type { TraderState } from './state.js';

export const makeSnapshot = (state: TraderState, nowMs: number) => ({
  ...makeAccountSnapshot(state, nowMs),
  markets: Array.from(state.markets.all, (entry) => makeMarketStatus(state, entry, nowMs)),
});

export type TraderSnapshot = Readonly<ReturnType<typeof makeSnapshot>>;

/** Returns the state of the trader without its markets; `AccountStatus` describes the fields. */
export function makeAccountSnapshot(state: TraderState, nowMs: number) {
  const { account, requests, settings, reconciler, safety } = state;
  const { own } = account;
  const { equityMicros } = account.valuation;
  const { mode, reason } = safety.mode();
  const { isBelieved, told, precision, recall } = state.markets.markTrust;
  return {
    mode,
    reason,
    heldBack: safety.heldBack,
    wayBack: describeWayBack(safety, reconciler, mode),
    cashMicros: own.cashMicros,
    equityMicros,
    resultMicros: equityMicros === null ? null : sub(equityMicros, add(settings.capitalMicros, state.ledger.adopted())),
    openOrders: [...own.orders.values()].flat().length,
    unknownOrders: state.executor.reservations().filter(({ kind, phase }) => kind === 'place' && phase === 'unknown')
      .length,
    fills: account.fills,
    unsent: requests.unsent,
    budgets: { public: requests.queue.status('public', nowMs), signed: requests.queue.status('signed', nowMs) },
    reduceOnly: safety.reduceOnly,
    reconciled: reconciler.newest,
    disagreement: reconciler.verdict,
    accepted: reconciler.accepted,
    pausedMarkets: safety.pauses.all.map((one) => ({ ...one, title: showTitle(state.markets, one.conditionId) })),
    inDoubt: reconciler.isInDoubt,
    voidReason: reconciler.voidReason,
    proven: safety.modes.proven,
    provenMs: safety.modes.provenMs,
    silent: safety.silence.isSuspected,
    marks: settings.polling.marks === 'auto' ? { isBelieved, told, precision, recall } : null,
    feeds: state.feeds.snapshot(nowMs),
    clockOffsetMs: state.clock.venue.offsetMs,
    losses: safety.guards.loss.facts,
    days: safety.guards.loss.guard?.days ?? null,
  };
}

export type AccountSnapshot = Readonly<ReturnType<typeof makeAccountSnapshot>>;

/** Maximum numbers of book levels per side and of public trades in a market's status. */
const LADDER_LEVELS = 10;
const TAPE_TRADES = 20;
const NO_ORDERS: readonly QuotedOrder[] = [];

function makeMarketStatus(state: TraderState, entry: MarketEntry, nowMs: number): MarketStatus {
  const { conditionId, exchangeRefusals, feed, saleRefusals, slots } = entry;
  const { yesMicros, noMicros } = heldIn(state.account.own, conditionId);
  const orders = state.account.own.orders.get(conditionId) ?? NO_ORDERS;
  const best = bestOwn(orders);
  const bookAgeMs = feed.sight(nowMs)?.health.bookAgeMs ?? null;
  const { view = null, quotes, leftOutBecause = null, worth = null } = findShownSlot(entry) ?? {};
  const feeds = slots.flatMap((slot) => slot.feeds);
  return {
    conditionId,
    title: showTitle(state.markets, conditionId),
    strategies: slots.map(({ strategy }) => strategy.name),
    eventId: view?.market.eventConditionId ?? null,
    note: noteOf(state.safety, entry, orders),
    fairMicros: quotes?.fairMicros ?? null,
    markMicros: state.account.valuation.marks.get(conditionId) ?? null,
    yesMicros,
    noMicros,
    maxPositionMicros: view?.inventory.maxPositionMicros ?? null,
    bookSeenMs: feed.bookSeenMs,
    bookSentMs: bookAgeMs === null ? null : nowMs - bookAgeMs,
    resolvesMs: view?.market.resolutionTimeMs ?? null,
    bestBidMicros: view?.others?.bids[0]?.priceMicros ?? null,
    bestAskMicros: view?.others?.asks[0]?.priceMicros ?? null,
    bidMicros: best.ownBidMicros,
    askMicros: best.ownAskMicros,
    orders: orders.map(({ intentId, side, priceMicros, remainingMicros, phase, submittedMs }) => ({
      side,
      priceMicros,
      remainingMicros,
      phase,
      submittedMs,
      queueAheadMicros: view?.orders.find((shown) => shown.intentId === intentId)?.queueAheadMicros ?? null,
    })),
    factors: quotes?.factors ?? {},
    health: view === null ? null : { crossed: view.health.crossed, frozen: view.health.frozen },
    refusals: [saleRefusals, ...slots.map(({ refusals }) => refusals)].flatMap((one) => [...one.values()]),
    exchangeRefusal: exchangeRefusals.describe(nowMs),
    markMove: feed.motion?.markMove ?? 0,
    feeds: state.feeds.readings(conditionId, feeds, nowMs),
    leftOutBecause: slots.some((slot) => slot.leftOutBecause === null) ? null : leftOutBecause,
    worth,
  };
}

/** Returns the slot that represents the market: the first slot with a fair price, else the first slot. */
const findShownSlot = ({ slots }: MarketEntry) => slots.find(({ quotes }) => quotes.fairMicros !== null) ?? slots[0];

const noteOf = ({ unreadMarkets }: Safety, entry: MarketEntry, orders: readonly QuotedOrder[]): string =>
  (orders.length === 0 ? entry.exchangeRefusals.note : null) ??
  unreadMarkets.findReason(entry.conditionId) ??
  entry.feed.unsuitable ??
  findShownSlot(entry)?.quotes.note ??
  'no strategy quotes the market';

function listDepth({ others, trades }: MarketView): Pick<MarketStatus, 'bids' | 'asks' | 'trades'> {
  const listLevels = (levels: readonly BookLevel[]) =>
    levels.slice(0, LADDER_LEVELS).map(({ priceMicros, amountMicros }) => [priceMicros, amountMicros] as const);
  return {
    ...(others === null ? null : { bids: listLevels(others.bids), asks: listLevels(others.asks) }),
    trades: trades
      .slice(0, TAPE_TRADES)
      .map(({ venueTimeMs, priceMicros, amountMicros, taker }) => [venueTimeMs, priceMicros, amountMicros, taker]),
  };
}

/** A market for telemetry. Telemetry calls `makeStatus` only if a source has changed. */
export interface WatchedMarket {
  readonly conditionId: string;
  /** Values from which the market's status is made; telemetry compares them by reference. */
  readonly sources: readonly unknown[];
  /** Returns the market's status, with other accounts' levels and public trades if a strategy has a view. */
  makeStatus(): MarketStatus;
}

export const watchMarkets = (state: TraderState, nowMs: number): readonly WatchedMarket[] =>
  Array.from(state.markets.all, (entry) => {
    const { conditionId, feed } = entry;
    const { own, valuation } = state.account;
    const { yesMicros, noMicros } = heldIn(own, conditionId);
    const orders = own.orders.get(conditionId) ?? NO_ORDERS;
    const { view, quotes, worth } = findShownSlot(entry) ?? {};
    const read = [feed.bookSeenMs, valuation.marks.get(conditionId)];
    return {
      conditionId,
      sources: [view, quotes, worth, orders, yesMicros, noMicros, ...read, noteOf(state.safety, entry, orders)],
      makeStatus: () => ({ ...makeMarketStatus(state, entry, nowMs), ...(view && listDepth(view)) }),
    };
  });

export const readRiskUse = (
  { own }: Account,
  { guards }: Safety,
  nowMs: number,
  exchangeMs: number,
): AccountStatus['risk'] => ({
  totalLossMicros: own.exposure.totalLossMicros,
  events: own.exposure.eventKeys.map((eventKey) => ({
    eventKey,
    positionMicros: own.exposure.eventPosition(eventKey),
    lossMicros: own.exposure.eventLoss(eventKey),
  })),
  pace: guards.pace.facts(nowMs),
  fillsInWindow: guards.fillsInWindow(exchangeMs),
});
