/** Loads a trader's file, the files that it names, and overrides from the environment, as one frozen `Config`. */

import { basename, dirname, extname, resolve } from 'node:path';
import type { z } from 'zod';
import { must, TwinbookError } from '../../shared/base/errors.js';
import { toSettings } from '../../shared/base/settings.js';
import { closest } from '../../shared/base/text.js';
import { findLoosenings, type RiskLimits, riskOverrideSchema, tighten } from '../../trader/risk/limits.js';
import type { ParamValues, Strategy } from '../../trader/strategy/contract.js';
import { readParams } from '../../trader/strategy/read-params.js';
import {
  type Config,
  type Environment,
  loadVenue,
  makeTrader,
  type ReadConfig,
  type ReadStrategy,
  relationProblems,
  type StrategyConfig,
  type TraderConfig,
} from './config.js';
import {
  type At,
  configError,
  fieldName,
  jsonSchema,
  knownKeys,
  type Problem,
  ProblemList,
  readBySchema,
  readParts,
  type SchemaNode,
  unknownKey,
} from './problems.js';
import { selectSchema, strategyFileSchema, traderSchema } from './schema.js';
import { configHash } from './shown.js';
import { type CodeRules, findStrategyModule } from './strategy-module.js';
import { readYaml, SourceTexts } from './yaml-source.js';

type YamlSource = ReturnType<typeof readYaml>;

export interface LoadOptions {
  /** Whether `path` may also name a strategy file; a strategy file gets the paper profile and a capital of 1000. */
  readonly strategyFileToo?: boolean;
  /** Names of feeds for a backtest, in addition to the trader's; `any` permits every name, for generated markets. */
  readonly feeds?: readonly string[] | 'any';
  readonly code?: CodeRules;
  /** Stored copy of the configuration, as in `Config.texts`. Files and `env` are read only if the copy lacks them. */
  readonly copy?: ReadonlyMap<string, string>;
  /** Settings that replace those of the files. If absent, those of the copy replace them. */
  readonly fixed?: Partial<TraderConfig>;
  /** Environment variables; only names that begin with `TWINBOOK__` are used. */
  readonly env: Environment;
  /** Base folder of a relative `path` and of relative paths in the environment. */
  readonly cwd: string;
}

/** Loads a configuration. Throws TwinbookError `config_invalid` with each problem's file, line and column. */
export async function loadConfig(path: string, options: LoadOptions): Promise<Config> {
  const { config, sourceHashes } = await readFiles(path, options);
  const whole = { ...config, strategies: config.strategies.map(withCode) };
  return deepFrozen({ ...whole, configHash: configHash(whole, sourceHashes) });
}

/** Reads a configuration to compare it, without running user code. `loaded`: loaded modules. Throws as `loadConfig`. */
export async function readConfig(
  path: string,
  { loaded, ...options }: Omit<LoadOptions, 'code'> & { readonly loaded?: ReadonlyMap<string, Strategy> },
): Promise<ReadConfig> {
  const code: CodeRules = { ...(loaded === undefined ? {} : { loaded }), other: 'omit' };
  return deepFrozen((await readFiles(path, { ...options, code })).config);
}

async function readFiles(main: string, options: LoadOptions) {
  const problems = new ProblemList();
  const sources = new SourceTexts(options.copy ?? null);
  const { at, file, trader, limits, strategyFiles, ...own } = readTrader(main, options, problems, sources);
  const { feeds: more = [] } = options;
  const fixed = readFixed(options, sources);
  const feeds = fixed.feeds?.map(({ name }) => name) ?? own.feeds;
  const knownFeeds = feeds === null || more === 'any' ? null : [...feeds, ...more];
  const known = { limits, feeds: knownFeeds, code: options.code ?? {}, sources };
  const strategies: ReadStrategy[] = [];
  const sourceHashes: string[] = [];
  for (const [index, name] of strategyFiles.entries()) {
    const asker = at(['strategies', index], 'the strategy file');
    const loaded = await readStrategyFile(resolve(dirname(file), name), known, options.cwd, asker).catch(problems.keep);
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
  const settings = { ...must(trader, 'the trader’s valid settings'), ...fixed };
  return { config: { ...settings, strategies, texts: sources.all } satisfies ReadConfig, sourceHashes };
}

/** Loads the trader's file without its strategy files. Throws the errors of `loadConfig`. */
export function loadTraderConfig(path: string, options: LoadOptions): TraderConfig {
  const problems = new ProblemList();
  const { trader } = readTrader(path, options, problems);
  problems.throwIfAny();
  return deepFrozen(must(trader, 'the trader’s valid settings'));
}

function readTrader(path: string, options: LoadOptions, problems: ProblemList, sources = new SourceTexts()) {
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
    // `trader` is null if the trader's file or its venue profile has an error.
    trader: trader ?? null,
    // Risk limits for checking the strategy files, even if other parts of the trader's file are invalid.
    limits: parts.risk ?? null,
    feeds: parts.feeds === undefined ? null : Object.keys(parts.feeds),
    strategyFiles: parts.strategies ?? [],
  };
}

