/** The trader at one moment, for status lines, the control socket and telemetry. Amounts in Micros. */

import { add, sub } from '../../shared/base/micros.js';
import type { MarkTrust } from '../market/venue-marks.js';
import { describeWayBack } from './control/way-back.js';
import type { MarketEntry } from './markets.js';
import { heldIn } from './own/own-state.js';
import type { QuotedOrder } from './quoting/changes.js';
import { bestOwn } from './quoting/event-turns.js';
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
    /** Where a part of a loss limit holds it back; null when that is not why it is in its mode. */
    heldBack: state.heldBack,
    /** The operator's command that leads back up from this mode; empty when none is needed. */
    wayBack: describeWayBack(state, mode),
    cashMicros: own.cashMicros,
    /** Null while a holding has no mark. */
    equityMicros,
    /** Equity minus the capital put in. */
    resultMicros: equityMicros === null ? null : sub(equityMicros, add(settings.capitalMicros, state.ledger.adopted())),
    openOrders: [...own.orders.values()].flat().length,
    /** Orders of which nothing is known right now. */
    unknownOrders: state.executor.reservations().filter(({ kind, phase }) => kind === 'place' && phase === 'unknown')
      .length,
    /** Fills booked by this run. */
    fills: state.fills,
    /** Asks of this run that were given up before they left. */
    unsent: state.unsent,
    budgets: { public: queue.status('public', nowMs), signed: queue.status('signed', nowMs) },
    /** What requests of this run were spent on. */
    spent: queue.listSpent(nowMs),
    /** Why only reducing orders may leave; null when ledger and exchange agree. */
    reduceOnly: state.reduceOnly,
    /** The newest complete round; null before the first. */
    reconciled: reconciler.newest,
    /** What two rounds have found to differ, in a sentence; null while ledger and exchange agree. */
    disagreement: reconciler.verdict,
    /** Differences that an operator has accepted and nothing has resolved. */
    accepted: reconciler.accepted,
    /** Markets that are paused alone. */
    pausedMarkets: state.pauses.all.map((one) => ({ ...one, title: showTitle(state, one.conditionId) })),
    /** A difference was seen that only another round can confirm or clear. */
    inDoubt: reconciler.isInDoubt,
    /** Why the newest round was void; null when it was not. */
    voidReason: reconciler.voidReason,
    /** Nothing rests at the exchange: shown by two complete reads after everything was settled, and nothing begun since. */
    proven: modes.proven,
    /** Our clock, ms, when the newest cancel-all or stop was proven, whatever was begun since; null until it is. */
    provenMs: modes.provenMs,
    /** The exchange has not answered for some requests in a row. */
    silent: state.silence.isSuspected,
    /** What looks have shown of the venue's marks in this run; null where they are not to be used. */
    marks: settings.polling.marks === 'auto' ? copyTrust(state.markets.markTrust) : null,
    feeds: state.feeds.snapshot(nowMs),
    /** The exchange's clock minus ours, ms; null before its first answer. */
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
    /** What its strategy last said, or why nothing is quoted. */
    note:
      (orders.length === 0 ? exchangeRefusals.note : null) ??
      state.unreadMarkets.findReason(conditionId) ??
      feed.unsuitable ??
      quotes?.note ??
      'no strategy quotes it',
    fairMicros: quotes?.fairMicros ?? null,
    /** Our best resting prices, in YES space. */
    bidMicros: best.ownBidMicros,
    askMicros: best.ownAskMicros,
    openOrders: orders.length,
    bookAgeMs: feed.sight(nowMs)?.health.bookAgeMs ?? null,
    /** How far the venue's mark lies from that book, beyond half a tick; 0 where none came after it. */
    markMove: feed.motion?.markMove ?? 0,
    /** What the feeds of its strategies last said of it, current or not. */
    feeds: state.feeds.readings(
      conditionId,
      slots.flatMap((slot) => slot.feeds),
      nowMs,
    ),
    /** Why its strategies look at it and do not quote it; null where they do. */
    leftOutBecause: slots[0]?.leftOutBecause ?? null,
    /** What quoting it was last reckoned to be worth; null where it could not be. */
    worth: slots[0]?.worth ?? null,
    /** Orders there that the exchange refuses one after another, in a sentence; null where the newest was taken. */
    exchangeRefusal: exchangeRefusals.describe(nowMs),
  };
}

export type MarketSnapshot = Readonly<ReturnType<typeof makeMarketSnapshot>>;

/** What both looks at a market show. */
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
 * What each market's strategies were last shown and what they made of it, by reference: telemetry takes it after a step, and
 * nothing is computed for it that the step has not computed.
 */
export const listFaces = (state: TraderState) =>
  Array.from(state.markets.all, (entry) => {
    const { conditionId, exchangeRefusals, feed, slots } = entry;
    const slot = slots[0];
    const orders = state.own.orders.get(conditionId) ?? NO_ORDERS;
    return {
      ...readHolding(state, entry),
      /** What the first of its strategies was last shown; null before the first book, and where none quotes it. */
      view: slot?.view ?? null,
      /** What that strategy last wanted; null where none quotes it. */
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

/** How much of the limits is used now, for whoever shows it: figures that risk has counted anyway. */
export const readRiskUse = ({ own, guards }: TraderState, nowMs: number) => ({
  /** Currency lost if everything filled at its worst and every market resolved against us. */
  totalLossMicros: own.exposure.totalLossMicros,
  /** The worst that each event can come to: shares, and currency, below zero where it can only gain. */
  events: own.exposure.eventKeys.map((eventKey) => ({
    /** The event's id, or the id of a market without an event. */
    eventKey,
    positionMicros: own.exposure.eventPosition(eventKey),
    lossMicros: own.exposure.eventLoss(eventKey),
  })),
  pace: guards.pace.peek(nowMs),
  /** Fills in the fullest window among the newest fills. */
  fillsInWindow: guards.fills.facts.inWindow,
});

export type RiskUse = Readonly<ReturnType<typeof readRiskUse>>;
