/** The trader at one moment, for status lines and the control socket. Amounts in Micros. */

import { add, type Micros, maxMicros, minMicros, sub } from '../../shared/base/micros.js';
import type { MarkTrust } from '../market/venue-marks.js';
import type { AcceptedDifference } from '../reconcile/agreement.js';
import type { ComparedRound } from '../reconcile/reconciler.js';
import type { DayResults, LossFacts } from '../risk/loss-guard.js';
import type { BudgetStatus } from '../scheduler/contract.js';
import type { PurposeUse } from '../scheduler/purposes.js';
import type { HeldBack, Mode } from './control/modes.js';
import { describeWayBack } from './control/way-back.js';
import type { FeedReading, FeedSnapshot } from './feeds.js';
import { heldIn } from './own/own-state.js';
import type { Worth } from './selection/contract.js';
import { showTitle, type TraderState } from './state.js';

/** The trader as a whole. */
export interface AccountSnapshot {
  readonly mode: Mode;
  readonly reason: string;
  /** Where a part of a loss limit holds it back; null when that is not why it is in its mode. */
  readonly heldBack: HeldBack | null;
  /** The operator's command that leads back up from this mode; empty when none is needed. */
  readonly wayBack: string;
  readonly cashMicros: Micros;
  /** Null while a holding has no mark. */
  readonly equityMicros: Micros | null;
  /** Equity minus the capital put in. */
  readonly resultMicros: Micros | null;
  readonly openOrders: number;
  /** Orders of which nothing is known right now. */
  readonly unknownOrders: number;
  /** Fills booked by this run. */
  readonly fills: number;
  /** Asks of this run that were given up before they left. */
  readonly unsent: number;
  readonly budgets: { readonly public: BudgetStatus; readonly signed: BudgetStatus };
  /** What requests of this run were spent on. */
  readonly spent: readonly PurposeUse[];
  /** Why only reducing orders may leave; null when ledger and exchange agree. */
  readonly reduceOnly: string | null;
  /** The newest complete round; null before the first. */
  readonly reconciled: ComparedRound | null;
  /** What two rounds have found to differ, in a sentence; null while ledger and exchange agree. */
  readonly disagreement: string | null;
  /** Differences that an operator has accepted and nothing has resolved. */
  readonly accepted: readonly AcceptedDifference[];
  /** Markets that are paused alone. */
  readonly pausedMarkets: readonly { readonly conditionId: string; readonly title: string; readonly reason: string }[];
  /** A difference was seen that only another round can confirm or clear. */
  readonly inDoubt: boolean;
  /** Why the newest round was void; null when it was not. */
  readonly voidReason: string | null;
  /** Nothing rests at the exchange: shown by two complete reads after everything was settled, and nothing begun since. */
  readonly proven: boolean;
  /** Our clock, ms, when the newest cancel-all or stop was proven, whatever was begun since; null until it is. */
  readonly provenMs: number | null;
  /** The exchange has not answered for some requests in a row. */
  readonly silent: boolean;
  /** What looks have shown of the venue's marks in this run; null where they are not to be used. */
  readonly marks: MarksLearned | null;
  readonly feeds: readonly FeedSnapshot[];
  /** The exchange's clock minus ours, ms; null before its first answer. */
  readonly clockOffsetMs: number | null;
  /** Losses as the limits measure them; zero before the first valuation. */
  readonly losses: LossFacts;
  /** Results by UTC day of the exchange's clock; null before the first valuation. */
  readonly days: DayResults | null;
}

/** As `MarkTrust`. */
export interface MarksLearned {
  readonly isBelieved: boolean;
  readonly told: number;
  readonly precision: number;
  readonly recall: number;
}

export interface Snapshot extends AccountSnapshot {
  readonly markets: readonly MarketSnapshot[];
}

export interface MarketSnapshot {
  readonly conditionId: string;
  readonly title: string;
  readonly strategies: readonly string[];
  /** What its strategy last said, or why nothing is quoted. */
  readonly note: string;
  readonly fairMicros: Micros | null;
  /** Our best resting prices, in YES space. */
  readonly bidMicros: Micros | null;
  readonly askMicros: Micros | null;
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
  readonly markMicros: Micros | null;
  readonly openOrders: number;
  readonly bookAgeMs: number | null;
  /** How far the venue's mark lies from that book, beyond half a tick; 0 where none came after it. */
  readonly markMove: number;
  /** What the feeds of its strategies last said of it, current or not. */
  readonly feeds: readonly FeedReading[];
  /** Why its strategies look at it and do not quote it; null where they do. */
  readonly leftOutBecause: string | null;
  /** What quoting it was last reckoned to be worth; null where it could not be. */
  readonly worth: Worth | null;
  /** Orders there that the exchange refuses one after another, in a sentence; null where the newest was taken. */
  readonly exchangeRefusal: string | null;
  readonly refusals: readonly { readonly name: string; readonly count: number; readonly text: string }[];
}

