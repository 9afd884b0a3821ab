/** Loads a trader's file, the files that it names, and the environment's overrides, as one frozen `Config`. */

import { dirname, resolve } from 'node:path';
import { must } from '../../shared/base/errors.js';
import type { RiskLimits } from '../../trader/risk/limits.js';
import type { Strategy } from '../../trader/strategy/contract.js';
import { applyEnvironment, type Environment } from './environment.js';
import { type At, readBySchema, readParts } from './explain-issues.js';
import { configHash } from './hash.js';
import { alertProblems, feedProblems, fleetProblems, makeTrader, parsePort } from './make-trader.js';
import { fieldName, type Problem, ProblemList } from './problems.js';
import { type TraderFile, traderSchema } from './schema.js';
import { jsonSchema } from './schema-tree.js';
import { loadVenue } from './sections/venue.js';
import { readStrategyFile, withCode } from './strategy-file.js';
import type { CodeRules } from './strategy-module.js';
import type { Config, ReadConfig, ReadStrategy, TraderConfig } from './types.js';
import { readYaml, SourceTexts } from './yaml-source.js';

export type { TraderConfig };

export interface LoadOptions {
  /**
   * For a backtest: the file may also be a strategy file, which is then traded with the paper profile, a capital of
   * 1000 and the defaults of all other settings.
   */
  readonly strategyFileToo?: boolean;
  /** Feeds besides those of the file: a backtest's, or any name in a generated market. */
  readonly feeds?: readonly string[] | 'any';
  readonly code?: CodeRules;
  /** Texts by absolute path, read instead of the files. */
  readonly copy?: ReadonlyMap<string, string>;
  /** The shell's `process.env`; only names that begin with `TWINBOOK__` are used. */
  readonly env: Environment;
  /** Folder of a relative `path`, and of relative paths of the environment. */
  readonly cwd: string;
}

/** Throws TwinbookError `config_invalid` that lists every problem of all its files, with file, line and column. */
export async function loadConfig(path: string, options: LoadOptions): Promise<Config> {
  const { config, sourceHashes } = await readFiles(path, options);
  const whole = { ...config, strategies: config.strategies.map(withCode) };
  return deepFrozen({ ...whole, configHash: configHash(whole, sourceHashes) });
}

/** For a comparison: runs no user code except modules `loaded` already, by their keys. Throws as `loadConfig`. */
export async function readConfig(
  path: string,
  { loaded, ...options }: Omit<LoadOptions, 'code'> & { readonly loaded?: ReadonlyMap<string, Strategy> },
): Promise<ReadConfig> {
  const code: CodeRules = { ...(loaded === undefined ? {} : { loaded }), other: 'omit' };
  return deepFrozen((await readFiles(path, { ...options, code })).config);
}

async function readFiles(
  path: string,
  options: LoadOptions,
): Promise<{ readonly config: ReadConfig; readonly sourceHashes: readonly string[] }> {
  const problems = new ProblemList();
  const sources = new SourceTexts(options.copy ?? null);
  const { at, file, trader, limits, feeds, strategyFiles } = readTrader(path, options, problems, sources);
  const more = options.feeds ?? [];
  const knownFeeds = feeds === null || more === 'any' ? null : [...feeds, ...more];
  const { code = {} } = options;
  const known = { limits, feeds: knownFeeds, code, sources };
  const strategies: ReadStrategy[] = [];
  const sourceHashes: string[] = [];
  for (const [index, name] of strategyFiles.entries()) {
    const asker = at(['strategies', index], 'the strategy file');
    const load = () => readStrategyFile(resolve(dirname(file), name), known, options.cwd, asker);
    const loaded = await problems.attemptLater(load);
    if (loaded === null) continue;
    const twin = strategies.find((other) => other.name === loaded.config.name);
    if (twin !== undefined) {
      const text = `two strategy files are named '${twin.name}'; rename one: orders are recorded under that name`;
      problems.add(at(['strategies', index], text));
    }
    strategies.push(loaded.config);
    sourceHashes.push(loaded.sourceHash);
  }
  problems.throwIfAny();
  return { config: { ...must(trader, 'a trader without a problem'), strategies, texts: sources.all }, sourceHashes };
}

/** The trader's file and its strategy files, existing or not; only the first when it is unreadable. */
export function configFiles(path: string, options: LoadOptions): readonly string[] {
  try {
    const { file, strategyFiles } = readTrader(path, options, new ProblemList());
    return [file, ...strategyFiles.map((name) => resolve(dirname(file), name))];
  } catch {
    return [resolve(options.cwd, path)];
  }
}

/** The same without the strategy files. */
export function loadTraderConfig(path: string, options: LoadOptions): TraderConfig {
  const problems = new ProblemList();
  const { trader } = readTrader(path, options, problems);
  problems.throwIfAny();
  return deepFrozen(must(trader, 'a trader without a problem'));
}

interface ReadTrader {
  readonly file: string;
  readonly at: At;
  /** Null when the file has an error. */
  readonly trader: TraderConfig | null;
  /** As far as readable, so that the strategy files can be checked too. */
  readonly limits: RiskLimits | null;
  readonly feeds: readonly string[] | null;
  readonly strategyFiles: readonly string[];
}

