/** The trader at one moment, for status lines, the control socket and telemetry. Amounts in micros. */

import { add, sub } from '../../shared/base/micros.js';
import type { MarkTrust } from '../market/venue-marks.js';
import { describeWayBack } from './control/way-back.js';
import type { MarketEntry } from './markets.js';
import { heldIn } from './own/own-state.js';
import type { QuotedOrder } from './quoting/changes.js';
import { bestOwn } from './quoting/event-view.js';
import { showTitle, type TraderState } from './state.js';

export const makeSnapshot = (state: TraderState, nowMs: number) => ({
  ...makeAccountSnapshot(state, nowMs),
  markets: Array.from(state.markets.all, (entry) => makeMarketSnapshot(state, entry, nowMs)),
});

export type Snapshot = Readonly<ReturnType<typeof makeSnapshot>>;

/** The trader as a whole. */
export function makeAccountSnapshot(state: TraderState, nowMs: number) {
  const { own, queue, settings, reconciler, modes } = state;
  const equityMicros = state.valuation.equityMicros;
  const { mode, reason } = state.mode();
  return {
    mode,
    reason,
    /** Rung of a partly used loss limit; null when that is not the reason for the mode. */
    heldBack: state.heldBack,
    /** Operator's command that leads back up from this mode; empty when none is needed. */
    wayBack: describeWayBack(state, mode),
    cashMicros: own.cashMicros,
    /** Null while a held share has no mark. */
    equityMicros,
    /** Equity minus the invested capital. */
    resultMicros: equityMicros === null ? null : sub(equityMicros, add(settings.capitalMicros, state.ledger.adopted())),
    openOrders: [...own.orders.values()].flat().length,
    /** Orders with an unknown state. */
    unknownOrders: state.executor.reservations().filter(({ kind, phase }) => kind === 'place' && phase === 'unknown')
      .length,
    /** Fills booked by this run. */
    fills: state.fills,
    /** Requests of this run that were dropped before they left. */
    unsent: state.unsent,
    budgets: { public: queue.status('public', nowMs), signed: queue.status('signed', nowMs) },
    /** Requests of this run by purpose. */
    spent: queue.listSpent(nowMs),
    /** Why only reducing orders are allowed; null when ledger and exchange agree. */
    reduceOnly: state.reduceOnly,
    /** The newest complete round; null before the first. */
    reconciled: reconciler.newest,
    /** Difference confirmed by two rounds, in a sentence; null while ledger and exchange agree. */
    disagreement: reconciler.verdict,
    /** Unresolved differences that an operator has accepted. */
    accepted: reconciler.accepted,
    /** Markets that are paused one by one. */
    pausedMarkets: state.pauses.all.map((one) => ({ ...one, title: showTitle(state, one.conditionId) })),
    /** A difference was found that the next round confirms or clears. */
    inDoubt: reconciler.isInDoubt,
    /** Why the newest round was void; null if it was not. */
    voidReason: reconciler.voidReason,
    /**
     * Nothing rests at the exchange: two complete reads after everything had settled show it, and nothing was begun
     * since.
     */
    proven: modes.proven,
    /**
     * Our clock, ms, of the newest proof after a cancel-all or stop, also if something was begun since; null until
     * then.
     */
    provenMs: modes.provenMs,
    /** Several requests in a row had no answer. */
    silent: state.silence.isSuspected,
    /** Reliability of the venue's marks in this run; null when they are not used. */
    marks: settings.polling.marks === 'auto' ? copyTrust(state.markets.markTrust) : null,
    feeds: state.feeds.snapshot(nowMs),
    /** Exchange clock minus ours, ms; null before its first answer. */
    clockOffsetMs: state.venueClock.offsetMs,
    /** Losses as the limits measure them; zero before the first valuation. */
    losses: state.guards.loss.facts,
    /** Results by UTC day of the exchange's clock; null before the first valuation. */
    days: state.guards.loss.days,
  };
}

export type AccountSnapshot = Readonly<ReturnType<typeof makeAccountSnapshot>>;

const copyTrust = ({ isBelieved, told, precision, recall }: MarkTrust) => ({ isBelieved, told, precision, recall });

