/**
 * What a running trader tells of itself to whoever asked by `subscribe`: lines of JSON over the control socket. Types only.
 * Amounts and prices are whole millionths (`…_micros`, prices in YES space), times are Unix milliseconds unless a name says else.
 */

import type { StatusFeed } from '../status.js';
import type { HistogramFigures } from './histogram.js';

export type TelemetryLine = HelloLine | FrameLine | NoticeLine | ByeLine;

/** The first line of a connection, and again when another configuration is in force. */
export interface HelloLine {
  readonly type: 'hello';
  readonly pid: number;
  readonly version: string;
  readonly run: string;
  readonly config_file: string;
  readonly config_hash: string;
  readonly venue: string;
  readonly base_url: string;
  readonly started: number;
  readonly capital_micros: number;
  /** The bounds that figures of the account are held against. */
  readonly limits: LimitFigures;
  /** The configuration in force, spelled as in its files, secrets as stars. */
  readonly config: Readonly<Record<string, unknown>>;
}

export interface LimitFigures {
  readonly max_loss_day_micros: number;
  readonly max_drawdown_micros: number;
  readonly max_total_cost_micros: number;
  readonly max_open_orders: number;
  readonly max_position_micros: number;
  readonly max_book_age_ms: number;
}

/** Made after a step. */
export interface FrameLine {
  readonly type: 'frame';
  readonly time: number;
  /** In the first frame of a sweep over all markets, absent from those that go on with it. */
  readonly account?: AccountFigures;
  /** Markets whose view, quotes, orders or holdings are others than those of the newest frame that had them. */
  readonly markets: readonly MarketFigures[];
  /** Present with `account`: all markets that are looked at. What is not among them is over. */
  readonly known?: readonly string[];
}

/** Of the newest complete round that compared ledger and exchange. */
export interface AgreementFigures {
  /** Unix ms. */
  readonly compared: number;
  /** What the round found, confirmed or not. */
  readonly differences: readonly string[];
  /** One sentence, and how many differences an operator has accepted. */
  readonly text: string;
  readonly accepted: number;
  /** What a second round has found again, the first five in a sentence; null while nothing is. */
  readonly confirmed: string | null;
}

export interface AccountFigures {
  readonly mode: string;
  readonly reason: string;
  /** The command that leads back up from this mode; empty when none is needed. */
  readonly way_back: string;
  readonly silent: boolean;
  readonly cash_micros: number;
  /** Null while a holding has no mark. */
  readonly equity_micros: number | null;
  readonly result_micros: number | null;
  readonly loss_day_micros: number;
  readonly drawdown_micros: number;
  readonly open_orders: number;
  readonly unknown_orders: number;
  readonly fills: number;
  readonly unsent: number;
  /** Why only reducing orders may leave; null when ledger and exchange agree. */
  readonly reduce_only: string | null;
  readonly agreement: AgreementFigures | null;
  readonly clock_offset_ms: number | null;
  readonly budgets: readonly BudgetFigures[];
  /** Requests of this run by what they were spent on. */
  readonly spent: readonly { readonly purpose: string; readonly total: number }[];
  readonly feeds: readonly StatusFeed[];
  readonly health: HealthFigures;
  readonly upkeep: UpkeepFigures;
  readonly risk: RiskFigures;
}

/** What runs beside trading. */
export interface UpkeepFigures {
  /** The newest scheduled backup of the ledger where it failed; when, Unix ms. Null where it was made, or none was due yet. */
  readonly backup_failed: { readonly at: number; readonly why: string } | null;
  /** Why the journal of this run has ended, or never began; null while it is written, and where none is wanted. */
  readonly journal_ended: string | null;
  /** Whether a journal is wanted. */
  readonly has_journal: boolean;
}

/** How much of the limits is used. */
export interface RiskFigures {
  /** Currency lost if everything filled at its worst and every market resolved against us. */
  readonly total_cost_micros: number;
  /** Orders and cancels begun within the last second, and within the last minute. */
  readonly actions_last_second: number;
  readonly actions_last_minute: number;
  /** In the fullest window among the newest fills. */
  readonly fills_in_window: number;
  readonly events: readonly EventFigures[];
}

