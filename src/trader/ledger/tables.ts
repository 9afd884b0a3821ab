/**
 * The ledger's records and tables. Amounts and prices are micros; `…Ms` is our clock, `…S` the exchange's in Unix
 * seconds.
 */

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
/** Change that an intent makes at the exchange. */
export type IntentKind = (typeof INTENT_KINDS)[number];

export const CONVERSION_KINDS = ['merge', 'split', 'redeem'] as const satisfies readonly IntentKind[];
/** Conversions between shares and currency without a trade. */
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
  /** Null while it runs, and for a killed run. */
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
    /** Null except for a place, like `side`. */
    isYes: optionalFlag('is_yes'),
    side: optionalChoice('side', SIDES),
    /**
     * Price of a place, in its own outcome's space; for a split, the YES price that divides the cost. Null for others.
     */
    priceMicros: optionalAmount('price'),
    /** Shares of a place, complete sets of a merge or split; null for cancel and redeem. */
    amountMicros: optionalAmount('amount'),
    /** Shares that a redeem gives up; null for the others. */
    redeemYesMicros: optionalAmount('redeem_yes'),
    redeemNoMicros: optionalAmount('redeem_no'),
    /** The order of a cancel; null for others. */
    orderPubkey: optionalText('order_pubkey'),
    /** Highest fee rate of the market at approval; the reserved currency depends on it. */
    feeRateMicros: amount('fee_rate'),
    strategy: text('strategy'),
    /** A place that a strategy sent for its information. */
    isProbe: flag('is_probe'),
    /** JSON text with the reasons; `explain` shows it. */
    reason: text('reason'),
    state: state<IntentState>('state'),
    /** Pubkey of the draft: for a place the order's, for a cancel the canceled order's. */
    draftPubkey: optionalText('draft_pubkey'),
    /** Text to sign, as received. */
    message: optionalText('message'),
    /** Exchange clock: the draft and its locks expire then. */
    expiresAtS: optionalInteger('expires_at_s'),
    /** 128 lowercase hex characters. */
    signature: optionalText('signature'),
    /** Number of times the signature was passed to the network; 0 proves that it never left. */
    submitCount: integer('submit_count'),
    createdMs: integer('created_ms'),
    updatedMs: integer('updated_ms'),
    /** Reason for its state, in words. */
    lastReason: text('last_reason'),
    configHash: text('config_hash'),
  },
  { isPlaced: true },
);
/** Writes an intent's changes into its row. Needs a transaction. */
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
/** One approved change and its progress, written before any request of it leaves. */
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
    /** Highest filled amount in the exchange's rows of this order. */
    filledMicros: amount('filled'),
    /** Sum of its fills in this ledger. */
    bookedMicros: amount('booked', 'DEFAULT 0'),
    /** Sum of the trades that the exchange now reports as failed; none of them is booked. */
    failedMicros: amount('failed', 'DEFAULT 0'),
    status: state<OrderStatus>('status'),
    createdMs: integer('created_ms'),
    /** Time of the first final status; null while the order may fill. */
    closedMs: optionalInteger('closed_ms'),
  },
  { isPlaced: true },
);
/** Writes the exchange's changes of an order into its row. Needs a transaction. */
export const updateOrder = ORDERS.updater('pubkey', ['status', 'filledMicros', 'closedMs']);
/** An own order; its row exists from the moment its draft is stored. */
export type OrderRecord = RecordOf<typeof ORDERS>;

export const FILLS = new Table(
  'fills',
  {
    /** Pubkey of the trade; on a venue without own trades, `{order}@{cumulative amount}`. */
    pubkey: text('pubkey', 'UNIQUE'),
    orderPubkey: text('order_pubkey', 'REFERENCES orders (pubkey)'),
    marketConditionId: text('market'),
    isYes: flag('is_yes'),
    side: choice('side', SIDES),
    /** In the order's outcome space. */
    priceMicros: amount('price'),
    amountMicros: amount('amount'),
    /** Currency; null when the exchange reported none (booked as 0). */
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
    /** Shares given up; negative for a split. */
    yesMicros: amount('yes'),
    noMicros: amount('no'),
    /** Currency received; negative for a split. */
    cashMicros: amount('cash'),
    /** Part of a split's currency that its YES shares cost; null for others. */
    yesCostMicros: optionalAmount('yes_cost'),
    seenMs: integer('seen_ms'),
  },
  { isPlaced: true },
);
/** A completed merge, split or redeem, as booked. */
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
    /** Unix seconds; null when unknown. */
    resolutionS: optionalInteger('resolution_s'),
    seenMs: integer('seen_ms'),
  },
  { hasRowId: false },
);
/** Stored market facts: reports need no exchange. */
export type MarketRecord = RecordOf<typeof MARKETS>;

