/**
 * A configuration after reading: everything resolved, with defaults and bounds, without optional fields. `schema.ts`
 * documents each setting.
 */

import type { MarketSelection } from '../../trader/engine/settings.js';
import type { RiskLimits } from '../../trader/risk/limits.js';
import type { ParamValues, Strategy } from '../../trader/strategy/contract.js';
import type { makeTrader } from './make-trader.js';
import type { ModuleFile } from './module-files.js';

/** Only a trader's file. Emergency commands need no more, so a broken strategy cannot stop them. */
export type TraderConfig = Readonly<ReturnType<typeof makeTrader>>;

/** A trader's configuration: frozen, absolute paths, money in micros. Contains no secret. */
export interface Config extends TraderConfig {
  readonly strategies: readonly StrategyConfig[];
  /** Lower-case hex SHA-256 of the canonical JSON of everything that affects a decision; stored with every run. */
  readonly configHash: string;
  /** Texts of its files by absolute path, with the user's own code. */
  readonly texts: ReadonlyMap<string, string>;
}

export type LedgerConfig = TraderConfig['ledger'];
export type ScheduleConfig = TraderConfig['schedule'];
export type LogConfig = TraderConfig['log'];
export type AlertsConfig = TraderConfig['alerts'];
export type ChannelConfig = AlertsConfig['channels'][number];
export type DashboardConfig = TraderConfig['dashboard'];
export type FleetConfig = NonNullable<TraderConfig['fleet']>;
/** A server of PostgreSQL; no password. */
export type FleetDatabaseConfig = FleetConfig['database'];
/** A source of the user's own fair values. */
export type FeedConfig = TraderConfig['feeds'][number];
export type FileFeed = Extract<FeedConfig, { kind: 'file' }>;
export type HttpFeed = Extract<FeedConfig, { kind: 'http' }>;
export type VenueFeed = Extract<FeedConfig, { kind: 'polymarket' | 'kalshi' }>;
export type ChildFeed = Extract<FeedConfig, { kind: 'child' }>;

export interface StrategyConfig {
  /** Unique within a trader: the strategy file's name without its extension. */
  readonly name: string;
  /** Absolute path of the strategy file. */
  readonly file: string;
  /** As written: name of a shipped module, or a path. */
  readonly moduleName: string;
  readonly module: Strategy;
  /** Equal for equal code. */
  readonly moduleKey: string;
  /** Code of the user's module; empty for a shipped one. */
  readonly moduleFiles: readonly ModuleFile[];
  /** Checked against the module's declared parameters, defaults filled in. */
  readonly params: ParamValues;
  /** As in the strategy file. */
  readonly writtenParams: Readonly<Record<string, unknown>>;
  readonly markets: MarketSelection & { readonly kind: 'orderbook' };
  /** Cron expression of the seconds in which it quotes; null: always. */
  readonly quoteHours: string | null;
  /** The trader's limits, tightened by this strategy file's `risk`. */
  readonly risk: RiskLimits;
}

/** A strategy file whose code may not be loaded: it has no module, and its parameters are known only as written. */
export interface ReadStrategy extends Omit<StrategyConfig, 'module'> {
  readonly module: Strategy | null;
}

/** A configuration for comparison only. */
export interface ReadConfig extends Omit<Config, 'strategies' | 'configHash'> {
  readonly strategies: readonly ReadStrategy[];
}
