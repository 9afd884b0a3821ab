/** What a configuration is once it is read: everything resolved, defaulted and bounded, no optionals left. */

import type { Micros } from '../../shared/base/micros.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { Category, MarketState } from '../../shared/protocol/states.js';
import type { EventRule } from '../../trader/risk/event-rules.js';
import type { RiskLimits } from '../../trader/risk/limits.js';
import type { Strategy } from '../../trader/strategy/contract.js';
import type { Economics } from '../../trader/strategy/economics.js';
import type { ParamValues } from '../../trader/strategy/params.js';
import type { AlertSeverity, ChannelKind, ChatCommand } from './alert-kinds.js';
import type { ModuleFile } from './module-files.js';

/** A trader's configuration: frozen, absolute paths, money in Micros. Holds no secret. */
export interface Config {
  /** Absolute path of the trader's file. */
  readonly file: string;
  readonly venue: VenueConfig;
  /** The embedded paper exchange; null when the trader only connects to `venue.profile.base_url`. */
  readonly exchange: ExchangeConfig | null;
  readonly wallet: WalletConfig;
  readonly ledger: LedgerConfig;
  /** Currency that this trader may use. */
  readonly capitalMicros: Micros;
  readonly risk: RiskLimits;
  readonly polling: PollingConfig;
  readonly merge: MergeConfig;
  readonly economics: Economics;
  readonly events: readonly EventRule[];
  readonly schedule: ScheduleConfig;
  readonly log: LogConfig;
  readonly recording: RecordingConfig;
  readonly journal: JournalConfig;
  readonly guardian: GuardianConfig;
  /** Null for a trader by itself. */
  readonly fleet: FleetConfig | null;
  readonly dashboard: DashboardConfig;
  readonly metrics: MetricsConfig;
  readonly alerts: AlertsConfig;
  readonly reload: { readonly watch: boolean };
  readonly control: { readonly socket: string };
  readonly feeds: readonly FeedConfig[];
  readonly strategies: readonly StrategyConfig[];
  /** Lower-case hex SHA-256 of the canonical JSON of all that shapes a decision; recorded with every run. */
  readonly configHash: string;
  /** The texts of its files by absolute path, with code of the user's own. */
  readonly texts: ReadonlyMap<string, string>;
}

export interface VenueConfig {
  /** Name of the profile: `paper`, `worm`, or the base name of the profile's file. */
  readonly name: string;
  /** The profile with the trader file's `base_url`, `draft_message` and `fee_schedule` already laid over it. */
  readonly profile: VenueProfile;
  /** Only with this may a profile whose drafts nobody can read (`draft_message: opaque`) be signed. */
  readonly allowBlindSigning: boolean;
}

/** Settings of the paper exchange, embedded (`exchange:` of a trader's file) or alone (`twinbook exchange`). */
export interface ExchangeConfig {
  readonly embedded: boolean;
  readonly dataDir: string;
  /** 0 picks a free port. Always on the loopback address. */
  readonly port: number;
  readonly seed: number;
  /** Recordings that drive markets; empty for the simulated crowd's markets alone. */
  readonly marketData: readonly string[];
  /** Time scale of recordings: 1 is real time. */
  readonly speed: number;
  readonly crowd: boolean;
  /** Markets of the simulated crowd. */
  readonly crowdMarkets: number;
  /** Whether `/paper/` controls answer. */
  readonly controls: boolean;
  readonly rateLimits: boolean;
  readonly startingFundsMicros: Micros;
  readonly landingMs: number;
  /** Seconds; the venue profile's unless set. */
  readonly draftLifetimeS: number;
}

export interface WalletConfig {
  readonly file: string;
  /** API credentials; next to the wallet file unless set. */
  readonly credentials: string;
}

export interface PollingConfig {
  /** Own orders and own trades, at the shortest, ms. */
  readonly ownIntervalMs: number;
  /** Own trades while orders rest, at the longest, ms. */
  readonly ownLongestMs: number;
  /** The shortest time between two looks at one hot book, ms. */
  readonly hotIntervalMs: number;
  /** The longest time that a quoted market's book goes unseen, ms. */
  readonly quietIntervalMs: number;
  /** Whether price bars are read once a market, for its volatility. */
  readonly candlesPrior: boolean;
  /** Whether what the venue says that holdings are worth may order looks. */
  readonly marks: 'auto' | 'off';
  /** The list of markets, for what opened and closed, ms. */
  readonly catalogIntervalMs: number;
  /** Account assets, compared with the ledger, ms. */
  readonly assetsIntervalMs: number;
  /** Within which every open order must be cancelable by the request budget. */
  readonly cancelAllWithinMs: number;
}