/** One row per version of a strategy's state; rows of other versions are kept unread. */
export const STRATEGY_STATES = new Table(
  'strategy_states',
  {
    marketConditionId: text('market'),
    strategy: text('strategy'),
    /** Version of the text's format, as declared by the strategy's module. */
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

/** True for a state without further changes. */
export const isFinalIntent = (state: IntentState): boolean => FINAL_INTENT_STATES.some((final) => final === state);

/** A stored draft with the intent's original terms: input of the signer. */
export interface StoredDraftRow {
  readonly intentId: string;
  readonly marketConditionId: string;
  readonly draftPubkey: string;
  readonly message: string;
  readonly terms: DraftTerms;
}

/**
 * For a booked trade: `fee_paid` means its missing fee is booked now; `differs` means its fields differ and nothing was
 * changed.
 */
export type FillBooking = 'booked' | 'fee_paid' | 'repeated' | 'differs';

/** `noted`: it was never booked. `unbooked`: its booking was reversed. `repeated`: nothing is new. */
export type FailureNote = 'noted' | 'unbooked' | 'repeated';

/**
 * One outcome whose holding an operator adopts from the exchange. Amounts are missing in the ledger; negative for too
 * much.
 */
export interface AdoptedOutcome {
  readonly marketConditionId: string;
  readonly isYes: boolean;
  /** Recorded moves of the exchange, in booking order. */
  readonly recorded: readonly AdoptedMove[];
  /** Shares without a recorded cost. */
  readonly restMicros: Micros;
  /** Their value in currency; negative for negative shares. */
  readonly restWorthMicros: Micros;
}

/** Received shares and paid currency; negative for the reverse. */
export interface AdoptedMove {
  readonly sharesMicros: Micros;
  readonly spentMicros: Micros;
  readonly feesMicros: Micros;
}

/** Held shares and their average cost without fees. */
export interface PositionRow {
  readonly marketConditionId: string;
  readonly isYes: boolean;
  readonly sharesMicros: Micros;
  readonly costMicros: Micros;
}

export const SEVERITIES = ['info', 'loud'] as const;
/** An event for later lookup: a command with its reason, a refused signature, a foreign order. */
export interface OperatorEvent {
  readonly timeMs: number;
  readonly severity: (typeof SEVERITIES)[number];
  readonly kind: string;
  readonly text: string;
}

/** Something under our wallet that is foreign or irregular. Stored once. */
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

/** Results of one booking; in booking order. */
export interface BookingRow {
  /** Higher than all earlier ones. */
  readonly id: number;
  readonly kind: 'capital' | ConversionKind | 'fill' | 'adopt';
  /** Our clock, ms. */
  readonly timeMs: number;
  /** Null without a market. */
  readonly marketConditionId: string | null;
  /** Null without an intent, and for a fill that was reversed. */
  readonly strategy: string | null;
  readonly cashMicros: Micros;
  /** Before fees, at average cost. */
  readonly realisedMicros: Micros;
  readonly feesMicros: Micros;
}

/** Storage of small state for the next start. */
export interface Notes {
  note(key: string): string | null;
  setNote(key: string, value: string): void;
}

/** SQLite's online backup of an open ledger; asynchronous, so used by shells only. */
export type BackupSource = Pick<Sqlite.Database, 'backup'>;

/** Fields of an intent that change after its creation; absent ones stay. */
export type IntentChange = Pick<IntentRow, 'state' | 'updatedMs'> &
  Partial<Pick<IntentRow, 'draftPubkey' | 'message' | 'expiresAtS' | 'signature' | 'submitCount' | 'lastReason'>>;

/** Fields of an order that the exchange's answers change. */
export type OrderChange = Pick<OrderRecord, 'status' | 'filledMicros' | 'closedMs'>;

/** Rows that may be deleted. */
export interface PrunePage {
  /** Rows that ended before this time, our clock, ms. */
  readonly beforeMs: number;
  /**
   * Pubkeys of orders: rows that ended later than this time before the oldest of them was drafted stay, ms; without
   * pubkeys everything does.
   */
  readonly marked: readonly string[];
  readonly lagMs: number;
  /** True when the row with this intent id or pubkey stays. */
  readonly keeps: (name: string) => boolean;
  /** Place before the first intent to check, and the number to check. */
  readonly after: number;
  readonly rows: number;
}

/** What was deleted. */
export interface PrunedPage {
  readonly rows: number;
  /** Place of the last checked intent; null after the last one. */
  readonly after: number | null;
  /** Later ended rows stay, ms; null when all stay. */
  readonly untilMs: number | null;
}
