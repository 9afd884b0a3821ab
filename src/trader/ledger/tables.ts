/** The ledger's tables. Amounts and prices are Micros; `…Ms` are times of our clock, ms; `…S`, exchange times, s. */

import { must } from '../../shared/base/errors.js';
import { type Micros, micros } from '../../shared/base/micros.js';
import type { DraftTerms } from '../../shared/protocol/drafts/draft-text.js';
import { type MarketState, type OrderStatus, SIDES } from '../../shared/protocol/states.js';
import { type Column, LedgerTable, type SqlValue } from './table.js';

type RecordOf<T> = T extends LedgerTable<infer Row> ? { readonly [Field in keyof Row]: Row[Field] } : never;

/** Declares a column whose values are stored unchanged. STRICT tables reject values of other types. */
const plain =
  <V extends SqlValue>(sql: string) =>
  (name: string, more = ''): Column<V> => ({
    name,
    sql: more === '' ? sql : `${sql} ${more}`,
    read: (stored) => stored as V,
    write: (value) => value,
  });

const among = (name: string, values: readonly string[]): string => `CHECK (${name} IN (${values.join(', ')}))`;
const quoted = (values: readonly string[]): string[] => values.map((value) => `'${value}'`);

const text = plain<string>('TEXT NOT NULL');
const optionalText = plain<string | null>('TEXT');
const integer = plain<number>('INTEGER NOT NULL');
const optionalInteger = plain<number | null>('INTEGER');

/** Declares a column for one of the texts `values`. SQLite rejects other texts. */
const choice = <V extends string>(name: string, values: readonly V[]): Column<V> =>
  plain<V>('TEXT NOT NULL')(name, among(name, quoted(values)));

/** Declares a nullable column for one of the texts `values`. */
const optionalChoice = <V extends string>(name: string, values: readonly V[]): Column<V | null> =>
  plain<V | null>('TEXT')(name, among(name, quoted(values)));

/** Declares a column with a text of the type `V`. SQLite does not check the text, because `V` may gain values. */
const state = <V extends string>(name: string): Column<V> => plain<V>('TEXT NOT NULL')(name);

/** Declares a column with a number of shares, an amount of currency, or a price, in Micros. */
const amount = (name: string, more?: string): Column<Micros> => ({
  ...plain<Micros>('INTEGER NOT NULL')(name, more),
  read: (stored) => micros(Number(stored)),
});

/** Declares a nullable column of Micros. */
const optionalAmount = (name: string): Column<Micros | null> => ({
  ...plain<Micros | null>('INTEGER')(name),
  read: (stored) => (stored === null ? null : micros(Number(stored))),
});

/** Declares a boolean column, stored as 1 or 0. */
const flag = (name: string): Column<boolean> => ({
  ...integer(name, among(name, ['0', '1'])),
  read: (stored) => stored === 1,
  write: Number,
});

/** Declares a nullable boolean column. */
const optionalFlag = (name: string): Column<boolean | null> => ({
  ...optionalInteger(name, among(name, ['0', '1'])),
  read: (stored) => (stored === null ? null : stored === 1),
  write: (value) => (value === null ? null : Number(value)),
});

const INTENT_KINDS = ['place', 'cancel', 'merge', 'split', 'redeem'] as const;
/** Kind of change that an intent makes at the exchange. */
export type IntentKind = (typeof INTENT_KINDS)[number];

export const CONVERSION_KINDS = ['merge', 'split', 'redeem'] as const satisfies readonly IntentKind[];
/** Kind of conversion between shares and currency without a trade. */
export type ConversionKind = (typeof CONVERSION_KINDS)[number];

export const INTENT_STATES = [
  'intended', // the intent's row is stored, and its draft is requested
  'drafted', // the draft is stored, but not signed yet
  'signed', // the signature is stored and may be submitted
  'unknown', // the signature was submitted, and the outcome is unknown
  'live', // the exchange confirmed the intent: the order rests, or the conversion is being settled
  'abandoned', // the intent will never be signed; its locks at the exchange last until the draft expires
  'done', // the order is filled or canceled, or the cancel, merge, split or redeem is settled
  'refused', // the exchange or the trader rejected the intent before it could have an effect
  'failed', // the exchange's record shows that the intent failed
  'expired', // the intent had no effect and can no longer have one
] as const;
/** State of an intent; `executor/lifecycle.ts` lists the transitions. */
export type IntentState = (typeof INTENT_STATES)[number];

/** Runs of the trader, one row per start. */
export const RUNS = new LedgerTable('runs', {
  id: text('id', 'PRIMARY KEY'),
  version: text('version'),
  configHash: text('config_hash'),
  startedMs: integer('started_ms'),
  /** End of the run, our clock, ms; null while the run is active, or if its process was killed. */
  stoppedMs: optionalInteger('stopped_ms'),
  note: text('note', "DEFAULT ''"),
});
/** Note of a run that stopped normally, after the exchange has shown that no own order is open. */
export const ENDED_PROVEN = 'stopped, nothing rests';