function readTrader(
  path: string,
  options: LoadOptions,
  problems: ProblemList,
  sources = new SourceTexts(),
): ReadTrader {
  const file = resolve(options.cwd, path);
  const { content, value, at } = readTraderFile(file, options, problems, sources);
  const { venue, exchange, risk, feeds, strategies } = traderSchema.shape;
  const parts = readParts({ venue, exchange, risk, feeds, strategies }, value);
  const { venue: written, exchange: { embedded = false } = {} } = parts;
  const profile =
    written && problems.attempt(() => loadVenue(written, embedded, dirname(file), { cwd: options.cwd, sources }, at));
  if (content !== null) problems.add(...relationProblems(content, at));
  const trader = content && profile && problems.attempt(() => makeTrader(content, profile, file, at));
  return {
    file,
    at,
    trader: trader ?? null,
    limits: parts.risk ?? null,
    feeds: parts.feeds === undefined ? null : Object.keys(parts.feeds),
    strategyFiles: parts.strategies ?? [],
  };
}

/**
 * The trader's file with the environment applied, checked field by field; its content is null when a field is wrong.
 */
function readTraderFile(
  file: string,
  { env, cwd, strategyFileToo = false }: LoadOptions,
  problems: ProblemList,
  texts: SourceTexts,
): { readonly content: TraderFile | null; readonly value: unknown; readonly at: At } {
  const source = readYaml(file, cwd, { sources: texts });
  const isStrategy = isStrategyFile(source.value);
  const written = strategyFileToo && isStrategy ? aroundStrategy(file) : source.value;
  const wrong: Problem[] = [];
  const { value, sources } = applyEnvironment(written, () => jsonSchema(traderSchema), env, cwd, wrong);
  problems.add(...wrong);
  const at: At = (path, text, part) => {
    for (let length = path.length; length > 0; length--) {
      const variable = sources.get(fieldName(path.slice(0, length)));
      if (variable !== undefined) return { where: `environment ${variable}`, field: fieldName(path), text };
    }
    return source.problem(path, text, part);
  };
  if (isStrategy && !strategyFileToo) {
    problems.add(
      at(['strategy'], "this is a strategy file; wants a trader's file that names it under strategies", 'key'),
    );
    return { content: null, value: null, at };
  }
  return { content: problems.attempt(() => readBySchema(traderSchema, value, at)), value, at };
}

/**
 * Whether this is a strategy file instead of a trader's; throws TwinbookError `file_unreadable` or `config_invalid`
 * when it is readable as neither.
 */
export const isStrategyFileAt = (path: string, cwd: string): boolean =>
  isStrategyFile(readYaml(resolve(cwd, path), cwd).value);

const isStrategyFile = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'strategy' in value && !('strategies' in value);

/** Trader settings for a single strategy file. A backtest never opens wallet and ledger. */
const aroundStrategy = (file: string) => ({
  venue: { profile: 'paper' },
  wallet: { file: 'wallet.json' },
  ledger: { path: 'twinbook.sqlite' },
  capital: '1000',
  strategies: [file],
});

/** Rules between settings, each with its reason. */
function relationProblems(content: TraderFile, at: At): readonly Problem[] {
  const { polling, exchange, venue } = content;
  const problems = [
    ...feedProblems(content.feeds, at),
    ...alertProblems(content.alerts, at),
    ...fleetProblems(content, at),
  ];
  if (polling.hot_interval_ms > polling.quiet_interval_ms) {
    // The scheduler stretches a market's interval between the two.
    problems.push(
      at(['polling', 'hot_interval_ms'], `must not be above quiet_interval_ms (${polling.quiet_interval_ms})`),
    );
  }
  const { credentials } = content.guardian;
  if (credentials !== undefined && credentials === content.wallet.credentials) {
    const text = 'is the file of the trader; the guardian has a key of its own, so that revoking one leaves the other';
    problems.push(at(['guardian', 'credentials'], text));
  }
  if (
    exchange?.embedded === true &&
    exchange.port !== 0 &&
    venue.base_url !== undefined &&
    parsePort(venue.base_url) !== exchange.port
  ) {
    problems.push(
      at(['exchange', 'port'], `is ${exchange.port}, but venue.base_url says ${parsePort(venue.base_url)}; remove one`),
    );
  }
  for (const [index, { event, outcomes, markets }] of content.events.entries()) {
    const path = ['events', index];
    if (content.events.findIndex((other) => other.event === event) < index)
      problems.push(at([...path, 'event'], 'is declared above; keep one'));
    const named = new Set(markets).size;
    if (outcomes === 'exhaustive' && (named < 2 || named < markets.length))
      problems.push(at([...path, 'outcomes'], 'an exhaustive event wants all of its markets, two or more, each once'));
    if (outcomes === 'nested' && (named < 2 || named < markets.length))
      problems.push(
        at([...path, 'outcomes'], 'a nested event wants its markets, the widest first, two or more, each once'),
      );
    if (outcomes === 'exclusive' && named > 0)
      problems.push(at([...path, 'markets'], 'an exclusive event wants none: all markets of the event are meant'));
  }
  return problems;
}

/** A strategy's module is the user's own, and a map is not a plain object. */
const LEFT_ALONE = new Set(['module', 'texts']);

function deepFrozen<T extends object>(value: T): T {
  for (const [name, inner] of Object.entries(value)) {
    if (!LEFT_ALONE.has(name) && typeof inner === 'object' && inner !== null && !Object.isFrozen(inner))
      deepFrozen(inner);
  }
  return Object.freeze(value);
}
