/** Makes a trader's configuration from its file: adds defaults, makes paths absolute, and converts units. */

import { createHash } from 'node:crypto';
import { existsSync, readlinkSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { z } from 'zod';
import { type Micros, micros, ONE } from '../../shared/base/micros.js';
import { toSettings } from '../../shared/base/settings.js';
import { closest } from '../../shared/base/text.js';
import { type VenueProfile, venueProfileSchema } from '../../shared/protocol/profile.js';
import type { MarketSelection, StrategySettings } from '../../trader/engine/settings.js';
import type { Strategy } from '../../trader/strategy/contract.js';
import { batchOf, type Economics, SECONDS_PER_DAY, USUAL_PAIRS_PER_S } from '../../trader/strategy/economics.js';
import {
  type At,
  configError,
  joinWithOr,
  type KindKeys,
  kindProblems,
  type Problem,
  readBySchema,
} from './problems.js';
import { channelSchema, traderSchema } from './schema.js';
import { venueFile, venueNames } from './shipped.js';
import { readYaml, type SourceTexts } from './yaml-source.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of the trader's file. Emergency commands load only these, so they work even if a strategy is broken. */
export type TraderConfig = Readonly<ReturnType<typeof makeTrader>>;

/** A trader's configuration: it is frozen, with absolute paths, and money in micros. Contains no secret. */
export interface Config extends TraderConfig {
  readonly strategies: readonly StrategyConfig[];
  /** SHA-256 of the canonical JSON of all settings that affect decisions, lower-case hex; stored with every run. */
  readonly configHash: string;
  /** Contents of the configuration's files and the user's own code by absolute path, the overrides, the fixed settings. */
  readonly texts: ReadonlyMap<string, string>;
}

export type ChannelConfig = TraderConfig['alerts']['channels'][number];
export type FleetConfig = NonNullable<TraderConfig['fleet']>;
/** A source of the user's own fair values for markets. */
export type FeedConfig = TraderConfig['feeds'][number];

/** One strategy. `name` is the strategy file's name without its extension; it is unique within a trader. */
export interface StrategyConfig extends StrategySettings {
  /** Absolute path of the user's strategy file. */
  readonly file: string;
  /** The setting `strategy` of the strategy file: the name of a shipped module, or a path. */
  readonly moduleName: string;
  readonly moduleKey: string;
  readonly writtenParams: Readonly<Record<string, unknown>>;
  readonly markets: MarketSelection & { readonly kind: 'orderbook' };
}

/** Content of a strategy file. If the strategy's code is not loaded, `module` is null and `params` are unchecked. */
export type ReadStrategy = Omit<StrategyConfig, 'module'> & Readonly<{ module: Strategy | null }>;

/** A configuration that is only compared with another one; the code of its strategies need not be loaded. */
export interface ReadConfig extends Omit<Config, 'strategies' | 'configHash'> {
  readonly strategies: readonly ReadStrategy[];
}

/** Name of the venue profile without real money; with it, the dashboard is on by default. */
export const PAPER = 'paper';

type TraderFile = z.output<typeof traderSchema>;

export function makeTrader(content: TraderFile, venue: ReturnType<typeof loadVenue>, file: string, at: At) {
  const folder = dirname(file);
  const absolute: MakeAbsolute = (text) => resolve(folder, text);
  const { shape } = traderSchema;
  const wallet = toSettings(shape.wallet, content.wallet, absolute);
  const besideKey = (name: string): string => join(dirname(wallet.file), name);
  const ledgerPath = fileBehind(absolute(content.ledger.path));
  const { cancelAllWithinS, ...polling } = toSettings(shape.polling, content.polling);
  const merge = toSettings(shape.merge, content.merge);
  const economics: Economics = {
    currencyPricePerS: content.economics.currency_price_per_day / ONE / SECONDS_PER_DAY,
    requestPrice: content.economics.request_price / ONE,
  };
  const journal = toSettings(shape.journal, content.journal, absolute);
  const guardian = toSettings(shape.guardian, content.guardian, absolute);
  const dashboard = toSettings(shape.dashboard, content.dashboard, absolute);
  return {
    file,
    venue,
    exchange: makeExchange(content, venue.profile.draft_lifetime_s, absolute),
    wallet: { ...wallet, credentials: wallet.credentials ?? besideKey('credentials.json') },
    ledger: { path: ledgerPath, backups: toSettings(shape.ledger.shape.backups, content.ledger.backups) },
    capitalMicros: content.capital,
    risk: content.risk,
    polling: { ...polling, cancelAllWithinMs: 1000 * cancelAllWithinS },
    merge: { ...merge, minSharesMicros: merge.minSharesMicros ?? usualBatch(economics) },
    economics,
    events: content.events.map(({ event, outcomes, markets }) => ({
      eventConditionId: event,
      outcomes,
      marketConditionIds: markets,
    })),
    schedule: toSettings(shape.schedule, content.schedule),
    log: toSettings(shape.log, content.log, absolute),
    recording: toSettings(shape.recording, content.recording, absolute),
    journal: { ...journal, dir: journal.dir ?? join(dirname(ledgerPath), 'runs') },
    guardian: { ...guardian, credentials: guardian.credentials ?? besideKey('guardian-credentials.json') },
    fleet: makeFleet(content.fleet, folder),
    feeds: makeFeeds(content.feeds, folder),
    dashboard: { ...dashboard, enabled: dashboard.enabled ?? venue.name === PAPER },
    alerts: makeAlerts(content.alerts, absolute),
    metrics: toSettings(shape.metrics, content.metrics, absolute),
    control: { socket: chooseSocket(content.control.socket, ledgerPath, absolute, at) },
  };
}

/** Returns the violations of rules that relate several settings to each other. */
export function relationProblems(content: TraderFile, at: At): readonly Problem[] {
  const { feeds, polling, exchange, venue, fleet } = content;
  const problems = [
    ...Object.entries(feeds).flatMap(([name, feed]) => kindProblems('feed', feed, FEED_KEYS, ['feeds', name], at)),
    ...alertProblems(content.alerts, at),
  ];
  const complain = (path: readonly PropertyKey[], text: string) => problems.push(at(path, text));
  const wrong = fleet === undefined ? null : objection(fleet.database);
  if (wrong !== null) complain(['fleet', 'database'], wrong);
  if (fleet !== undefined && exchange?.embedded === true)
    complain(['fleet'], 'a fleet cannot use an embedded exchange, which ends with its trader; run `twinbook exchange`');
  // The scheduler chooses a market's poll interval between `hot_interval_ms` and `quiet_interval_ms`.
  if (polling.hot_interval_ms > polling.quiet_interval_ms)
    complain(['polling', 'hot_interval_ms'], `must not be above quiet_interval_ms (${polling.quiet_interval_ms})`);
  const { credentials } = content.guardian;
  if (credentials !== undefined && credentials === content.wallet.credentials) {
    const text = 'is the trader’s file; the guardian needs its own key, which stays valid if the trader’s is revoked';
    complain(['guardian', 'credentials'], text);
  }
  const told = venue.base_url === undefined ? null : parsePort(venue.base_url);
  if (exchange?.embedded === true && exchange.port !== 0 && told !== null && told !== exchange.port)
    complain(['exchange', 'port'], `port is ${exchange.port}, but venue.base_url has port ${told}; remove one`);
  for (const [index, { event, outcomes, markets }] of content.events.entries()) {
    const path = ['events', index];
    if (content.events.findIndex((other) => other.event === event) < index)
      complain([...path, 'event'], 'this event is declared above; keep one of the two');
    const named = new Set(markets).size;
    const wanted =
      outcomes === 'nested'
        ? 'a nested event needs its markets, from widest to narrowest'
        : 'an exhaustive event needs all of its markets';
    if (outcomes !== 'exclusive' && (named < 2 || named < markets.length))
      complain([...path, 'outcomes'], `${wanted}; list two or more markets, each once`);
    if (outcomes === 'exclusive' && named > 0)
      complain([...path, 'markets'], 'remove the list: an exclusive event always includes all of its markets');
  }
  return problems;
}

/** Default of `merge.min_shares`: the cheapest number of sets per merge, within the setting's bounds. */
const usualBatch = (economics: Economics): Micros =>
  micros(Math.round(Math.min(1e6, Math.max(0.01, batchOf(economics, USUAL_PAIRS_PER_S))) * ONE));

type MakeAbsolute = (path: string) => string;

/** Makes the settings of the paper exchange. An embedded exchange listens on the port of `venue.base_url`. */
function makeExchange({ exchange: file, venue }: TraderFile, draftLifetimeS: number, absolute: MakeAbsolute) {
  if (file === undefined) return null;
  const exchange = toSettings(traderSchema.shape.exchange, file, absolute);
  const givenPort = venue.base_url === undefined ? 0 : parsePort(venue.base_url);
  return {
    ...exchange,
    port: file.port === 0 && file.embedded ? givenPort : file.port,
    draftLifetimeS: exchange.draftLifetimeS ?? draftLifetimeS,
  };
}

const parsePort = (url: string): number => Number(new URL(url).port) || (url.startsWith('https') ? 443 : 80);

/** Maximum number of symbolic links to follow; a longer chain counts as circular, as in Linux. */
const MOST_LINKS = 40;

/** Follows symbolic links, so that every name of a ledger leads to the same files beside the ledger. */
export function fileBehind(path: string): string {
  let file = path;
  for (let links = 0; links < MOST_LINKS; links++) {
    try {
      file = resolve(dirname(file), readlinkSync(file));
    } catch {
      return file; // The path is no link, or does not exist yet.
    }
  }
  return path;
}

/** Maximum length of a Unix socket's path: 107 bytes on Linux, 103 on other systems. */
const MAX_SOCKET_BYTES = 103;

function chooseSocket(given: string | undefined, ledgerPath: string, absolute: MakeAbsolute, at: At): string {
  const beside = given === undefined ? `${ledgerPath}.sock` : absolute(given);
  if (Buffer.byteLength(beside) <= MAX_SOCKET_BYTES) return beside;
  if (given !== undefined) {
    const text = `a socket's path has at most ${MAX_SOCKET_BYTES} bytes, but this has ${Buffer.byteLength(beside)}; write a shorter one`;
    throw configError([at(['control', 'socket'], text)]);
  }
  return `/tmp/twinbook-${createHash('sha256').update(ledgerPath).digest('hex').slice(0, 16)}.sock`;
}

type AlertsFile = TraderFile['alerts'];

const NONE = { wants: [], may: [] };
const CHANNEL_KEYS: KindKeys<AlertsFile['channels'][string]['kind']> = {
  webhook: NONE,
  slack: NONE,
  discord: NONE,
  ntfy: NONE,
  telegram: { wants: ['to'], may: ['commands', 'users'] },
  mail: { wants: ['to', 'from'], may: [] },
};

function alertProblems({ channels }: AlertsFile, at: At): readonly Problem[] {
  return Object.entries(channels).flatMap(([name, channel]) => {
    const path = ['alerts', 'channels', name];
    const { commands = [], users } = channel;
    const lonely = '`commands` requires `users`: the Telegram ids of the people who may send commands';
    return [
      ...(commands.length > 0 && users === undefined ? [at([...path, 'commands'], lonely)] : []),
      ...kindProblems('channel', channel, CHANNEL_KEYS, path, at),
    ];
  });
}

function makeAlerts(alerts: AlertsFile, absolute: MakeAbsolute) {
  const { heartbeat } = alerts;
  return {
    channels: Object.entries(alerts.channels).map(([name, channel]) => ({
      name,
      ...toSettings(channelSchema, channel, absolute),
      commands: channel.commands ?? [],
      users: channel.users ?? [],
    })),
    heartbeat: heartbeat === undefined ? null : { urlFile: absolute(heartbeat.url_file) },
  };
}

export const isConsoleWanted = ({ dashboard, alerts }: Pick<TraderConfig, 'dashboard' | 'alerts'>): boolean =>
  dashboard.enabled || alerts.channels.length > 0 || alerts.heartbeat !== null;

type FeedsFile = TraderFile['feeds'];

const FEED_KEYS: KindKeys<FeedsFile[string]['kind']> = {
  file: { wants: ['path'], may: [] },
  child: { wants: ['command'], may: ['env'] },
};

const makeFeeds = (feeds: FeedsFile, folder: string) =>
  Object.entries(feeds).map(([name, { kind, path = '', command = [], env = [], every_ms: everyMs, max_age_s: s }]) => {
    const named = { name, maxAgeMs: Math.round(s * 1000) };
    return kind === 'file'
      ? { ...named, kind, path: resolve(folder, path), everyMs }
      : { ...named, kind, command, cwd: folder, env };
  });

const WANTED =
  'wants postgresql://USER@HOST:PORT/DATABASE, or postgresql:///DATABASE?host=FOLDER&user=USER for a socket';
const TLS = { disable: 'off', require: 'unverified', 'verify-full': 'verified' } as const;
const PARAMETERS = ['host', 'user', 'sslmode', 'sslrootcert'];
const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];

