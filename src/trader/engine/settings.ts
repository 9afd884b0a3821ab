/** Settings of a trader at its start, taken from a `Config`; the engine reads no files. */

import type { Micros } from '../../shared/base/micros.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { MarketState } from '../../shared/protocol/states.js';
import type { EventRule } from '../risk/event-rules.js';
import type { RiskLimits } from '../risk/limits.js';
import type { PollSettings } from '../scheduler/contract.js';
import type { Strategy } from '../strategy/contract.js';
import type { Economics } from '../strategy/economics.js';
import type { ParamValues } from '../strategy/params.js';
import type { MarketFilter, MarketRules } from './selection/rules.js';

/**
 * Calls a function and gives up on it after a bounded time by throwing. The shell supplies it, because only a shell can
 * measure time; a shell on virtual time may simply call.
 */
export type BoundedCall = <T>(call: () => T) => T;

export interface TraderSettings {
  /** Unique per run of a ledger; prefix of every intent id. */
  readonly runId: string;
  readonly configHash: string;
  readonly version: string;
  readonly profile: VenueProfile;
  /** Currency that this trader may use. */
  readonly capitalMicros: Micros;
  readonly risk: RiskLimits;
  readonly polling: PollingSettings;
  readonly merge: MergeSettings;
  readonly economics: Economics;
  /** Known exclusive outcomes of events; the venue does not report them. */
  readonly events: readonly EventRule[];
  readonly strategies: readonly StrategySettings[];
  /** Absent: none. */
  readonly feeds?: readonly FeedSettings[];
  readonly boundedCall: BoundedCall;
  /** Returns a strategy's code by key, loaded before a `configure` names it; absent: no code can be loaded. */
  readonly findModule?: (key: string) => Strategy | null;
  /** Configuration of this start, for the ledger's history; absent: no history. */
  readonly startedWith?: {
    /** As `ConfigureCommand.copy`. */
    readonly copy: string;
    readonly changes: readonly string[];
  };
}

/** A feed as the core knows it; the shell reads its source. */
export interface FeedSettings {
  readonly name: string;
  /** Values older than this are hidden, ms. */
  readonly maxAgeMs: number;
}

export interface PollingSettings extends Omit<PollSettings, 'ownTrades' | 'bookDepth'> {
  /** Time within which the request budget must allow all open orders to be canceled; absent: at once. */
  readonly cancelAllWithinMs?: number;
  /** Whether price bars are read once per market, for its volatility; absent: no. */
  readonly candlesPrior?: boolean;
  /** Whether the venue's marks of our holdings may trigger reads; absent: no. */
  readonly marks?: 'auto' | 'off';
}

export interface MergeSettings {
  readonly enabled: boolean;
  /** Complete sets below this are not merged, unless the currency is needed. */
  readonly minSharesMicros: Micros;
}

/** Markets that a strategy tracks, and those that it quotes. */
export interface MarketSelection extends MarketFilter {
  readonly ids: readonly string[];
  readonly state: MarketState;
  /** Quoted at once. */
  readonly max: number;
  /** Tracked markets from the list; absent: `max`. */
  readonly candidates?: number;
  /** `listed` (default): the first that meet the rules. `value`: the most valuable. */
  readonly choose?: 'listed' | 'value';
  readonly rules?: MarketRules;
}

export interface StrategySettings {
  readonly name: string;
  readonly module: Strategy;
  /** Equal for equal code; absent: the module never changes. */
  readonly moduleKey?: string;
  readonly params: ParamValues;
  readonly markets: MarketSelection;
  /** The strategy's quote hours; null without any. The shell sends a command when they begin or end. */
  readonly quoteHours: string | null;
  readonly risk: RiskLimits;
}
