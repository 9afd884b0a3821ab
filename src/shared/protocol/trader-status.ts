/**
 * The status of a running trader, as the trader's control socket sends it. Amounts and prices (`…Micros`) are whole
 * millionths, and prices are YES prices. Times are Unix ms of the trader's clock.
 */

import { z } from 'zod';
import type { Micros } from '../base/micros.js';

const micros = z.custom<Micros>(Number.isSafeInteger, 'expected whole millionths');
const moment = z.number();
const float = z.number();
const count = z.int();
const text = z.string();

const shape = <Fields extends z.ZodRawShape>(fields: Fields) => z.object(fields).readonly();
const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

/** Status of the trader's process. It changes only when a new run starts or a new configuration is applied. */
const processStatus = shape({
  pid: count,
  version: text,
  run: text,
  startedMs: moment,
  configFile: text,
  configHash: text,
  venue: text,
  baseUrl: text,
  capitalMicros: micros,
  limits: shape({
    maxLossDayMicros: micros,
    maxDrawdownMicros: micros,
    maxTotalCostMicros: micros,
    maxOpenOrders: count,
    maxPositionMicros: micros,
    maxBookAgeMs: count,
  }),
  /** Configuration of the trader, with the keys of its files, and with asterisks instead of secrets. */
  config: z.record(text, z.unknown()),
});

const difference = { what: text, subject: text, ledger: text, exchange: text };
const dayResult = shape({ day: text, resultMicros: micros });
const budget = shape({
  /** Number of requests per minute that the venue allows. */
  limit: float,
  /** Number of requests per minute that the trader allows itself. */
  perMinute: float,
  /** Number of requests that could be sent now; negative if more requests were sent than allowed. */
  available: float,
  /** Time when the venue's throttling ends, Unix ms; null while the venue does not throttle this scope. */
  blockedUntilMs: moment.nullable(),
});

/** Histogram of durations. `counts`: number of values per bucket; `telemetry.ts` has the buckets' upper bounds. */
const histogram = shape({ counts: list(count), sum: float });

const feed = shape({
  name: text,
  /** Number of markets for which the feed has a current value. */
  current: count,
  /** Number of values that the feed delivered in this run. */
  values: count,
  /** Age of the feed's newest value, ms; null before the first value. */
  ageMs: float.nullable(),
  /** Number of rows and lines from the feed's source that were invalid and ignored. */
  problems: count,
  trouble: text.nullable(),
});