export const makeSnapshot = (state: TraderState, nowMs: number): Snapshot => ({
  ...makeAccountSnapshot(state, nowMs),
  markets: Array.from(state.markets.all, ({ conditionId }) => marketSnapshot(state, conditionId, nowMs)),
});

export function makeAccountSnapshot(state: TraderState, nowMs: number): AccountSnapshot {
  const { own, queue, settings } = state;
  const equityMicros = state.valuation.equityMicros;
  const orders = [...own.orders.values()].flat();
  const { mode, reason } = state.mode();
  return {
    mode,
    reason,
    heldBack: state.heldBack,
    wayBack: describeWayBack(state, mode),
    cashMicros: own.cashMicros,
    equityMicros,
    resultMicros: equityMicros === null ? null : sub(equityMicros, add(settings.capitalMicros, state.ledger.adopted())),
    openOrders: orders.length,
    unknownOrders: state.executor.reservations().filter(({ kind, phase }) => kind === 'place' && phase === 'unknown')
      .length,
    fills: state.fills,
    unsent: state.unsent,
    budgets: { public: queue.status('public', nowMs), signed: queue.status('signed', nowMs) },
    spent: queue.listSpent(nowMs),
    reduceOnly: state.reduceOnly,
    reconciled: state.reconciler.newest,
    disagreement: state.reconciler.verdict,
    accepted: state.reconciler.accepted,
    pausedMarkets: state.pauses.all.map((one) => ({ ...one, title: showTitle(state, one.conditionId) })),
    inDoubt: state.reconciler.isInDoubt,
    voidReason: state.reconciler.voidReason,
    proven: state.modes.proven,
    provenMs: state.modes.provenMs,
    silent: state.silence.isSuspected,
    marks: settings.polling.marks === 'auto' ? readLearned(state.markets.markTrust) : null,
    feeds: state.feeds.snapshot(nowMs),
    clockOffsetMs: state.venueClock.offsetMs,
    losses: state.guards.loss.facts,
    days: state.guards.loss.days,
  };
}

const readLearned = ({ isBelieved, told, precision, recall }: MarkTrust): MarksLearned => ({
  isBelieved,
  told,
  precision,
  recall,
});

function marketSnapshot(state: TraderState, conditionId: string, nowMs: number): MarketSnapshot {
  const entry = state.track(conditionId);
  const orders = state.own.orders.get(conditionId) ?? [];
  const bids = orders.filter(({ side }) => side === 'bid').map(({ priceMicros }) => priceMicros);
  const asks = orders.filter(({ side }) => side === 'ask').map(({ priceMicros }) => priceMicros);
  const { yesMicros, noMicros } = heldIn(state.own, conditionId);
  const quotes = entry.slots[0]?.quotes;
  const sight = entry.feed.sight(nowMs);
  return {
    conditionId,
    title: showTitle(state, conditionId),
    strategies: entry.slots.map((slot) => slot.strategy.name),
    note:
      (orders.length === 0 ? entry.exchangeRefusals.note : null) ??
      state.unreadMarkets.findReason(conditionId) ??
      entry.feed.unsuitable ??
      quotes?.note ??
      'no strategy quotes it',
    fairMicros: quotes?.fairMicros ?? null,
    bidMicros: bids.length === 0 ? null : bids.reduce(maxMicros),
    askMicros: asks.length === 0 ? null : asks.reduce(minMicros),
    yesMicros,
    noMicros,
    markMicros: state.valuation.marks.get(conditionId) ?? null,
    openOrders: orders.length,
    bookAgeMs: sight === null ? null : sight.health.bookAgeMs,
    markMove: entry.feed.motion?.markMove ?? 0,
    feeds: state.feeds.readings(
      conditionId,
      entry.slots.flatMap((slot) => slot.feeds),
      nowMs,
    ),
    leftOutBecause: entry.slots[0]?.leftOutBecause ?? null,
    worth: entry.slots[0]?.worth ?? null,
    exchangeRefusal: entry.exchangeRefusals.describe(nowMs),
    refusals: entry.slots.flatMap((slot) => slot.refusals),
  };
}