/** One start of the trader. */
export type RunRow = RecordOf<typeof RUNS>;

export const INTENTS = new LedgerTable(
  'intents',
  {
    id: text('id', 'UNIQUE'),
    runId: text('run_id', 'REFERENCES runs (id)'),
    kind: choice('kind', INTENT_KINDS),
    marketConditionId: text('market'),
    /** Outcome and side of an order; null for other kinds of intents. */
    isYes: optionalFlag('is_yes'),
    side: optionalChoice('side', SIDES),
    /** Price of the order's outcome. For a split: YES price, by which the cost is divided. Null for other kinds. */
    priceMicros: optionalAmount('price'),
    /** Number of an order's shares, or of complete sets to merge or split; null for a cancel or redeem intent. */
    amountMicros: optionalAmount('amount'),
    /** Shares that a redeem exchanges for currency; null for other kinds of intents. */
    redeemYesMicros: optionalAmount('redeem_yes'),
    redeemNoMicros: optionalAmount('redeem_no'),
    /** Pubkey of the order that a cancel targets; null for other kinds of intents. */
    orderPubkey: optionalText('order_pubkey'),
    /** Market's highest fee rate when risk approved the order. The reservation includes this fee. 0 for other kinds. */
    feeRateMicros: amount('fee_rate'),
    strategy: text('strategy'),
    /** True for an order that a strategy sent to gain information. */
    isProbe: flag('is_probe'),
    /** Reasons for the intent, as JSON for `explain`. */
    reason: text('reason'),
    state: state<IntentState>('state'),
    /** Pubkey of the draft and of its record at the exchange; for a cancel, often the order's pubkey; null until drafted. */
    draftPubkey: optionalText('draft_pubkey'),
    /** Message to sign, as received with the draft; null until drafted. */
    message: optionalText('message'),
    /** Time when the draft and its locks at the exchange expire, exchange time, Unix s; null if not known. */
    expiresAtS: optionalInteger('expires_at_s'),
    /** Signature of the draft, 128 lowercase hex characters; null until signed. */
    signature: optionalText('signature'),
    /** Number of submit requests that the intent has sent. If 0, the signature was certainly never sent. */
    submitCount: integer('submit_count'),
    createdMs: integer('created_ms'),
    updatedMs: integer('updated_ms'),
    /** Reason for the intent's current state, as text for people. */
    lastReason: text('last_reason'),
    configHash: text('config_hash'),
  },
  { isPlaced: true },
);
/** Returns the terms of an order from its intent's row. Throws AssertionFailed if one of them is null. */
export const placeTerms = ({ isYes, side, priceMicros, amountMicros }: IntentRow) => ({
  isYes: must(isYes, 'outcome of a place'),
  side: must(side, 'side of a place'),
  priceMicros: must(priceMicros, 'price of a place'),
  amountMicros: must(amountMicros, 'amount of a place'),
});
/** An intent: an approved change at the exchange, and its progress. The row is written before the first request. */
export type IntentRow = RecordOf<typeof INTENTS>;

export const ORDERS = new LedgerTable(
  'orders',
  {
    pubkey: text('pubkey', 'UNIQUE'),
    intentId: text('intent_id', 'UNIQUE REFERENCES intents (id)'),
    marketConditionId: text('market'),
    isYes: flag('is_yes'),
    side: choice('side', SIDES),
    priceMicros: amount('price'),
    amountMicros: amount('amount'),
    /** Highest filled amount that the exchange has shown for this order. */
    filledMicros: amount('filled'),
    /** Sum of the order's booked fills. */
    bookedMicros: amount('booked', 'DEFAULT 0'),
    /** Sum of the order's trades that the exchange last reported as failed. Failed trades are not booked. */
    failedMicros: amount('failed', 'DEFAULT 0'),
    status: state<OrderStatus>('status'),
    createdMs: integer('created_ms'),
    /** Time when the order ended, our clock, ms; null while the order can still fill. */
    closedMs: optionalInteger('closed_ms'),
  },
  { isPlaced: true },
);
/** An own order. An order's row is written together with its draft. */
export type OrderRecord = RecordOf<typeof ORDERS>;