const accountStatus = shape({
  mode: text,
  reason: text,
  /** Loss limit that determines the trader's mode; null if no loss limit determines it. */
  heldBack: shape({ rung: text, reason: text }).nullable(),
  /** Operator command that ends the trader's mode; empty if no command is needed. */
  wayBack: text,
  /** True if the exchange did not answer several consecutive requests. */
  silent: z.boolean(),
  cashMicros: micros,
  /** Equity of the account; null while there is no mark for a held share. */
  equityMicros: micros.nullable(),
  /** Result: equity minus the invested capital; null while the equity is null. */
  resultMicros: micros.nullable(),
  /** Losses of the account as its loss limits define them; negative for a gain. */
  losses: shape({ dayLossMicros: micros, drawdownMicros: micros, halted: text.nullable() }),
  days: shape({ current: dayResult, ended: dayResult.nullable() }).nullable(),
  openOrders: count,
  unknownOrders: count,
  fills: count,
  /** Requests of this run that were dropped before they were sent. */
  unsent: count,
  /** Reason why only orders that reduce positions are allowed; null if ledger and exchange agree. */
  reduceOnly: text.nullable(),
  /** The newest complete comparison of ledger and exchange; null before the first comparison. */
  reconciled: shape({ begunMs: moment, comparedMs: moment, differences: list(shape(difference)) }).nullable(),
  /** A sentence about differences that two reconciliation rounds confirmed; null without such differences. */
  disagreement: text.nullable(),
  /** Differences between ledger and exchange that an operator has accepted. */
  accepted: list(shape({ ...difference, sinceMs: moment.nullable(), reason: text })),
  /** True if a difference between ledger and exchange must be confirmed by the next reconciliation round. */
  inDoubt: z.boolean(),
  /** Reason why the newest reconciliation round is void; null if the round is valid. */
  voidReason: text.nullable(),
  /** True if two complete reads have shown no open order, and the trader has sent no order or cancel since. */
  proven: z.boolean(),
  /** Time when two reads first showed no open order after the newest cancel-all or stop; null before this proof. */
  provenMs: moment.nullable(),
  pausedMarkets: list(shape({ conditionId: text, title: text, reason: text })),
  /** The exchange's clock minus the trader's clock, ms; null before the first answer. */
  clockOffsetMs: float.nullable(),
  budgets: shape({ public: budget, signed: budget }),
  /** Measured reliability of the venue's marks; null if the trader does not use these marks. */
  marks: shape({ isBelieved: z.boolean(), told: float, precision: float, recall: float }).nullable(),
  feeds: list(feed),
  risk: shape({
    /** Currency lost if every order filled at its worst price and every market resolved against the trader. */
    totalLossMicros: micros,
    pace: shape({ lastSecond: count, lastMinute: count }),
    /** Number of fills in the fill limit's window that ends now. */
    fillsInWindow: count,
    /** Events in which the trader has shares or orders. A market without an event counts as its own event. */
    events: list(shape({ eventKey: text, positionMicros: micros, lossMicros: micros })),
  }),
  health: shape({
    steps: count,
    stepP50Ms: float,
    stepP99Ms: float,
    stepMaxMs: float,
    stepSeconds: histogram,
    requests: list(shape({ endpoint: text, answered: count, refused: count, unknown: count, seconds: histogram })),
    beatLateP99Ms: float,
    /** 1 while telemetry is sent less often than twice a second, to save time; otherwise 0. */
    brake: count,
    readers: count,
    /** Number of readers of the status stream that this run disconnected because they did not read. */
    readersCut: count,
    memoryBytes: count,
    guardian: text,
  }),
  upkeep: shape({
    /** Failure of the newest scheduled backup of the ledger; null if this backup succeeded. */
    backupFailed: shape({ at: moment, why: text }).nullable(),
    /** Reason why this run's journal ended early; null while the journal is written, or without a journal. */
    journalEnded: text.nullable(),
    hasJournal: z.boolean(),
  }),
});

/** Value from a feed as a floating-point number: a price from 0 to 1, or a standard deviation; null if not given. */
const price = z.number().nullable();
const level = z.tuple([micros, micros]).readonly();

const orderStatus = shape({
  side: z.enum(['bid', 'ask']),
  priceMicros: micros,
  remainingMicros: micros,
  phase: text,
  submittedMs: moment,
  /** Estimated number of other accounts' shares ahead of the order; null until a book shows the order's level. */
  queueAheadMicros: micros.nullable(),
});