export interface MergeConfig {
  /** Whether completed pairs are merged back into currency. */
  readonly enabled: boolean;
  /** Smallest number of complete sets that is worth a merge. */
  readonly minSharesMicros: Micros;
}

export interface LedgerConfig {
  /** Absolute path of its SQLite file. */
  readonly path: string;
  readonly backups: {
    /** So many of the newest stay. */
    readonly newest: number;
    /** Of so many days, UTC, the last of each stays. */
    readonly days: number;
    /** Room for all of them together. */
    readonly maxBytes: number;
  };
}

export interface ScheduleConfig {
  /** Cron expressions with seconds, in the machine's time zone; null switches the job off. */
  readonly reconcile: string | null;
  readonly ledgerBackup: string | null;
  readonly dailySummary: string | null;
}

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

export interface LogConfig {
  readonly level: (typeof LOG_LEVELS)[number];
  /** Absolute path of the log file; null writes to standard error. */
  readonly file: string | null;
  /** Size at which a log file is renamed, bytes. */
  readonly maxBytes: number;
  /** Number of older log files that are kept. */
  readonly keep: number;
}

export interface RecordingConfig {
  /** Whether the trader records what its own polls see. */
  readonly enabled: boolean;
  /** Absolute path of the folder of recordings. */
  readonly dir: string;
}

export interface JournalConfig {
  /** Whether everything that crosses the seam of the trader's core is kept, run by run. */
  readonly enabled: boolean;
  /** Absolute path of the folder of runs. */
  readonly dir: string;
  /** Room for all runs of this ledger together. */
  readonly maxBytes: number;
  /** Since the end of a run; null when none goes for its age. */
  readonly keptMs: number | null;
}

export interface ChannelConfig {
  readonly name: string;
  readonly kind: ChannelKind;
  /** File of mode 0600 with what is secret about it: its URL, or a Telegram bot's token. */
  readonly addressFile: string;
  /** Chat of Telegram, recipients of mail; null where the address says it all. */
  readonly to: string | null;
  /** Sender of mail; null for the others. */
  readonly from: string | null;
  /** File of mode 0600 with the key that webhooks are signed with; null for none. */
  readonly signingFile: string | null;
  readonly min: AlertSeverity;
  /** Whether it gets the daily summary. */
  readonly summary: boolean;
  /** `bare`: what happened and to which trader, and no figure, title or reason. */
  readonly detail: 'full' | 'bare';
  /** What the people who are listed may ask for over it; only Telegram has any. */
  readonly commands: readonly ChatCommand[];
  /** Their numbers at Telegram. */
  readonly users: readonly number[];
}

export interface AlertsConfig {
  readonly channels: readonly ChannelConfig[];
  /** Names of channels: what a channel cannot deliver goes to the next one. */
  readonly escalation: readonly string[];
  /** Cron expression of the seconds in which only what is critical is told; null for none. */
  readonly quietHours: string | null;
  /** Where a watcher elsewhere expects to hear of us; null for nowhere. */
  readonly heartbeat: { readonly urlFile: string; readonly everyMs: number } | null;
}

export interface MetricsConfig {
  /** Whether every program of this machine may read them. */
  readonly open: boolean;
  /** Null for none: then the password of the page opens them. */
  readonly tokenFile: string | null;
  readonly maxMarkets: number;
}

export interface DashboardConfig {
  /** Whether there is a page. */
  readonly enabled: boolean;
  /** The loopback address it listens on. */
  readonly host: '127.0.0.1' | '::1';
  /** 0 picks a free one. */
  readonly port: number;
  /** Whether the trader starts its console; else that is a unit of its own. */
  readonly start: boolean;
  /** Files of mode 0600 with the passwords of those who may only look, and of those who may also stop; null for none. */
  readonly viewPasswordFile: string | null;
  readonly stopPasswordFile: string | null;
}

/** A server of PostgreSQL; no password. */
export interface FleetDatabaseConfig {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** `unverified`: encrypted, and whoever answers is believed. */
  readonly tls: 'off' | 'unverified' | 'verified';
  /** Absolute path of the root certificate; null for those that Node knows. */
  readonly rootCert: string | null;
}

/** The fleet of traders that this one belongs to. */
export interface FleetConfig {
  readonly database: FleetDatabaseConfig;
  /** Unique in the fleet. */
  readonly name: string;
  /** Without a renewal for so long the wallet may be taken over, ms. */
  readonly leaseMs: number;
  /** Whether it waits for a wallet that another trades with, and takes it over. */
  readonly standby: boolean;
}

