/**
 * The state of a running trader: the one model that its process fills, its control socket serves and every reader formats.
 * Amounts and prices are whole millionths (`…Micros`, prices in YES space), moments are Unix ms of the trader's clock.
 */

import { z } from 'zod';
import type { Micros } from '../base/micros.js';

const micros = z.custom<Micros>(Number.isSafeInteger, 'expected whole millionths');
const moment = z.number();
/** Seconds, ratios and currency rates of estimators. */
const float = z.number();
const count = z.int();
const text = z.string();

const shape = <Fields extends z.ZodRawShape>(fields: Fields) => z.object(fields).readonly();
const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

/** The process and the configuration in force; it changes with a new run or another configuration. */
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
  /** Bounds of figures of the account. */
  limits: shape({
    maxLossDayMicros: micros,
    maxDrawdownMicros: micros,
    maxTotalCostMicros: micros,
    maxOpenOrders: count,
    maxPositionMicros: micros,
    maxBookAgeMs: count,
  }),
  /** Configuration in the spelling of the files; secrets are stars. */
  config: z.record(text, z.unknown()),
});

const difference = { what: text, subject: text, ledger: text, exchange: text };
const dayResult = shape({ day: text, resultMicros: micros });
const budget = shape({
  /** Requests a minute that the venue allows. */
  limit: float,
  /** Requests a minute that the trader allows itself. */
  perMinute: float,
  /** Requests that could leave now; below zero while more have left than are allowed. */
  available: float,
  /** End of the throttling, Unix ms; null while the scope is not throttled. */
  blockedUntilMs: moment.nullable(),
});

/** Counts of values between the bounds of `histogram.ts`; the last count is above all bounds. */
const histogram = shape({ counts: list(count), sum: float });

const feed = shape({
  name: text,
  /** Markets with a current value. */
  current: count,
  /** Number of values in this run. */
  values: count,
  /** Age of the newest value, ms; null before the first. */
  ageMs: float.nullable(),
  /** Rows and lines of the source that were left out. */
  problems: count,
  trouble: text.nullable(),
});

const accountStatus = shape({
  mode: text,
  reason: text,
  /** Loss limit whose used part determines the trader's mode; null for another reason. */
  heldBack: shape({ rung: text, reason: text }).nullable(),
  /** Operator's command that leads back up from this mode; empty when none is needed. */
  wayBack: text,
  /** The exchange has not answered some requests in a row. */
  silent: z.boolean(),
  cashMicros: micros,
  /** Null while a held share has no mark. */
  equityMicros: micros.nullable(),
  /** Equity minus the invested capital. */
  resultMicros: micros.nullable(),
  /** Losses by the definition of the limits; negative for a gain. */
  losses: shape({ dayLossMicros: micros, drawdownMicros: micros, halted: text.nullable() }),
  days: shape({ current: dayResult, ended: dayResult.nullable() }).nullable(),
  openOrders: count,
  unknownOrders: count,
  fills: count,
  /** Requests of this run that were dropped before they were sent. */
  unsent: count,
  /** Why only reducing orders are allowed; null when ledger and exchange agree. */
  reduceOnly: text.nullable(),
  /** The newest complete comparison of ledger and exchange; null before the first. */
  reconciled: shape({ begunMs: moment, comparedMs: moment, differences: list(shape(difference)) }).nullable(),
  /** Differences that two rounds have found, in a sentence; null while there are none. */
  disagreement: text.nullable(),
  /** Differences that an operator has accepted. */
  accepted: list(shape({ ...difference, sinceMs: moment.nullable(), reason: text })),
  /** A difference was found that the next round confirms or clears. */
  inDoubt: z.boolean(),
  /** Reason of a void newest round; null for a valid round. */
  voidReason: text.nullable(),
  /** Two complete reads after everything was settled showed no resting order, and nothing has begun since. */
  proven: z.boolean(),
  /** Time of the newest proven cancel-all or stop; null until the proof. Later requests do not change the time. */
  provenMs: moment.nullable(),
  /** Markets that are paused alone. */
  pausedMarkets: list(shape({ conditionId: text, title: text, reason: text })),
  /** The exchange's clock minus the trader's; null before its first answer. */
  clockOffsetMs: float.nullable(),
  budgets: shape({ public: budget, signed: budget }),
  /** Observed reliability of the venue's marks; null if marks are not used. */
  marks: shape({ isBelieved: z.boolean(), told: float, precision: float, recall: float }).nullable(),
  feeds: list(feed),
  risk: shape({
    /** Currency lost if everything filled at its worst and every market resolved against the trader. */
    totalLossMicros: micros,
    pace: shape({ lastSecond: count, lastMinute: count }),
    /** Most fills within one window, among the newest fills. */
    fillsInWindow: count,
    /** Events with holdings or orders; a market without an event is its own. */
    events: list(shape({ eventKey: text, positionMicros: micros, lossMicros: micros })),
  }),
  health: shape({
    steps: count,
    /** Covers the newest steps, ms. */
    stepP50Ms: float,
    stepP99Ms: float,
    stepMaxMs: float,
    stepSeconds: histogram,
    requests: list(shape({ endpoint: text, answered: count, refused: count, unknown: count, seconds: histogram })),
    beatLateP99Ms: float,
    /** Level of the brake (`Brake`). 0: telemetry is complete; higher levels save the trader's time. */
    brake: count,
    readers: count,
    /** Readers of this run that were disconnected because they did not read. */
    readersCut: count,
    memoryBytes: count,
    guardian: text,
  }),
  upkeep: shape({
    /** The newest scheduled backup of the ledger, if it failed; null otherwise. */
    backupFailed: shape({ at: moment, why: text }).nullable(),
    /** Why the journal of this run has ended; null while it is written, and where none is wanted. */
    journalEnded: text.nullable(),
    hasJournal: z.boolean(),
  }),
});