/** Checks the fleet's database. Error messages omit the database's address, which may contain a password. */
function objection(address: string): string | null {
  // An invalid percent escape in the address would make `decodeURIComponent` throw later.
  if (!URL.canParse(address) || /%(?![0-9a-f]{2})/i.test(address)) return WANTED;
  const url = new URL(address);
  const parameters = [...url.searchParams.keys()];
  if (url.password !== '' || parameters.includes('password'))
    return 'contains a password; remove it, and set TWINBOOK_FLEET_PASSWORD or name a file in TWINBOOK_FLEET_PASSWORD_FILE';
  if (!/^postgres(ql)?:$/.test(url.protocol) || url.pathname.length < 2) return WANTED;
  const strange = parameters.find((name) => !PARAMETERS.includes(name));
  if (strange !== undefined) return `address has the parameter ${strange}; permitted are ${PARAMETERS.join(', ')}`;
  const mode = url.searchParams.get('sslmode');
  if (mode !== null && !Object.hasOwn(TLS, mode)) return `the sslmode is none of ${Object.keys(TLS).join(', ')}`;
  const { host, user } = readParts(url);
  return host === '' || user === '' ? WANTED : null;
}

/** Makes the settings of a fleet; null without a fleet, or if the setting of its database is invalid. */
const makeFleet = (file: TraderFile['fleet'], folder: string) =>
  file === undefined || objection(file.database) !== null
    ? null
    : {
        database: makeDatabase(new URL(file.database), folder),
        name: file.name,
        leaseMs: 1000 * file.lease_s,
        standby: file.standby,
      };