/** Reads the trader's file with the environment's overrides. `content` is null if any field is invalid. */
function readTraderFile(file: string, options: LoadOptions, problems: ProblemList, texts: SourceTexts) {
  const source = readYaml(file, options.cwd, { sources: texts });
  const isStrategy = isStrategyFile(source.value);
  const written = options.strategyFileToo === true && isStrategy ? aroundStrategy(file) : source.value;
  const { value, sources } = applyEnvironment(written, options, problems, texts);
  const at: At = (path, text, part) => {
    for (let length = path.length; length > 0; length--) {
      const variable = sources.get(fieldName(path.slice(0, length)));
      if (variable !== undefined) return { where: `environment ${variable}`, field: fieldName(path), text };
    }
    return source.problem(path, text, part);
  };
  if (isStrategy && options.strategyFileToo !== true) {
    const text = "this is a strategy file; give the trader's file that lists this strategy file under strategies";
    problems.add(at(['strategy'], text, 'key'));
    return { content: null, value: null, at };
  }
  return { content: problems.attempt(() => readBySchema(traderSchema, value, at)), value, at };
}

/** Returns true for a strategy file, otherwise false. Throws TwinbookError for an unreadable file or invalid YAML. */
export const isStrategyFileAt = (path: string, cwd: string) => isStrategyFile(readYaml(resolve(cwd, path), cwd).value);

const isStrategyFile = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'strategy' in value && !('strategies' in value);

/** Returns trader settings for a backtest of one strategy file. A backtest never opens this wallet and ledger. */
const aroundStrategy = (file: string) => ({
  venue: { profile: 'paper' },
  wallet: { file: 'wallet.json' },
  ledger: { path: 'twinbook.sqlite' },
  capital: '1000',
  strategies: [file],
});

/** Fields that stay unfrozen: `module` is the user's object; `texts` is a map, which cannot be frozen. */
const LEFT_ALONE = new Set(['module', 'texts']);

function deepFrozen<T extends object>(value: T): T {
  for (const [name, inner] of Object.entries(value)) {
    if (!LEFT_ALONE.has(name) && typeof inner === 'object' && inner !== null && !Object.isFrozen(inner))
      deepFrozen(inner);
  }
  return Object.freeze(value);
}

const PREFIX = 'TWINBOOK__';

/** Matches a bare word such as `paper`, which names a shipped profile. Any other path in a variable is made absolute. */
const BARE_NAME = /^[A-Za-z0-9_-]+$/;

/** Name of the environment's overrides among the texts of a configuration. The names of files are absolute paths. */
const OVERRIDES = 'environment.json';

/** Returns the environment's overrides with the base folder of their paths, from the stored copy if possible. */
function readOverrides({ env, cwd }: LoadOptions, texts: SourceTexts) {
  const own = Object.entries(env).filter(([name]) => name.toUpperCase().startsWith(PREFIX));
  const present = { env: Object.fromEntries(own.sort()), cwd: own.length === 0 ? '' : cwd };
  const text = texts.findCopied(OVERRIDES) ?? JSON.stringify(present);
  texts.all.set(OVERRIDES, text);
  // The cast is safe: this function wrote the text.
  return JSON.parse(text) as { readonly env: Readonly<Record<string, string>>; readonly cwd: string };
}

/** Name of the settings that replace those of the files, among the texts of a configuration. */
const FIXED = 'fixed.json';

function readFixed({ fixed }: LoadOptions, texts: SourceTexts): Partial<TraderConfig> {
  const text = fixed === undefined ? texts.findCopied(FIXED) : JSON.stringify(fixed);
  if (text !== null) texts.all.set(FIXED, text);
  // The cast is safe: this function wrote the text.
  return JSON.parse(text ?? '{}') as Partial<TraderConfig>;
}