/** An event in which anything is held or works; of a market without an event, that market. */
export interface EventFigures {
  readonly id: string;
  /** Sum of its markets' positions at their worst, shares. */
  readonly position_micros: number;
  /** Currency that it can lose, below zero where it can only gain. */
  readonly loss_micros: number;
}

export interface BudgetFigures {
  readonly scope: 'public' | 'signed';
  /** Requests a minute that the venue allows, and that we allow ourselves. */
  readonly limit: number;
  readonly per_minute: number;
  readonly left: number;
  /** Null when it is not throttled. */
  readonly blocked_until: number | null;
}

export interface HealthFigures {
  /** Of this run. */
  readonly steps: number;
  /** Of the last ten seconds, ms. */
  readonly step_p50_ms: number;
  readonly step_p99_ms: number;
  readonly step_max_ms: number;
  /** Of this run; bounds as `STEP_BUCKETS` has them, seconds. */
  readonly step_seconds: HistogramFigures;
  readonly requests: readonly RequestFigures[];
  readonly beat_late_p99_ms: number;
  /** 0: everything twice a second; higher: the trader spares itself (`Brake`). */
  readonly brake: number;
  readonly readers: number;
  /** Readers of this run that were let go because they did not read. */
  readonly readers_cut: number;
  readonly memory_bytes: number;
  readonly guardian: string;
}

/** Of this run. */
export interface RequestFigures {
  readonly endpoint: string;
  readonly answered: number;
  readonly refused: number;
  readonly unknown: number;
  /** Bounds as `REQUEST_BUCKETS` has them. */
  readonly seconds: HistogramFigures;
}

export interface MarketFigures {
  readonly id: string;
  readonly title: string;
  readonly event: string | null;
  readonly category: string | null;
  readonly strategy: string;
  /** `quoting`, or why not, in a few words. */
  readonly state: string;
  readonly note: string;
  readonly fair_micros: number | null;
  readonly mark_micros: number | null;
  readonly yes_micros: number;
  readonly no_micros: number;
  readonly max_position_micros: number | null;
  readonly tick_micros: number | null;
  /** When the newest book was seen; null before the first. */
  readonly book_seen: number | null;
  /** When it resolves; null where that is not known. */
  readonly resolves: number | null;
  /** Absent while telemetry is braked: the others' best levels, best first, price and shares. */
  readonly bids?: readonly LevelFigures[];
  readonly asks?: readonly LevelFigures[];
  /** As these: the newest public trades, newest first. */
  readonly trades?: readonly TradeFigures[];
  /** The others' best prices. */
  readonly best_bid_micros: number | null;
  readonly best_ask_micros: number | null;
  readonly orders: readonly OrderFigures[];
  readonly factors: Readonly<Record<string, number>>;
  readonly health: MarketHealthFigures | null;
  readonly refusals: readonly { readonly control: string; readonly count: number; readonly text: string }[];
}

export type LevelFigures = readonly [priceMicros: number, amountMicros: number];

/** The exchange's clock, ms; YES space; whether a taker bought is inferred from the book before it. */
export type TradeFigures = readonly [timeMs: number, priceMicros: number, amountMicros: number, taker: 'buy' | 'sell'];

export interface OrderFigures {
  readonly side: 'bid' | 'ask';
  readonly price_micros: number;
  readonly remaining_micros: number;
  readonly is_yes: boolean;
  readonly phase: string;
  readonly submitted: number;
  /** Others' shares that probably stand before it; null until a book has shown its level. */
  readonly queue_ahead_micros: number | null;
}

export interface MarketHealthFigures {
  readonly crossed: boolean;
  readonly frozen: boolean;
  readonly since_jump_ms: number | null;
  readonly sigma_price_per_sqrt_s: number;
  readonly flow_shares_per_s: number;
}

/** What the trader's operator should read. */
export interface NoticeLine {
  readonly type: 'notice';
  readonly time: number;
  readonly severity: 'info' | 'loud';
  readonly kind: string;
  readonly text: string;
}

/** The last line: nothing more is told of this run. */
export interface ByeLine {
  readonly type: 'bye';
  readonly time: number;
  readonly reason: string;
  /** Whether nothing rests, proven. */
  readonly proven: boolean;
}