function makeDatabase(url: URL, folder: string) {
  const { host, user } = readParts(url);
  const isHere = host.startsWith('/') || LOOPBACK.includes(host);
  const mode = url.searchParams.get('sslmode') as keyof typeof TLS | null;
  const rootCert = url.searchParams.get('sslrootcert');
  return {
    host,
    port: Number(url.port || 5432),
    database: decodeURIComponent(url.pathname.slice(1)),
    user,
    tls: mode === null ? (isHere ? 'off' : 'verified') : TLS[mode],
    rootCert: rootCert === null ? null : resolve(folder, rootCert),
  };
}

const readParts = (url: URL) => ({
  host: url.searchParams.get('host') ?? bareHost(url),
  user: url.searchParams.get('user') ?? decodeURIComponent(url.username),
});

/** Returns the host of a URL, without the brackets of an IPv6 address. */
const bareHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/** Loads the venue profile and applies the trader file's `base_url`, `draft_message` and `fee_schedule`. */
export function loadVenue(
  file: TraderFile['venue'],
  embedded: boolean,
  folder: string,
  { cwd, sources }: { readonly cwd: string; readonly sources: SourceTexts },
  at: At,
) {
  const path = profilePath(file.profile, folder, at);
  const profile: VenueProfile = {
    ...readProfile(path, cwd, { asker: at(['venue', 'profile'], 'the profile'), sources }),
    ...(file.base_url === undefined ? {} : { base_url: file.base_url }),
    ...(file.draft_message === undefined ? {} : { draft_message: file.draft_message }),
    ...(file.fee_schedule === undefined ? {} : { fee_schedule: file.fee_schedule }),
  };
  const problem = addressProblem(profile.base_url, embedded);
  if (problem !== null) throw configError([at(['venue', 'base_url'], problem)]);
  if (embedded && (profile.fee_schedule ?? 'notional') !== 'notional') {
    const text = `the embedded exchange charges fees of price x amount, but fee_schedule is ${profile.fee_schedule}`;
    throw configError([at(['venue', file.fee_schedule === undefined ? 'profile' : 'fee_schedule'], text)]);
  }
  const unreadable = unreadableDrafts(profile);
  if (unreadable !== null && !file.allow_blind_signing) {
    const text = `${unreadable}, so the content of drafts cannot be checked before signing; to accept that, write allow_blind_signing: true`;
    throw configError([at(['venue', file.draft_message === undefined ? 'profile' : 'draft_message'], text)]);
  }
  return { name: basename(path, extname(path)), profile, allowBlindSigning: file.allow_blind_signing };
}