/** Applies variables such as `TWINBOOK__RISK__MAX_LOSS_DAY=25`. The text `null` sets an optional field to null. */
function applyEnvironment(value: unknown, options: LoadOptions, problems: ProblemList, texts: SourceTexts) {
  const { env, cwd } = readOverrides(options, texts);
  const sources = new Map<string, string>();
  let result = value;
  for (const [name, text] of Object.entries(env)) {
    const complain = (complaint: string) => problems.add({ where: `environment ${name}`, field: '', text: complaint });
    const target = findField(jsonSchema(traderSchema), name.slice(PREFIX.length));
    if (typeof target === 'string') {
      complain(target);
      continue;
    }
    const field = fieldName(target.path);
    const earlier = sources.get(field);
    if (earlier === undefined) result = withValue(result, target.path, readText(text, target.node, cwd, field));
    else complain(`this variable sets ${field}, which ${earlier} sets too; keep one`);
    sources.set(field, earlier ?? name);
  }
  return { value: result, sources };
}

function findField(schema: SchemaNode, name: string): { path: readonly string[]; node: SchemaNode } | string {
  let node = schema;
  const path: string[] = [];
  for (const part of name.toLowerCase().split('__')) {
    const known = Object.keys(node.properties ?? {});
    const next = Object.hasOwn(node.properties ?? {}, part) ? node.properties?.[part] : undefined;
    if (next === undefined) {
      const place = path.length === 0 ? '' : `${path.join('.')}: `;
      return known.length === 0 ? `${place}has no settings inside` : `${place}${unknownKey(part, known)}`;
    }
    path.push(part);
    node = next;
  }
  if (node.properties !== undefined)
    return `${path.join('.')} is a group; name one of its settings: ${Object.keys(node.properties).join(', ')}`;
  return { path, node };
}

