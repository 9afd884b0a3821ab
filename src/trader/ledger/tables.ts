/** The records of the ledger and their tables. Amounts and prices are Micros; `…Ms` is our own clock, `…S` the exchange's in Unix seconds. */

import type Sqlite from 'better-sqlite3';
import type { Micros } from '../../shared/base/micros.js';
import type { DraftTerms } from '../../shared/protocol/drafts/draft-text.js';
import { type MarketState, type OrderStatus, SIDES } from '../../shared/protocol/states.js';
import {
  amount,
  choice,
  flag,
  integer,
  optionalAmount,
  optionalChoice,
  optionalFlag,
  optionalInteger,
  optionalText,
  type RecordOf,
  state,
  Table,
  text,
} from './table.js';

export const INTENT_KINDS = ['place', 'cancel', 'merge', 'split', 'redeem'] as const;
/** What an intent does at the exchange. */
export type IntentKind = (typeof INTENT_KINDS)[number];

export const CONVERSION_KINDS = ['merge', 'split', 'redeem'] as const satisfies readonly IntentKind[];
/** The kinds that turn shares into currency or the reverse without a trade. */
export type ConversionKind = (typeof CONVERSION_KINDS)[number];

export const INTENT_STATES = [
  'intended', // the row is written, its draft is being asked for
  'drafted', // the draft is stored, nothing is signed
  'signed', // the signature is stored and may leave
  'unknown', // the signature left and no answer says what became of it
  'live', // the exchange has it: an order rests, a merge lands
  'abandoned', // never signed and never will be; its locks at the exchange are waited out
  'done', // it happened: order filled or canceled, cancel, merge, split or redeem settled
  'refused', // the exchange or the trader itself rejected it before anything could happen
  'failed', // the exchange's record says failed
  'expired', // never took effect and no longer can
] as const;
/** State of an intent. The transitions are the table of `executor/lifecycle.ts`. */
export type IntentState = (typeof INTENT_STATES)[number];

/** One start of the trader. */
export const RUNS = new Table('runs', {
  id: text('id', 'PRIMARY KEY'),
  version: text('version'),
  configHash: text('config_hash'),
  startedMs: integer('started_ms'),
  /** Null while it runs, and for a run that was killed. */
  stoppedMs: optionalInteger('stopped_ms'),
  note: text('note', "DEFAULT ''"),
});
/** One start of the trader. */
export type RunRow = RecordOf<typeof RUNS>;

export const INTENTS = new Table(
  'intents',
  {
    id: text('id', 'UNIQUE'),
    runId: text('run_id', 'REFERENCES runs (id)'),
    kind: choice('kind', INTENT_KINDS),
    marketConditionId: text('market'),
    /** Null except for a place, as is `side`. */
    isYes: optionalFlag('is_yes'),
    side: optionalChoice('side', SIDES),
    /**
     * Price of a place in the space of its own outcome; for a split, the YES price that divides its cost between the outcomes.
     * Null for the others.
     */
    priceMicros: optionalAmount('price'),
    /** Shares of a place, complete sets of a merge or split; null for cancel and redeem. */
    amountMicros: optionalAmount('amount'),
    /** Shares that a redeem gives up; null for the others. */
    redeemYesMicros: optionalAmount('redeem_yes'),
    redeemNoMicros: optionalAmount('redeem_no'),
    /** The order that a cancel is about; null for the others. */
    orderPubkey: optionalText('order_pubkey'),
    /** Highest fee rate of the market when the intent was approved; the reserved currency follows from it. */
    feeRateMicros: amount('fee_rate'),
    strategy: text('strategy'),
    /** JSON text with the reasons for this intent; `explain` shows it. */
    reason: text('reason'),
    state: state<IntentState>('state'),
    /** Pubkey of the draft; for a place the order gets it, for a cancel it is the order's. */
    draftPubkey: optionalText('draft_pubkey'),
    /** The text to sign, exactly as it came. */
    message: optionalText('message'),
    /** Exchange's clock: from then on the draft and its locks have lapsed. */
    expiresAtS: optionalInteger('expires_at_s'),
    /** 128 lowercase hex characters. */
    signature: optionalText('signature'),
    /** Number of times the signature was handed to the network; 0 proves that it never left. */
    submitCount: integer('submit_count'),
    createdMs: integer('created_ms'),
    updatedMs: integer('updated_ms'),
    /** Reason of its state, in words. */
    lastReason: text('last_reason'),
    configHash: text('config_hash'),
  },
  { isPlaced: true },
);
/** Writes the changes of an intent into its row. Needs a transaction. */
export const updateIntent = INTENTS.updater('id', [
  'state',
  'draftPubkey',
  'message',
  'expiresAtS',
  'signature',
  'submitCount',
  'updatedMs',
  'lastReason',
]);
/** One approved change and its progress. It is written before any request about it leaves. */
export type IntentRow = RecordOf<typeof INTENTS>;

