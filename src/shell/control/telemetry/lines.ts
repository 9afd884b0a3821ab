/**
 * Telemetry of a running trader for subscribers: lines of JSON over the control socket. Types only. Amounts and prices
 * are whole millionths (`…_micros`, prices in YES space), times are Unix ms unless a name says otherwise.
 */

import type { StatusFeed } from '../status.js';
import type { HistogramFigures } from './histogram.js';

export type TelemetryLine = HelloLine | FrameLine | NoticeLine | ByeLine;

/** First line of a connection, repeated after a change of configuration. */
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
  /** Limits of the account's figures. */
  readonly limits: LimitFigures;
  /** The configuration in force in file form, secrets as stars. */
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
  /** In the first frame of a sweep over all markets, absent from the following ones. */
  readonly account?: AccountFigures;
  /** Markets whose view, quotes, orders or holdings have changed since their newest frame. */
  readonly markets: readonly MarketFigures[];
  /** Present with `account`: all tracked markets. Others are over. */
  readonly known?: readonly string[];
}

/** Of the newest complete comparison of ledger and exchange. */
export interface AgreementFigures {
  /** Unix ms. */
  readonly compared: number;
  /** The round's differences, confirmed or not. */
  readonly differences: readonly string[];
  /** One sentence, and the number of accepted differences. */
  readonly text: string;
  readonly accepted: number;
  /** Differences confirmed by a second round, the first five in a sentence; null without any. */
  readonly confirmed: string | null;
}

export interface AccountFigures {
  readonly mode: string;
  readonly reason: string;
  /** Command that leads back up from this mode; empty when none is needed. */
  readonly way_back: string;
  readonly silent: boolean;
  readonly cash_micros: number;
  /** Null while a held share has no mark. */
  readonly equity_micros: number | null;
  readonly result_micros: number | null;
  readonly loss_day_micros: number;
  readonly drawdown_micros: number;
  readonly open_orders: number;
  readonly unknown_orders: number;
  readonly fills: number;
  readonly unsent: number;
  /** Why only reducing orders are allowed; null when ledger and exchange agree. */
  readonly reduce_only: string | null;
  readonly agreement: AgreementFigures | null;
  readonly clock_offset_ms: number | null;
  readonly budgets: readonly BudgetFigures[];
  /** Requests of this run by purpose. */
  readonly spent: readonly { readonly purpose: string; readonly total: number }[];
  readonly feeds: readonly StatusFeed[];
  readonly health: HealthFigures;
  readonly upkeep: UpkeepFigures;
  readonly risk: RiskFigures;
}

/** What runs beside trading. */
export interface UpkeepFigures {
  /**
   * The newest scheduled backup of the ledger if it failed, with its time, Unix ms. Null on success, and before the
   * first.
   */
  readonly backup_failed: { readonly at: number; readonly why: string } | null;
  /** Why the journal of this run has ended or never began; null while it is written, and without one. */
  readonly journal_ended: string | null;
  /** Whether a journal is configured. */
  readonly has_journal: boolean;
}

/** Used part of the limits. */
export interface RiskFigures {
  /** Currency lost if every order filled at its worst and every market resolved against us. */
  readonly total_cost_micros: number;
  /** Orders and cancels of the last second and of the last minute. */
  readonly actions_last_second: number;
  readonly actions_last_minute: number;
  /** Most fills within one window, among the newest fills. */
  readonly fills_in_window: number;
  readonly events: readonly EventFigures[];
}

/** An event with holdings or working orders; for a market without an event, that market. */
export interface EventFigures {
  readonly id: string;
  /** Sum of its markets' worst positions, shares. */
  readonly position_micros: number;
  /** Its possible loss in currency, negative where it can only gain. */
  readonly loss_micros: number;
}

export interface BudgetFigures {
  readonly scope: 'public' | 'signed';
  /** Requests per minute that the venue allows, and that may be used now. */
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
  /** Of this run; bounds in `STEP_BUCKETS`, seconds. */
  readonly step_seconds: HistogramFigures;
  readonly requests: readonly RequestFigures[];
  readonly beat_late_p99_ms: number;
  /** 0: everything twice a second; higher: reduced (`Brake`). */
  readonly brake: number;
  readonly readers: number;
  /** Readers of this run disconnected because they did not read. */
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
  /** `quoting`, or the reason why not, in a few words. */
  readonly state: string;
  readonly note: string;
  readonly fair_micros: number | null;
  readonly mark_micros: number | null;
  readonly yes_micros: number;
  readonly no_micros: number;
  readonly max_position_micros: number | null;
  readonly tick_micros: number | null;
  /** Time of the newest book; null before the first. */
  readonly book_seen: number | null;
  /** Resolution time; null when unknown. */
  readonly resolves: number | null;
  /** Absent while telemetry is reduced: others' best levels, best first, price and shares. */
  readonly bids?: readonly LevelFigures[];
  readonly asks?: readonly LevelFigures[];
  /** Likewise: the newest public trades, newest first. */
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
  /** Estimated shares of others ahead of it; null before a book with its level. */
  readonly queue_ahead_micros: number | null;
}

export interface MarketHealthFigures {
  readonly crossed: boolean;
  readonly frozen: boolean;
  readonly since_jump_ms: number | null;
  readonly sigma_price_per_sqrt_s: number;
  readonly flow_shares_per_s: number;
}

/** A notice for the trader's operator. */
export interface NoticeLine {
  readonly type: 'notice';
  readonly time: number;
  readonly severity: 'info' | 'loud';
  readonly kind: string;
  readonly text: string;
}

/** The last line of this run. */
export interface ByeLine {
  readonly type: 'bye';
  readonly time: number;
  readonly reason: string;
  /** Whether nothing rests, proven. */
  readonly proven: boolean;
}