function makeMarketSnapshot(state: TraderState, entry: MarketEntry, nowMs: number) {
  const { conditionId, exchangeRefusals, feed, slots } = entry;
  const orders = state.own.orders.get(conditionId) ?? NO_ORDERS;
  const best = bestOwn(orders);
  const quotes = slots[0]?.quotes;
  return {
    ...readHolding(state, entry),
    /** The strategy's last note, or the reason why nothing is quoted. */
    note:
      (orders.length === 0 ? exchangeRefusals.note : null) ??
      state.unreadMarkets.findReason(conditionId) ??
      feed.unsuitable ??
      quotes?.note ??
      'no strategy quotes it',
    fairMicros: quotes?.fairMicros ?? null,
    /** Own best resting prices, in YES space. */
    bidMicros: best.ownBidMicros,
    askMicros: best.ownAskMicros,
    openOrders: orders.length,
    bookAgeMs: feed.sight(nowMs)?.health.bookAgeMs ?? null,
    /** Distance of the venue's mark from that book beyond half a tick; 0 without a newer mark. */
    markMove: feed.motion?.markMove ?? 0,
    /** Newest feed values of its strategies, current or not. */
    feeds: state.feeds.readings(
      conditionId,
      slots.flatMap((slot) => slot.feeds),
      nowMs,
    ),
    /** Why its strategies track it without quoting; null when they quote. */
    leftOutBecause: slots[0]?.leftOutBecause ?? null,
    /** Last estimated worth of quoting it; null when it could not be estimated. */
    worth: slots[0]?.worth ?? null,
    /** Orders that the exchange rejected in a row, in a sentence; null when the newest was accepted. */
    exchangeRefusal: exchangeRefusals.describe(nowMs),
  };
}

export type MarketSnapshot = Readonly<ReturnType<typeof makeMarketSnapshot>>;

/** Fields shared by both views of a market. */
function readHolding(state: TraderState, { conditionId, slots }: MarketEntry) {
  const { yesMicros, noMicros } = heldIn(state.own, conditionId);
  return {
    conditionId,
    title: showTitle(state, conditionId),
    strategies: slots.map(({ strategy }) => strategy.name),
    yesMicros,
    noMicros,
    markMicros: state.valuation.marks.get(conditionId) ?? null,
    refusals: slots.flatMap(({ refusals }) => refusals),
  };
}

const NO_ORDERS: readonly QuotedOrder[] = [];

/**
 * Last view and quotes of each market's strategies, by reference. Telemetry reads it after a step and computes nothing
 * more.
 */
export const listFaces = (state: TraderState) =>
  Array.from(state.markets.all, (entry) => {
    const { conditionId, exchangeRefusals, feed, slots } = entry;
    const slot = slots[0];
    const orders = state.own.orders.get(conditionId) ?? NO_ORDERS;
    return {
      ...readHolding(state, entry),
      /** Last view of the first strategy; null before the first book, and without a strategy. */
      view: slot?.view ?? null,
      /** Last quotes of that strategy; null without one. */
      quotes: slot?.quotes ?? null,
      note:
        (orders.length === 0 ? exchangeRefusals.note : null) ??
        feed.unsuitable ??
        slot?.quotes.note ??
        'no strategy quotes it',
      orders,
      /** Our clock, ms; null before the first book. */
      bookSeenMs: feed.bookSeenMs,
    };
  });

export type MarketFace = Readonly<ReturnType<typeof listFaces>[number]>;

/** Used part of each limit, for display: risk has computed these figures already. */
export const readRiskUse = ({ own, guards }: TraderState, nowMs: number) => ({
  /** Currency lost if every order filled at its worst and every market resolved against us. */
  totalLossMicros: own.exposure.totalLossMicros,
  /** Worst case of each event: shares, and currency, negative where it can only gain. */
  events: own.exposure.eventKeys.map((eventKey) => ({
    /** The event's id, or the id of a market without an event. */
    eventKey,
    positionMicros: own.exposure.eventPosition(eventKey),
    lossMicros: own.exposure.eventLoss(eventKey),
  })),
  pace: guards.pace.peek(nowMs),
  /** Most fills within one window, among the newest fills. */
  fillsInWindow: guards.fills.facts.inWindow,
});

export type RiskUse = Readonly<ReturnType<typeof readRiskUse>>;