/** Returns why the content of the venue's drafts cannot be checked; null if it can. */
function unreadableDrafts({ draft_message, solana_programs = [] }: VenueProfile): string | null {
  if (draft_message === 'opaque') return 'drafts of this venue are opaque';
  if (draft_message !== 'solana_tx' || solana_programs.length === 0) return null;
  return 'drafts of this venue call programs listed in its solana_programs';
}

export function readProfile(path: string, cwd: string, options?: Parameters<typeof readYaml>[2]): VenueProfile {
  const source = readYaml(path, cwd, options);
  return readBySchema(venueProfileSchema, source.value, source.problem);
}

/** Warning in the error for a mistyped profile name, if the suggested profile uses real money. */
const LIVE_VENUE = `, a live venue with real money, on which this program was never run ('${PAPER}' is the simulated one)`;

/** Finds a profile by its path, or by its name among shipped profiles and in `venues/` beside the trader's file. */
export function profilePath(profile: string, folder: string, at: At): string {
  if (!/^[A-Za-z0-9_-]+$/.test(profile)) return resolve(folder, profile);
  if (venueNames().includes(profile)) return venueFile(profile);
  const own = join(folder, 'venues', `${profile}.yaml`);
  if (existsSync(own)) return own;
  const near = closest(profile, venueNames());
  const meant =
    near === null
      ? `shipped profiles are ${joinWithOr(venueNames())}; or write the path of a profile file`
      : `did you mean '${near}'${near === PAPER ? '' : LIVE_VENUE}?`;
  throw configError([at(['venue', 'profile'], `no venue profile '${profile}'; ${meant}`)]);
}

/** Returns why a venue's address is refused; null if accepted. An embedded exchange must be on this machine. */
function addressProblem(baseUrl: string, embedded: boolean): string | null {
  const url = new URL(baseUrl);
  const loopback = LOOPBACK.includes(bareHost(url));
  if (url.username !== '' || url.password !== '') return 'wants an address without user name and password';
  if (url.search !== '' || url.hash !== '') return 'wants an address without query and fragment';
  if (embedded && !loopback)
    return `the embedded exchange listens on this machine only, but the address is ${url.hostname}; write http://127.0.0.1:8787 or remove exchange.embedded`;
  if (url.protocol === 'https:') return null;
  return loopback ? null : `wants an https address (http only on this machine), got ${baseUrl}`;
}