/** Parses a variable's text by the field's kind; returns invalid text unchanged, so that the schema reports it. */
function readText(text: string, node: SchemaNode, cwd: string, field: string): unknown {
  if (node.anyOf !== undefined) {
    if (text === 'null') return null;
    const option = node.anyOf.find((candidate) => candidate.type !== 'null');
    return option === undefined
      ? text
      : readText(text, { ...option, 'x-path': option['x-path'] ?? node['x-path'] ?? false }, cwd, field);
  }
  if (node.type === 'array') {
    return text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map((part) => readText(part, node.items ?? {}, cwd, field));
  }
  if (node.type === 'integer' || node.type === 'number')
    return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
  if (node.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (node['x-path'] !== true || text === '') return text;
  // The schema reports null where a path is needed.
  if (text === 'null') return null;
  return field === 'venue.profile' && BARE_NAME.test(text) ? text : resolve(cwd, text);
}

function withValue(tree: unknown, path: readonly string[], value: unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  // A value that is not a mapping stays unchanged, so that the schema reports the error.
  if (tree !== null && tree !== undefined && (typeof tree !== 'object' || Array.isArray(tree))) return tree;
  const fields = new Map<string, unknown>(Object.entries(tree ?? {}));
  fields.set(head, withValue(fields.get(head), rest, value));
  return Object.fromEntries(fields);
}

/** Data for checking a strategy file. `limits`: null if the trader's limits are invalid. `feeds`: null permits all. */
interface KnownToTrader {
  readonly limits: RiskLimits | null;
  readonly feeds: readonly string[] | null;
  readonly code?: CodeRules;
  readonly sources?: SourceTexts;
}

/** Reads a strategy file; null if `limits` is null. `asker`: setting that names the file. Throws `config_invalid`. */
export async function readStrategyFile(file: string, known: KnownToTrader, cwd: string, asker?: Problem) {
  const { limits, feeds } = known;
  const source = readYaml(file, cwd, { asker, sources: known.sources });
  const problems = new ProblemList();
  const { strategy: name, params, markets, risk, schedule } = readParts(strategyFileSchema.shape, source.value);
  const loaded = name === undefined ? null : await findModule(source, name, known).catch(problems.keep);
  const strategy = loaded?.strategy ?? null;
  problems.attempt(() => checkShape(source, strategy));
  const values = params && strategy && problems.attempt(() => readValues(strategy, params, source));
  if (strategy && values && feeds) problems.attempt(() => checkFeeds(strategy, values, feeds, source));
  const selection = markets && problems.attempt(() => readSelection(markets, source));
  const tighter = risk && problems.attempt(() => tightenLimits(risk, limits, source));
  problems.throwIfAny();
  if (limits === null) return null;
  const config: ReadStrategy = {
    name: basename(file, extname(file)),
    file,
    moduleName: must(name, 'the name of the module'),
    module: strategy,
    moduleKey: must(loaded, 'the module').key,
    params: strategy === null ? {} : must(values, 'parameters'),
    writtenParams: must(params, 'parameters'),
    markets: must(selection, 'markets'),
    quoteHours: must(schedule, 'the schedule').quote_hours,
    risk: must(tighter, 'limits'),
  };
  return { config, sourceHash: must(loaded, 'the module').sourceHash };
}

export const withCode = (strategy: ReadStrategy): StrategyConfig => ({
  ...strategy,
  module: must(strategy.module, 'the code of a strategy'),
});

/** Throws one error with all violations of the schema. For a misplaced key, the error names the correct group. */
function checkShape(source: YamlSource, strategy: Strategy | null): void {
  readBySchema(strategyFileSchema, source.value, source.problem, () => {
    const places = new Map<string, readonly string[]>();
    for (const name of Object.keys(strategy?.params ?? {})) places.set(name, ['params']);
    for (const name of knownKeys(jsonSchema(riskOverrideSchema))) places.set(name, ['risk']);
    return places;
  });
}

async function findModule(source: YamlSource, name: string, { code, sources }: KnownToTrader) {
  try {
    return await findStrategyModule(name, dirname(source.file), code, sources);
  } catch (error) {
    if (!(error instanceof TwinbookError)) throw error;
    throw configError([source.problem(['strategy'], error.message)], error.hint);
  }
}

function readValues(strategy: Strategy, params: unknown, source: YamlSource): ParamValues {
  const { values, problems } = readParams(strategy, params);
  if (values !== null) return values;
  throw configError(
    problems.map(({ path, message }) =>
      source.problem(['params', ...path], message, message.startsWith('unknown parameter') ? 'key' : 'value'),
    ),
    `\`twinbook strategies\` lists the parameters of ${strategy.name}.`,
  );
}

/** Throws if a parameter names a feed that the trader's file does not have. */
function checkFeeds(strategy: Strategy, values: ParamValues, feeds: readonly string[], source: YamlSource): void {
  const problems = Object.entries(strategy.params).flatMap(([name, spec]) => {
    const feed = values[name];
    if (spec.kind !== 'feed' || typeof feed !== 'string' || feed === '' || feeds.includes(feed)) return [];
    const near = closest(feed, feeds);
    const known = feeds.length === 0 ? 'which has no feeds' : `which has ${feeds.join(', ')}`;
    const meant = near === null ? '' : `; did you mean '${near}'?`;
    return [source.problem(['params', name], `there is no feed '${feed}' in the trader's file, ${known}${meant}`)];
  });
  if (problems.length > 0)
    throw configError(
      problems,
      "Add the feed under `feeds` in the trader's file, or, for a backtest, with --feed; see docs/feeds.md.",
    );
}

/** Reads a strategy's choice of markets. Throws for contradictory settings, such as a minimum above its maximum. */
function readSelection(
  markets: z.output<typeof strategyFileSchema>['markets'],
  source: YamlSource,
): StrategyConfig['markets'] {
  const { ids = [], select = selectSchema.parse({}), max, candidates, choose } = markets;
  const fail = (path: readonly PropertyKey[], text: string, part?: 'key') => {
    throw configError([source.problem(['markets', ...path], text, part)]);
  };
  if (markets.ids !== undefined && markets.select !== undefined)
    fail(['select'], 'either ids or select, not both; remove one', 'key');
  const twice = ids.findIndex((id, index) => ids.indexOf(id) !== index);
  if (twice >= 0) fail(['ids', twice], 'this market is twice in the list');
  if (candidates !== undefined && candidates < max)
    fail(['candidates'], `wants at least max (${max}), got ${candidates}`);
  if (choose === 'listed' && ids.length > (candidates ?? max))
    fail(['ids'], `${ids.length} ids, but max is ${max}; raise max, or set candidates to ${ids.length}`);
  for (const [low, high] of [['min_spread', 'max_spread'] as const, ['min_days_left', 'max_days_left'] as const]) {
    const [least, most] = [select[low], select[high]];
    if (least !== undefined && most !== undefined && least > most)
      fail(['select', low], `wants at most ${high} (${most}), got ${least}`);
  }
  const selected = toSettings(selectSchema, select);
  const { titleWords: words, state, kind, categories, withoutWords, except, ...rules } = selected;
  const looked = candidates === undefined ? {} : { candidates };
  return { ids, state, kind, categories, words, withoutWords, except, max, ...looked, choose, rules };
}

/** Returns the trader's limits tightened by the strategy's; null if `limits` is null. Throws for a looser limit. */
function tightenLimits(raw: object, limits: RiskLimits | null, source: YamlSource): RiskLimits | null {
  const at: At = (path, text, part) => source.problem(['risk', ...path], text, part);
  const tighter = readBySchema(riskOverrideSchema, raw, at);
  if (limits === null) return null;
  const looser = findLoosenings(limits, tighter);
  if (looser.length > 0) throw configError(looser.map(({ name, text }) => source.problem(['risk', name], text)));
  return tighten(limits, tighter);
}
