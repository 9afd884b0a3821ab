/** The way in: a trader's file, what it names, and the environment's overrides, as one frozen `Config`. */

import { dirname, join, resolve } from 'node:path';
import { applyEnvironment, type Environment } from './environment.js';
import { explainIssues } from './explain-issues.js';
import { configHash } from './hash.js';
import { configError, fieldName, type Problem } from './problems.js';
import { type TraderFile, traderSchema } from './schema.js';
import { jsonSchema } from './schema-tree.js';
import { loadStrategyFile } from './strategy-file.js';
import type { Config, ExchangeConfig, PollingConfig, StrategyConfig } from './types.js';
import { type At, loadVenue } from './venue.js';
import { readYaml } from './yaml-source.js';

export interface LoadOptions {
  /** `process.env` of the shell; only names that begin with `TWINBOOK__` are looked at. */
  readonly env: Environment;
  /** What `path` and relative paths of the environment are relative to. */
  readonly cwd: string;
}

const schema = jsonSchema(traderSchema);

/** Throws TwinbookError `config_invalid` that lists every problem with file, line and column. */
export async function loadConfig(path: string, { env, cwd }: LoadOptions): Promise<Config> {
  const file = resolve(cwd, path);
  const { content, at } = readTraderFile(file, env, cwd);
  const folder = dirname(file);
  const absolute = (text: string): string => resolve(folder, text);
  const embedded = content.exchange?.embedded ?? false;
  const venue = loadVenue(content.venue, embedded, folder, cwd, at);
  const problems = relationProblems(content, at);
  if (problems.length > 0) throw configError(problems);
  const strategies: StrategyConfig[] = [];
  const sourceHashes: string[] = [];
  for (const [index, name] of content.strategies.entries()) {
    const asker = at(['strategies', index], 'the strategy file');
    const loaded = await loadStrategyFile(absolute(name), content.risk, cwd, asker);
    const twin = strategies.find((other) => other.name === loaded.config.name);
    if (twin !== undefined) {
      throw configError([
        at(
          ['strategies', index],
          `two strategy files are named '${twin.name}'; rename one: orders are recorded under that name`,
        ),
      ]);
    }
    strategies.push(loaded.config);
    sourceHashes.push(loaded.sourceHash);
  }
  const ledgerPath = absolute(content.ledger.path);
  const walletFile = absolute(content.wallet.file);
  const config: Omit<Config, 'configHash'> = {
    file,
    venue,
    exchange:
      content.exchange === undefined
        ? null
        : exchangeOf(content.exchange, venue.profile.draft_lifetime_s, absolute, content.venue.base_url),
    wallet: {
      file: walletFile,
      credentials:
        content.wallet.credentials === undefined
          ? join(dirname(walletFile), 'credentials.json')
          : absolute(content.wallet.credentials),
    },
    ledger: { path: ledgerPath },
    capitalMicros: content.capital,
    risk: content.risk,
    polling: pollingOf(content.polling),
    merge: { enabled: content.merge.enabled, minSharesMicros: content.merge.min_shares },
    schedule: {
      reconcile: content.schedule.reconcile,
      ledgerBackup: content.schedule.ledger_backup,
      dailySummary: content.schedule.daily_summary,
    },
    log: { level: content.log.level, file: content.log.file === null ? null : absolute(content.log.file) },
    control: { socket: content.control.socket === undefined ? `${ledgerPath}.sock` : absolute(content.control.socket) },
    strategies,
  };
  return deepFrozen({ ...config, configHash: configHash(config, sourceHashes) });
}

/** The trader's file with the environment laid over it, checked field by field. */
function readTraderFile(file: string, env: Environment, cwd: string): { content: TraderFile; at: At } {
  const source = readYaml(file, cwd);
  const problems: Problem[] = [];
  const { value, sources } = applyEnvironment(source.value, schema, env, cwd, problems);
  const locate = (path: readonly PropertyKey[], text: string, part: 'key' | 'value' = 'value'): Problem => {
    for (let length = path.length; length > 0; length--) {
      const variable = sources.get(fieldName(path.slice(0, length)));
      if (variable !== undefined) return { where: `environment ${variable}`, field: fieldName(path), text };
    }
    return source.problem(path, text, part);
  };
  const parsed = traderSchema.safeParse(value);
  if (!parsed.success) {
    problems.push(
      ...explainIssues(parsed.error, value, schema).map(({ path, text, part }) => locate(path, text, part)),
    );
  }
  if (problems.length > 0 || !parsed.success) throw configError(problems);
  return { content: parsed.data, at: locate };
}

/** What must hold between settings, each with its reason. */
function relationProblems(content: TraderFile, at: At): readonly Problem[] {
  const { polling, exchange, venue } = content;
  const problems: Problem[] = [];
  if (polling.hot_interval_ms > polling.quiet_interval_ms) {
    // The scheduler stretches a market's interval between the two.
    problems.push(
      at(['polling', 'hot_interval_ms'], `must not be above quiet_interval_ms (${polling.quiet_interval_ms})`),
    );
  }
  if (
    exchange?.embedded === true &&
    exchange.port !== 0 &&
    venue.base_url !== undefined &&
    portOf(venue.base_url) !== exchange.port
  ) {
    problems.push(
      at(['exchange', 'port'], `is ${exchange.port}, but venue.base_url says ${portOf(venue.base_url)}; remove one`),
    );
  }
  return problems;
}

/** An address given beside `embedded: true` says where the embedded exchange shall listen. */
function exchangeOf(
  file: NonNullable<TraderFile['exchange']>,
  draftLifetimeS: number,
  absolute: (text: string) => string,
  baseUrl: string | undefined,
): ExchangeConfig {
  return {
    embedded: file.embedded,
    dataDir: absolute(file.data_dir),
    port: file.port === 0 && baseUrl !== undefined && file.embedded ? portOf(baseUrl) : file.port,
    seed: file.seed,
    marketData: file.market_data.map(absolute),
    speed: file.speed,
    crowd: file.crowd,
    controls: file.controls,
    rateLimits: file.rate_limits,
    startingFundsMicros: file.starting_funds,
    landingMs: file.landing_ms,
    draftLifetimeS: file.draft_lifetime_s ?? draftLifetimeS,
  };
}

const portOf = (url: string): number => Number(new URL(url).port) || (url.startsWith('https') ? 443 : 80);

const pollingOf = (file: TraderFile['polling']): PollingConfig => ({
  ownIntervalMs: file.own_interval_ms,
  hotIntervalMs: file.hot_interval_ms,
  quietIntervalMs: file.quiet_interval_ms,
  catalogIntervalMs: file.catalog_interval_ms,
  assetsIntervalMs: file.assets_interval_ms,
});

/** Freezes plain objects and lists through and through; a strategy's module is the user's own and left alone. */
function deepFrozen<T extends object>(value: T): T {
  for (const [name, inner] of Object.entries(value)) {
    if (name !== 'module' && typeof inner === 'object' && inner !== null && !Object.isFrozen(inner)) deepFrozen(inner);
  }
  return Object.freeze(value);
}