/** Price of a feed: a float from 0 to 1, or a deviation. */
const price = z.number().nullable();
const level = z.tuple([micros, micros]).readonly();

const orderStatus = shape({
  side: z.enum(['bid', 'ask']),
  priceMicros: micros,
  remainingMicros: micros,
  phase: text,
  submittedMs: moment,
  /** Estimated shares of others ahead of it; null before a book with its level. */
  queueAheadMicros: micros.nullable(),
});

const marketStatus = shape({
  conditionId: text,
  title: text,
  eventId: text.nullable(),
  strategies: list(text),
  /** Message of its strategy, or why nothing is quoted. */
  note: text,
  fairMicros: micros.nullable(),
  markMicros: micros.nullable(),
  yesMicros: micros,
  noMicros: micros,
  maxPositionMicros: micros.nullable(),
  /** Time of the newest book; null before the first. */
  bookSeenMs: moment.nullable(),
  /** Request time of the newest book in use for orders; null before the first book. */
  bookSentMs: moment.nullable(),
  resolvesMs: moment.nullable(),
  /** Best prices of other traders. */
  bestBidMicros: micros.nullable(),
  bestAskMicros: micros.nullable(),
  /** Own best prices. */
  bidMicros: micros.nullable(),
  askMicros: micros.nullable(),
  orders: list(orderStatus),
  factors: z.record(text, float),
  health: shape({ crossed: z.boolean(), frozen: z.boolean() }).nullable(),
  /** Orders that controls refused, by control, with the newest reason. */
  refusals: list(shape({ name: text, count, text })),
  /** Orders that the exchange refuses one after another, in a sentence; null where it took the newest. */
  exchangeRefusal: text.nullable(),
  /** Distance of the venue's mark from the newest book, beyond half a tick; 0 without a mark after the book. */
  markMove: float,
  /** Newest values of the feeds of its strategies, current or not. */
  feeds: list(
    shape({
      name: text,
      view: shape({ p: price, bid: price, ask: price, sd: price, ageMs: float }).nullable(),
      /** Reason why the strategy does not get the value; null if the strategy gets it. */
      withheld: text.nullable(),
    }),
  ),
  /** Why its strategies read it without quoting it; null where they quote it. */
  leftOutBecause: text.nullable(),
  /** Worth of quoting it, currency per second, in its terms; null where it is not known. */
  worth: shape({
    /** 1 for the most valuable. */
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
    /** Currency for a look, and for a signed request. */
    prices: shape({ look: float, request: float }),
    belief: shape({ fillRatio: float, adversePart: float }),
  }).nullable(),
  /** The others' best levels, best first, price and shares; absent while telemetry is braked. */
  bids: list(level).optional(),
  asks: list(level).optional(),
  /** Newest public trades, newest first: exchange time, price, shares, taker's side; absent if braked. */
  trades: list(z.tuple([moment, micros, micros, z.enum(['buy', 'sell'])]).readonly()).optional(),
});

export const traderStatus = shape({
  nowMs: moment,
  process: processStatus,
  /** Address of the page, without its token; null without a page. */
  dashboard: text.nullable(),
  /** Number of refused signatures over all runs of this ledger. */
  signingRefused: count,
  account: accountStatus,
  markets: list(marketStatus),
});

/** Answer of the control socket to `status`. */
export type TraderStatus = z.output<typeof traderStatus>;
/** Identity, limits and configuration of the trader's process. */
export type ProcessStatus = z.output<typeof processStatus>;
/** Figures of the trader as a whole. */
export type AccountStatus = z.output<typeof accountStatus>;
/** Status figures of one market. */
export type MarketStatus = z.output<typeof marketStatus>;
/** Status of one scope's request budget. */
export type BudgetStatus = z.output<typeof budget>;

/** Returns `quoting`, or the reason why the market is not quoted. */
export const describeQuoting = ({ orders, fairMicros, note }: MarketStatus): string =>
  orders.length > 0 && fairMicros !== null ? 'quoting' : note;

const LINES = [
  /** The first line of a connection, and again with another configuration. */
  z.object({ type: z.literal('hello'), process: processStatus }),
  z.object({
    type: z.literal('frame'),
    time: moment,
    account: accountStatus,
    /** Markets with changes since their newest line. */
    markets: list(marketStatus),
    /** All markets that the trader looks at. Others are over. */
    known: list(text),
  }),
  /** A message for the operator. */
  z.object({
    type: z.literal('notice'),
    time: moment,
    severity: z.enum(['info', 'loud']),
    kind: text,
    text,
  }),
  /** The last line of a run. `proven`: two reads have proven that no order rests. */
  z.object({ type: z.literal('bye'), time: moment, reason: text, proven: z.boolean() }),
] as const;

/** One line of the stream that `subscribe` starts. */
export const statusLine = z.discriminatedUnion('type', LINES);
/** Any line of the status stream. */
export type StatusLine = Readonly<z.output<typeof statusLine>>;
/** Line of one type in the stream. */
export type StatusLineOf<Type extends StatusLine['type']> = Extract<StatusLine, { readonly type: Type }>;
