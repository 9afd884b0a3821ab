/** What a trader is told once, at its start. A `Config` has all of it; the engine knows nothing of files. */

import type { Micros } from '../../shared/base/micros.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { MarketState } from '../../shared/protocol/states.js';
import type { EventRule } from '../risk/event-rules.js';
import type { RiskLimits } from '../risk/limits.js';
import type { PollSettings } from '../scheduler/contract.js';
import type { Strategy } from '../strategy/contract.js';
import type { Economics } from '../strategy/economics.js';
import type { ParamValues } from '../strategy/params.js';
import type { BoundedCall } from './quoting/strategy-sandbox.js';
import type { MarketFilter, MarketRules } from './selection/rules.js';

export interface TraderSettings {
  /** Unique among the runs of a ledger; every id of an intent begins with it. */
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
  /** Of which it is known which outcomes exclude each other; the venue does not say it. */
  readonly events: readonly EventRule[];
  readonly strategies: readonly StrategySettings[];
  /** Absent: none. */
  readonly feeds?: readonly FeedSettings[];
  readonly boundedCall: BoundedCall;
  /** The code of a strategy by its key, loaded before a `configure` names it; absent: none is. */
  readonly findModule?: (key: string) => Strategy | null;
  /** What this start has in force, for the ledger's history of configurations; absent: it keeps none. */
  readonly startedWith?: {
    /** As `ConfigureCommand.copy`. */
    readonly copy: string;
    readonly changes: readonly string[];
  };
}

/** A feed as the core knows it; where it comes from is the shell's business. */
export interface FeedSettings {
  readonly name: string;
  /** A value older than this is not shown, ms. */
  readonly maxAgeMs: number;
}

export interface PollingSettings extends Omit<PollSettings, 'ownTrades' | 'bookDepth'> {
  /** Within which every open order must be cancelable by the request budget; absent: at once. */
  readonly cancelAllWithinMs?: number;
  /** Whether price bars are read once a market, for its volatility; absent: no. */
  readonly candlesPrior?: boolean;
  /** Whether what the venue says that our holdings are worth may order looks; absent: it may not. */
  readonly marks?: 'auto' | 'off';
}

export interface MergeSettings {
  readonly enabled: boolean;
  /** Complete sets below this stay where they are, unless the currency is needed. */
  readonly minSharesMicros: Micros;
}

/** Which markets a strategy looks at, and which of those it quotes. */
export interface MarketSelection extends MarketFilter {
  readonly ids: readonly string[];
  readonly state: MarketState;
  /** Quoted at once. */
  readonly max: number;
  /** Looked at, of those that the list shows; absent: `max`. */
  readonly candidates?: number;
  /** `listed`: the first that meet the rules, absent too; `value`: those that are worth most. */
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
  /** Whether this strategy has quote hours at all; outside them the shell says so by a command. */
  readonly quoteHours: string | null;
  readonly risk: RiskLimits;
}