const marketStatus = shape({
  conditionId: text,
  title: text,
  eventId: text.nullable(),
  strategies: list(text),
  /** The strategy's note on this market, or the reason why the market is not quoted. */
  note: text,
  fairMicros: micros.nullable(),
  markMicros: micros.nullable(),
  yesMicros: micros,
  noMicros: micros,
  maxPositionMicros: micros.nullable(),
  /** Time when the market's newest book arrived; null before the first book. */
  bookSeenMs: moment.nullable(),
  /** Time when the trader requested the market's newest book; null before the first book. */
  bookSentMs: moment.nullable(),
  resolvesMs: moment.nullable(),
  /** Best bid and best ask of other traders; null for a side without orders. */
  bestBidMicros: micros.nullable(),
  bestAskMicros: micros.nullable(),
  /** Best bid and best ask of the trader's own orders; null for a side without orders. */
  bidMicros: micros.nullable(),
  askMicros: micros.nullable(),
  orders: list(orderStatus),
  factors: z.record(text, float),
  health: shape({ crossed: z.boolean(), frozen: z.boolean() }).nullable(),
  /** Number of orders that risk controls refused, for each control, with the newest reason. */
  refusals: list(shape({ name: text, count, text })),
  /** A sentence about consecutive orders that the exchange refused; null if the exchange accepted the newest order. */
  exchangeRefusal: text.nullable(),
  /** Distance between the newest book's price and a newer mark of the venue, less half a tick; 0 if none is newer. */
  markMove: float,
  /** Newest values of the feeds that the market's strategies use, even if expired. */
  feeds: list(
    shape({
      name: text,
      view: shape({ p: price, bid: price, ask: price, sd: price, ageMs: float }).nullable(),
      /** Reason why the strategy does not get the feed's value; null if the strategy gets it. */
      withheld: text.nullable(),
    }),
  ),
  /** Reason why the strategies read this market but do not quote it; null if they quote it. */
  leftOutBecause: text.nullable(),
  /** Estimated value of quoting this market, currency per second, and the parts of this value; null if unknown. */
  worth: shape({
    /** Rank of the market by its value; 1 is the most valuable market. */
    place: count,
    value: shape({
      edge: float,
      stale: float,
      looks: float,
      moves: float,
      fills: float,
      reserve: float,
      currency: float,
      net: float,
      lookEveryS: float,
      movesPerS: float,
      fillsPerS: float,
      currencyBound: float,
    }),
    /** Estimated costs in currency. `look`: cost of one book read; `request`: cost of one signed request. */
    prices: shape({ look: float, request: float }),
    belief: shape({ fillRatio: float, adversePart: float }),
  }).nullable(),
  /** Book levels of other traders: price and shares, best price first; absent if no strategy reads the market. */
  bids: list(level).optional(),
  asks: list(level).optional(),
  /** Public trades, newest first: exchange time, price, shares, taker's side; absent if no strategy reads them. */
  trades: list(z.tuple([moment, micros, micros, z.enum(['buy', 'sell'])]).readonly()).optional(),
});

export const traderStatus = shape({
  nowMs: moment,
  process: processStatus,
  /** URL of the dashboard without its token; null without a dashboard. */
  dashboard: text.nullable(),
  /** Number of drafts that the signer refused, in all runs of this ledger. */
  signingRefused: count,
  account: accountStatus,
  markets: list(marketStatus),
});

/** Answer of the control socket to the request `status`. */
export type TraderStatus = z.output<typeof traderStatus>;
/** Identity, limits and configuration of the trader's process. */
export type ProcessStatus = z.output<typeof processStatus>;
/** Status of the trader's account: figures over all markets. */
export type AccountStatus = z.output<typeof accountStatus>;
/** Status of one market of the trader. */
export type MarketStatus = z.output<typeof marketStatus>;
/** Status of one scope's request budget. */
export type BudgetStatus = z.output<typeof budget>;

/** Note on a market whose strategy is outside its quote hours. */
export const OUTSIDE_HOURS = 'the strategy is outside its quote hours';

/** Returns `quoting`, or the reason why the market is not quoted. */
export const describeQuoting = ({ orders, fairMicros, note }: MarketStatus): string =>
  orders.length > 0 && fairMicros !== null ? 'quoting' : note;

/** One line of the status stream, which the control request `subscribe` starts. */
export const statusLine = z.discriminatedUnion('type', [
  /** First line of the status stream. The stream repeats this line after each change of the configuration. */
  z.object({ type: z.literal('hello'), process: processStatus }),
  z.object({
    type: z.literal('frame'),
    time: moment,
    account: accountStatus,
    /** Status of each market that changed since the stream's previous frame. */
    markets: list(marketStatus),
    /** Condition ids of all markets that the trader now follows. Readers delete markets that are not listed. */
    known: list(text),
  }),
  z.object({
    type: z.literal('notice'),
    time: moment,
    severity: z.enum(['info', 'loud']),
    kind: text,
    text,
  }),
  /** The end of a run; a proven end may follow an unproven one. `proven`: two reads showed no open order. */
  z.object({ type: z.literal('bye'), time: moment, reason: text, proven: z.boolean() }),
]);
/** Any line of the trader's status stream. */
export type StatusLine = Readonly<z.output<typeof statusLine>>;
/** Line of the status stream whose field `type` is `Type`. */
export type StatusLineOf<Type extends StatusLine['type']> = Extract<StatusLine, { readonly type: Type }>;