export const ORDERS = new Table(
  'orders',
  {
    pubkey: text('pubkey', 'UNIQUE'),
    intentId: text('intent_id', 'UNIQUE REFERENCES intents (id)'),
    marketConditionId: text('market'),
    isYes: flag('is_yes'),
    side: choice('side', SIDES),
    priceMicros: amount('price'),
    amountMicros: amount('amount'),
    /** Highest filled amount that an order row of the exchange has shown. */
    filledMicros: amount('filled'),
    /** Sum of the fills in this ledger. */
    bookedMicros: amount('booked', 'DEFAULT 0'),
    /** Sum of the trades that the exchange reports as failed now; none of them is booked. */
    failedMicros: amount('failed', 'DEFAULT 0'),
    status: state<OrderStatus>('status'),
    createdMs: integer('created_ms'),
    /** Time of the first final status; null while the order may still fill. */
    closedMs: optionalInteger('closed_ms'),
  },
  { isPlaced: true },
);
/** Writes the changes of an order that come from the exchange into its row. Needs a transaction. */
export const updateOrder = ORDERS.updater('pubkey', ['status', 'filledMicros', 'closedMs']);
/** An own order: a row from the moment its draft is stored. */
export type OrderRecord = RecordOf<typeof ORDERS>;

export const FILLS = new Table(
  'fills',
  {
    /** The trade's pubkey; at a venue without own trades, `{order}@{cumulative amount}`. */
    pubkey: text('pubkey', 'UNIQUE'),
    orderPubkey: text('order_pubkey', 'REFERENCES orders (pubkey)'),
    marketConditionId: text('market'),
    isYes: flag('is_yes'),
    side: choice('side', SIDES),
    /** In the space of the order's outcome. */
    priceMicros: amount('price'),
    amountMicros: amount('amount'),
    /** Currency; null when the exchange named none (booked as 0). */
    feeMicros: optionalAmount('fee'),
    isMaker: optionalFlag('is_maker'),
    timestampS: integer('timestamp_s'),
    seenMs: integer('seen_ms'),
  },
  { isPlaced: true },
);
/** One booked fill of an own order. */
export type BookedFill = RecordOf<typeof FILLS>;

export const CONVERSIONS = new Table(
  'conversions',
  {
    pubkey: text('pubkey', 'UNIQUE'),
    intentId: text('intent_id', 'UNIQUE REFERENCES intents (id)'),
    kind: choice('kind', CONVERSION_KINDS),
    marketConditionId: text('market'),
    /** Shares given up; negative where a split brought them. */
    yesMicros: amount('yes'),
    noMicros: amount('no'),
    /** Currency received; negative where a split took it. */
    cashMicros: amount('cash'),
    /** Part of a split's currency that the YES shares cost; null for the others. */
    yesCostMicros: optionalAmount('yes_cost'),
    seenMs: integer('seen_ms'),
  },
  { isPlaced: true },
);
/** A merge, split or redeem that has happened, as it was booked. */
export type BookedConversion = RecordOf<typeof CONVERSIONS>;

export const MARKETS = new Table(
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
    /** Unix seconds; null when the exchange says nothing. */
    resolutionS: optionalInteger('resolution_s'),
    seenMs: integer('seen_ms'),
  },
  { hasRowId: false },
);
/** A market as the ledger knows it, so that a report needs no exchange. */
export type MarketRecord = RecordOf<typeof MARKETS>;

/** One row for each version of a strategy's state: a row of another version is kept unread. */
export const STRATEGY_STATES = new Table(
  'strategy_states',
  {
    marketConditionId: text('market'),
    strategy: text('strategy'),
    /** Form of the text, as the strategy's module declares it. */
    version: integer('version'),
    /** JSON. */
    text: text('state'),
    savedMs: integer('saved_ms'),
  },
  { constraints: ['PRIMARY KEY (market, strategy, version)'], hasRowId: false },
);
/** Saved state of a strategy in one market. */
export type StrategyStateRow = RecordOf<typeof STRATEGY_STATES>;

export const FINAL_INTENT_STATES = ['done', 'refused', 'failed', 'expired'] as const satisfies readonly IntentState[];

/** Whether no move leads out of this state. */
export const isFinalIntent = (state: IntentState): boolean => FINAL_INTENT_STATES.some((final) => final === state);