export const FILLS = new LedgerTable(
  'fills',
  {
    /** Pubkey of the trade, or `{order}@{filled amount}` on an exchange that does not list own trades. */
    pubkey: text('pubkey', 'UNIQUE'),
    orderPubkey: text('order_pubkey', 'REFERENCES orders (pubkey)'),
    marketConditionId: text('market'),
    isYes: flag('is_yes'),
    side: choice('side', SIDES),
    /** Price of the outcome that the order trades. */
    priceMicros: amount('price'),
    amountMicros: amount('amount'),
    /** Fee of the fill, currency; null (booked as 0) if the exchange reported no fee. */
    feeMicros: optionalAmount('fee'),
    isMaker: optionalFlag('is_maker'),
    timestampS: integer('timestamp_s'),
    seenMs: integer('seen_ms'),
  },
  { isPlaced: true },
);
/** One booked fill of an own order. */
export type BookedFill = RecordOf<typeof FILLS>;

export const CONVERSIONS = new LedgerTable(
  'conversions',
  {
    pubkey: text('pubkey', 'UNIQUE'),
    intentId: text('intent_id', 'UNIQUE REFERENCES intents (id)'),
    kind: choice('kind', CONVERSION_KINDS),
    marketConditionId: text('market'),
    /** Shares that the conversion consumes; negative for a split. */
    yesMicros: amount('yes'),
    noMicros: amount('no'),
    /** Currency that the conversion pays out; negative for a split. */
    cashMicros: amount('cash'),
    /** Part of a split's currency that counts as the cost of the YES shares; null for a merge or redeem. */
    yesCostMicros: optionalAmount('yes_cost'),
    seenMs: integer('seen_ms'),
  },
  { isPlaced: true },
);
/** A booked merge, split or redeem. */
export type BookedConversion = RecordOf<typeof CONVERSIONS>;

export const MARKETS = new LedgerTable(
  'markets',
  {
    conditionId: text('condition_id', 'PRIMARY KEY'),
    title: text('title'),
    state: state<MarketState>('state'),
    eventConditionId: optionalText('event'),
    yesLabel: optionalText('yes_label'),
    noLabel: optionalText('no_label'),
    makerFeeRateMicros: amount('maker_fee_rate'),
    takerFeeRateMicros: amount('taker_fee_rate'),
    /** Planned time of the market's resolution, Unix s; null if not known. */
    resolutionS: optionalInteger('resolution_s'),
    seenMs: integer('seen_ms'),
  },
  { hasRowId: false },
);
/** Stored facts about a market, so that reports need no request to the exchange. */
export type MarketRecord = RecordOf<typeof MARKETS>;

/** Saved states of strategies, one row per strategy, market and version of the state's format. */
export const STRATEGY_STATES = new LedgerTable(
  'strategy_states',
  {
    marketConditionId: text('market'),
    strategy: text('strategy'),
    /** Version of the saved state's format, as declared by the strategy's module. */
    version: integer('version'),
    /** Saved state of the strategy, as JSON. */
    text: text('state'),
    savedMs: integer('saved_ms'),
  },
  { constraints: ['PRIMARY KEY (market, strategy, version)'], hasRowId: false },
);
/** Saved state of a strategy in one market. */
export type StrategyStateRow = RecordOf<typeof STRATEGY_STATES>;

export const FINAL_INTENT_STATES = ['done', 'refused', 'failed', 'expired'] as const satisfies readonly IntentState[];

/** Returns true if an intent in this state has ended. Only a contradicting exchange record changes a final state. */
export const isFinalIntent = (state: IntentState): boolean => FINAL_INTENT_STATES.some((final) => final === state);

/** Stored draft with the terms of its intent, as input for the signer. */
export interface StoredDraftRow {
  readonly intentId: string;
  readonly marketConditionId: string;
  readonly draftPubkey: string;
  readonly message: string;
  readonly terms: DraftTerms;
}

/** Shares of one outcome that the operator adopts: the exchange's holding minus the ledger's, possibly negative. */
export interface AdoptedOutcome {
  readonly marketConditionId: string;
  readonly isYes: boolean;
  /** Adopted changes of the holding for which the exchange has a record, in booking order. */
  readonly recorded: readonly AdoptedMove[];
  /** Other adopted shares, whose cost the exchange does not show. */
  readonly restMicros: Micros;
  /** Value of the shares `restMicros`, currency; negative if `restMicros` is negative. */
  readonly restWorthMicros: Micros;
}

/** One change of a holding: received shares, spent currency, paid fees. Sold shares and received currency: negative. */
export interface AdoptedMove {
  readonly sharesMicros: Micros;
  readonly spentMicros: Micros;
  readonly feesMicros: Micros;
}

/** Held shares of one outcome, and their cost without fees. */
export interface HeldPosition {
  readonly marketConditionId: string;
  readonly isYes: boolean;
  readonly sharesMicros: Micros;
  readonly costMicros: Micros;
}

const SEVERITIES = ['info', 'loud'] as const;
/** Event for the operator, for example a command with its reason, a refused signature or a foreign order. */
export interface OperatorEvent {
  readonly timeMs: number;
  readonly severity: (typeof SEVERITIES)[number];
  readonly kind: string;
  readonly text: string;
}

