/** Settings of a trader, made from a `Config`; the engine reads no files. */

import type { Micros } from '../../shared/base/micros.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { MarketState } from '../../shared/protocol/states.js';
import type { EventRule } from '../risk/exposure.js';
import type { RiskLimits } from '../risk/limits.js';
import type { PollPlan } from '../scheduler/poll-plan.js';
import type { ParamValues, Strategy } from '../strategy/contract.js';
import type { Economics } from '../strategy/economics.js';

/** Calls a function, and throws if it exceeds the shell's time limit. In virtual time, there may be no time limit. */
export type BoundedCall = <T>(call: () => T) => T;

export interface TraderSettings {
  /** Id of the run, unique in its ledger. Every intent id begins with it. */
  readonly runId: string;
  readonly configHash: string;
  readonly version: string;
  readonly profile: VenueProfile;
  readonly capitalMicros: Micros;
  readonly risk: RiskLimits;
  readonly polling: PollingSettings;
  readonly merge: MergeSettings;
  readonly economics: Economics;
  /** Outcome rules of events, which the operator declares because the exchange does not report them. */
  readonly events: readonly EventRule[];
  readonly strategies: readonly StrategySettings[];
  /** Value feeds declared in the trader's file; absent: no feeds. */
  readonly feeds?: readonly FeedSettings[];
  readonly boundedCall: BoundedCall;
  /** Returns a loaded strategy module by its key; absent: a change of settings cannot change a strategy's code. */
  readonly findModule?: (key: string) => Strategy | null;
  /** Configuration of this start, for the configuration history in the ledger; absent: no history. */
  readonly startedWith?: {
    /** Hash of the copy of the configuration's files, as in `ConfigureCommand.copy`. */
    readonly copy: string;
    readonly changes: readonly string[];
  };
}

export interface FeedSettings {
  readonly name: string;
  /** Maximum age of the feed's values, ms; strategies do not see older values. */
  readonly maxAgeMs: number;
}

interface PollingSettings extends Omit<ConstructorParameters<typeof PollPlan>[0], 'ownTrades' | 'bookDepth'> {
  /** The request budget must suffice to cancel all open orders within this time, ms; absent: at once. */
  readonly cancelAllWithinMs?: number;
  /** Whether price bars are read once per market, for its volatility; absent: false. */
  readonly candlesPrior?: boolean;
  /** With `auto`, the exchange's marks of held shares may trigger book reads; absent: off. */
  readonly marks?: 'auto' | 'off';
}

export interface MergeSettings {
  readonly enabled: boolean;
  /** Smallest merge of complete sets, shares; while currency is scarce, smaller merges are allowed. */
  readonly minSharesMicros: Micros;
}

export interface MarketFilter {
  /** Categories of the selected markets; empty selects every category. */
  readonly categories: readonly string[];
  /** A selected market's title has at least one of these words, case-insensitive; absent or empty: any title. */
  readonly words?: readonly string[];
  /** Words that exclude a market if its title contains one, case-insensitive. */
  readonly withoutWords?: readonly string[];
  readonly except?: readonly string[];
}

/** Rules that a market's observed book and volume must meet; null sets no limit. Prices and currency are floats. */
interface MarketRules {
  /** Minimum of other accounts' best ask minus best bid; null: no minimum. */
  readonly minSpread: number | null;
  readonly maxSpread: number | null;
  /** Minimum traded volume of a market per day, currency; null: no minimum. */
  readonly minVolumeDay: number | null;
  /** Minimum and maximum number of days until the market resolves; null: no limit. */
  readonly minDaysLeft: number | null;
  readonly maxDaysLeft: number | null;
}

/** Selection of the markets that a strategy tracks, and of those that it quotes. */
export interface MarketSelection extends MarketFilter {
  readonly ids: readonly string[];
  readonly state: MarketState;
  readonly max: number;
  /** Maximum number of listed markets that the strategy tracks; absent: `max`. */
  readonly candidates?: number;
  /** `listed` (default) quotes the first markets that meet the rules, `value` the most valuable markets. */
  readonly choose?: 'listed' | 'value';
  readonly rules?: MarketRules;
}

export interface StrategySettings {
  readonly name: string;
  readonly module: Strategy;
  /** Key that changes if the module's code changes; absent: the code never changes. */
  readonly moduleKey?: string;
  readonly params: ParamValues;
  readonly markets: MarketSelection;
  /** Cron expression of the strategy's quote hours; null: always. A command of the shell starts and ends the hours. */
  readonly quoteHours: string | null;
  readonly risk: RiskLimits;
}