/** A stored draft beside the terms that its intent had before anything was asked: what the signer is given. */
export interface StoredDraftRow {
  readonly intentId: string;
  readonly marketConditionId: string;
  readonly draftPubkey: string;
  readonly message: string;
  readonly terms: DraftTerms;
}

/** Of a trade that is booked already: `fee_paid`, its fee is booked now, which nobody had named; `differs`, its content is other, and nothing was changed. */
export type FillBooking = 'booked' | 'fee_paid' | 'repeated' | 'differs';

/** `noted`: it never was booked; `unbooked`: it was, and what it moved has been moved back; `repeated`: nothing is new. */
export type FailureNote = 'noted' | 'unbooked' | 'repeated';

/** One outcome whose holdings an operator takes over from the exchange. Amounts are what the ledger lacks; negative for too much. */
export interface AdoptedOutcome {
  readonly marketConditionId: string;
  readonly isYes: boolean;
  /** Moves of which the exchange has records, in the order in which they are booked. */
  readonly recorded: readonly AdoptedMove[];
  /** Shares of which no record says what they cost. */
  readonly restMicros: Micros;
  /** Their worth in currency; negative with them. */
  readonly restWorthMicros: Micros;
}

/** Shares that came, and currency that left for them; negative for shares that left and currency that came. */
export interface AdoptedMove {
  readonly sharesMicros: Micros;
  readonly spentMicros: Micros;
  readonly feesMicros: Micros;
}

/** Shares held, with what they cost on average (fees apart). */
export interface PositionRow {
  readonly marketConditionId: string;
  readonly isYes: boolean;
  readonly sharesMicros: Micros;
  readonly costMicros: Micros;
}

export const SEVERITIES = ['info', 'loud'] as const;
/** Something a person should be able to find later: a command with its reason, a refusal to sign, a foreign order. */
export interface OperatorEvent {
  readonly timeMs: number;
  readonly severity: (typeof SEVERITIES)[number];
  readonly kind: string;
  readonly text: string;
}

/** What was seen at the exchange under our wallet and is not ours, or not as it should be. Remembered once. */
export type Oddity =
  | 'foreign_order'
  | 'signed_elsewhere'
  | 'foreign_trade'
  | UnsettledTrade
  | 'fill_differs'
  | 'cancel_undone'
  | 'came_back';
type UnsettledTrade = 'failed_trade' | 'settled_trade_failed' | 'failed_trade_settled';

/** Which rows of a list are wanted. */
export interface Page {
  /** Newest first; default 100. */
  readonly limit?: number;
  readonly marketConditionId?: string;
}

/** What one booking moved of results; in the order of booking. */
export interface BookingRow {
  /** Higher than that of every booking before it. */
  readonly id: number;
  readonly kind: 'capital' | ConversionKind | 'fill' | 'adopt';
  /** Our clock, ms. */
  readonly timeMs: number;
  /** Null where it is about no market. */
  readonly marketConditionId: string | null;
  /** Null where none led to it, and of a fill that was taken back since. */
  readonly strategy: string | null;
  readonly cashMicros: Micros;
  /** Before fees, at average cost. */
  readonly realisedMicros: Micros;
  readonly feesMicros: Micros;
}

/** Where small state is kept that a restart must know. */
export interface Notes {
  note(key: string): string | null;
  setNote(key: string, value: string): void;
}

/** SQLite's online backup of an open ledger, asynchronous: a shell's business. */
export type BackupSource = Pick<Sqlite.Database, 'backup'>;

/** The fields of an intent that change after it was written; an absent one stays as it is. */
export type IntentChange = Pick<IntentRow, 'state' | 'updatedMs'> &
  Partial<Pick<IntentRow, 'draftPubkey' | 'message' | 'expiresAtS' | 'signature' | 'submitCount' | 'lastReason'>>;

/** The fields of an order that an answer of the exchange changes. */
export type OrderChange = Pick<OrderRecord, 'status' | 'filledMicros' | 'closedMs'>;

/** Which rows may be deleted. */
export interface PrunePage {
  /** Rows that ended before this moment, our clock, ms. */
  readonly beforeMs: number;
  /** Pubkeys: what was not over this long, ms, before the oldest of these orders was drafted stays; everything without them. */
  readonly marked: readonly string[];
  readonly lagMs: number;
  /** Whether the row with this intent id or pubkey stays. */
  readonly keeps: (name: string) => boolean;
  /** Place of the intent before the first to look at, and how many to look at. */
  readonly after: number;
  readonly rows: number;
}

/** What was deleted. */
export interface PrunedPage {
  readonly rows: number;
  /** Place of the last intent that was looked at; null behind the last of all. */
  readonly after: number | null;
  /** What ended later stays, ms; null where everything stays. */
  readonly untilMs: number | null;
}