/** Effect of one booking on cash, result and fees. */
export interface BookingRow {
  /** Id of the booking; later bookings have higher ids. */
  readonly id: number;
  readonly kind: 'capital' | ConversionKind | 'fill' | 'adopt';
  /** Time of the booking, our clock, ms. */
  readonly timeMs: number;
  /** Market of the booking; null if it has no market, for example a booking of capital. */
  readonly marketConditionId: string | null;
  /** Strategy of the booking's intent; null for bookings without an intent. */
  readonly strategy: string | null;
  /** Number of fills: 1 for a fill, -1 for the reversal of a fill, 0 for other bookings. */
  readonly fills: number;
  readonly cashMicros: Micros;
  /** Realised result of the booking before fees, at average cost, currency. */
  readonly realisedMicros: Micros;
  readonly feesMicros: Micros;
}

/** Store of notes: small values by key that survive a restart. */
export interface Notes {
  note(key: string): string | null;
  setNote(key: string, value: string): void;
}

/** Value in a JSON note that survives restarts. Only one class writes a note, so invalid JSON is a bug and throws. */
export class StoredMemory<T> {
  readonly #notes: Notes;
  readonly #key: string;
  readonly #initial: string;

  /** @param initial value before the first write */
  constructor(notes: Notes, key: string, initial: T) {
    this.#notes = notes;
    this.#key = key;
    this.#initial = JSON.stringify(initial);
  }

  get value(): T {
    return JSON.parse(this.#text) as T;
  }

  /** Stores the value as a note, unless it equals the stored value. */
  set value(value: T) {
    const text = JSON.stringify(value);
    if (text !== this.#text) this.#notes.setNote(this.#key, text);
  }

  get #text(): string {
    return this.#notes.note(this.#key) ?? this.#initial;
  }
}

/** SQLite application id that marks a file as a ledger: 'TWBK' in ASCII. */
export const APPLICATION_ID = 0x5457424b;

/** Version of the ledger's format. Every change of tables or of the meaning of rows must increment this version. */
export const LEDGER_VERSION = 9;

/** SQL that creates all tables. Micros, times and booleans are INTEGER; STRICT tables reject values of other types. */
export const SCHEMA = `
${RUNS.ddl}

${INTENTS.ddl}
CREATE INDEX intents_active ON intents (seq) WHERE state NOT IN ('done', 'refused', 'failed', 'expired');
CREATE INDEX intents_market ON intents (market, seq);

${ORDERS.ddl}
CREATE INDEX orders_unsettled ON orders (seq) WHERE closed_ms IS NULL OR filled > booked + failed;
CREATE INDEX orders_market ON orders (market, seq);

${FILLS.ddl}
CREATE INDEX fills_order ON fills (order_pubkey);
CREATE INDEX fills_market ON fills (market, seq);

CREATE TABLE failed_trades (
  pubkey TEXT PRIMARY KEY,
  order_pubkey TEXT NOT NULL REFERENCES orders (pubkey),
  amount INTEGER NOT NULL,
  seen_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX failed_trades_order ON failed_trades (order_pubkey);

${CONVERSIONS.ddl}

-- A transaction's postings sum to zero per asset; the code checks it before it writes.
CREATE TABLE transactions (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('capital', 'fill', 'merge', 'split', 'redeem', 'adopt')),
  ref TEXT NOT NULL,
  time_ms INTEGER NOT NULL,
  UNIQUE (kind, ref)
) STRICT;
CREATE TABLE postings (
  transaction_id INTEGER NOT NULL REFERENCES transactions (id),
  account TEXT NOT NULL,
  asset TEXT NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (transaction_id, account, asset)
) STRICT, WITHOUT ROWID;
-- The running sums of postings, so that a start does not read all history.
CREATE TABLE balances (
  account TEXT PRIMARY KEY,
  asset TEXT NOT NULL,
  amount INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX balances_held ON balances (account, asset, amount) WHERE amount <> 0;

${MARKETS.ddl}

CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  time_ms INTEGER NOT NULL,
  severity TEXT NOT NULL CHECK (severity IN ('info', 'loud')),
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  -- Related pubkey or intent id; the event is pruned with that order or intent.
  subject TEXT
) STRICT;
-- The dashboard counts events of one kind every second.
CREATE INDEX events_kind ON events (kind);
CREATE INDEX events_subject ON events (subject) WHERE subject IS NOT NULL;

CREATE TABLE oddities (
  kind TEXT NOT NULL,
  pubkey TEXT NOT NULL,
  text TEXT NOT NULL,
  seen_ms INTEGER NOT NULL,
  PRIMARY KEY (kind, pubkey)
) STRICT, WITHOUT ROWID;

${STRATEGY_STATES.ddl}
`;