export interface GuardianConfig {
  /** Whether a process of its own cancels everything when the trader's heart stops. */
  readonly enabled: boolean;
  /** Whether the trader starts it; else a unit of its own does. */
  readonly start: boolean;
  /** Whether the trader refuses to start without one that can cancel. */
  readonly required: boolean;
  /** Silence that raises the alarm, ms. */
  readonly timeoutMs: number;
  /** Whether the trader goes on by itself after an alarm. */
  readonly resumeAfterAlarm: boolean;
  /** Absolute path of its own API credentials. */
  readonly credentials: string;
  /** Absolute path of its log. */
  readonly log: string;
}

/** A source of the user's own fair values. */
export type FeedConfig = FileFeed | HttpFeed | ChildFeed | VenueFeed;

interface NamedFeed {
  /** As strategies name it. */
  readonly name: string;
  /** Values older than this are shown to nobody, ms. */
  readonly maxAgeMs: number;
}

/** A CSV or JSONL file, looked at again and again. */
export interface FileFeed extends NamedFeed {
  readonly kind: 'file';
  /** Absolute. */
  readonly path: string;
  readonly everyMs: number;
}

/** An address that answers with JSON. */
export interface HttpFeed extends NamedFeed {
  readonly kind: 'http';
  readonly url: string;
  /** Hosts that may be asked, also after a redirect; lower case, with the port where it is not the usual one. */
  readonly hosts: readonly string[];
  readonly everyMs: number;
  readonly timeoutMs: number;
}

/** The public books of markets on another venue. */
export interface VenueFeed extends NamedFeed {
  readonly kind: 'polymarket' | 'kalshi';
  /** The beginning of every address. */
  readonly url: string;
  /** As of an address. */
  readonly hosts: readonly string[];
  readonly markets: readonly { readonly conditionId: string; readonly nameThere: string }[];
  /** Between two rounds through all of them, ms. */
  readonly everyMs: number;
  readonly timeoutMs: number;
}

/** A program that writes JSONL to its standard output. */
export interface ChildFeed extends NamedFeed {
  readonly kind: 'child';
  /** The program and its arguments; no shell reads them. */
  readonly command: readonly string[];
  /** Absolute: the folder of the trader's file. */
  readonly cwd: string;
  /** Names of environment variables that the program gets beside the usual ones. */
  readonly env: readonly string[];
}

export interface StrategyConfig {
  /** Unique within a trader: the strategy file's name without its extension. */
  readonly name: string;
  /** Absolute path of the strategy file. */
  readonly file: string;
  /** As written: the name of a shipped module, or a path. */
  readonly moduleName: string;
  readonly module: Strategy;
  /** Equal for equal code. */
  readonly moduleKey: string;
  /** The code of a module of the user's own; empty for a shipped one. */
  readonly moduleFiles: readonly ModuleFile[];
  /** Checked against the module's declared parameters, defaults filled in. */
  readonly params: ParamValues;
  /** As the strategy file has them. */
  readonly writtenParams: Readonly<Record<string, unknown>>;
  readonly markets: MarketSelection;
  /** Cron expression of the seconds in which it quotes; null quotes always. */
  readonly quoteHours: string | null;
  /** The trader's limits, tightened by this strategy file's `risk`. */
  readonly risk: RiskLimits;
}

/** A strategy file whose code may not be loaded: then it has no module, and its parameters are known only as written. */
export interface ReadStrategy extends Omit<StrategyConfig, 'module'> {
  readonly module: Strategy | null;
}

/** A configuration that is only compared. */
export interface ReadConfig extends Omit<Config, 'strategies' | 'configHash'> {
  readonly strategies: readonly ReadStrategy[];
}

/** What a strategy wants of a market beside what the list says; null where anything will do. Prices, currency, days. */
export interface MarketRules {
  readonly minSpread: number | null;
  readonly maxSpread: number | null;
  readonly minVolumeDay: number | null;
  readonly minDaysLeft: number | null;
  readonly maxDaysLeft: number | null;
}

/** Which markets a strategy quotes: named ones, or those of the catalog that match every given filter. */
export interface MarketSelection {
  /** Condition ids; when given, nothing is selected from the catalog. */
  readonly ids: readonly string[];
  readonly state: MarketState;
  readonly kind: 'orderbook';
  /** Empty for every category. */
  readonly categories: readonly Category[];
  /** Only titles that contain one of them, in any case; absent or empty for all. */
  readonly words?: readonly string[];
  /** No title that contains one of them, in any case. */
  readonly withoutWords?: readonly string[];
  /** Looked at, of which those are quoted that are chosen; absent: as many as are quoted. */
  readonly candidates?: number;
  /** Absent: `listed`. */
  readonly choose?: 'listed' | 'value';
  readonly rules?: MarketRules;
  /** Condition ids that it never quotes. */
  readonly except?: readonly string[];
  readonly max: number;
}
