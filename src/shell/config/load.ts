/** Loads a trader's file, the files that it names, and the environment's overrides, as one frozen `Config`. */

import { dirname, isAbsolute, resolve } from 'node:path';
import { must } from '../../shared/base/errors.js';
import type { Strategy } from '../../trader/strategy/contract.js';
import {
  type Config,
  type Environment,
  loadVenue,
  makeTrader,
  type ReadConfig,
  type ReadStrategy,
  relationProblems,
  type TraderConfig,
} from './config.js';
import {
  type At,
  fieldName,
  jsonSchema,
  type Problem,
  ProblemList,
  readBySchema,
  readParts,
  type SchemaNode,
  unknownKey,
} from './problems.js';
import { type TraderFile, traderSchema } from './schema.js';
import { configHash } from './shown.js';
import { readStrategyFile, withCode } from './strategy-file.js';
import type { CodeRules } from './strategy-module.js';
import { readYaml, SourceTexts } from './yaml-source.js';

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

async function readFiles(path: string, options: LoadOptions) {
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
  const config: ReadConfig = { ...must(trader, 'a trader without a problem'), strategies, texts: sources.all };
  return { config, sourceHashes };
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
    // Null when the file has an error.
    trader: trader ?? null,
    // As far as readable, so that the strategy files can be checked too.
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

/** A strategy's module is the user's own, and a map is not a plain object. */
const LEFT_ALONE = new Set(['module', 'texts']);

function deepFrozen<T extends object>(value: T): T {
  for (const [name, inner] of Object.entries(value)) {
    if (!LEFT_ALONE.has(name) && typeof inner === 'object' && inner !== null && !Object.isFrozen(inner))
      deepFrozen(inner);
  }
  return Object.freeze(value);
}

const PREFIX = 'TWINBOOK__';

/** Bare words such as `paper` name shipped files; every other path is made absolute. */
const BARE_NAME = /^[A-Za-z0-9_-]+$/;

/**
 * Applies the environment's settings to a file's value: `TWINBOOK__RISK__MAX_LOSS_DAY=25` sets `risk.max_loss_day`.
 * Names are case-insensitive, two underscores nest, lists are comma-separated, the text `null` clears, relative paths
 * are relative to `cwd`. Wrong ones are added to `problems`. `sources` names the variable that set a field.
 */
export function applyEnvironment(
  value: unknown,
  getSchema: () => SchemaNode,
  env: Environment,
  cwd: string,
  problems: Problem[],
) {
  const sources = new Map<string, string>();
  let result = value;
  for (const name of Object.keys(env).sort()) {
    const text = env[name];
    if (!name.toUpperCase().startsWith(PREFIX) || text === undefined) continue;
    const complain = (complaint: string) => problems.push({ where: `environment ${name}`, field: '', text: complaint });
    const target = findField(getSchema(), name.slice(PREFIX.length));
    if (typeof target === 'string') {
      complain(target);
      continue;
    }
    const field = fieldName(target.path);
    const earlier = sources.get(field);
    if (earlier !== undefined) {
      complain(`sets ${field}, which ${earlier} sets too; keep one`);
      continue;
    }
    sources.set(field, name);
    result = withValue(result, target.path, readText(text, target.node, cwd));
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

/** The text as the field's kind of value; unchanged when it cannot be parsed, so that the schema explains it. */
function readText(text: string, node: SchemaNode, cwd: string): unknown {
  if (node.anyOf !== undefined) {
    if (text === 'null') return null;
    const option = node.anyOf.find((candidate) => candidate.type !== 'null');
    return option === undefined
      ? text
      : readText(text, { ...option, 'x-path': option['x-path'] ?? node['x-path'] ?? false }, cwd);
  }
  if (node.type === 'array') {
    const item = node.items ?? {};
    const parts = text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    return parts.map((part) => readText(part, item, cwd));
  }
  if (node.type === 'integer' || node.type === 'number')
    return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
  if (node.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (node['x-path'] === true && text !== '' && !isAbsolute(text) && !BARE_NAME.test(text)) return resolve(cwd, text);
  return text;
}

function withValue(tree: unknown, path: readonly string[], value: unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  // A file with another value than a mapping here keeps its error, which the schema then explains.
  if (tree !== null && tree !== undefined && (typeof tree !== 'object' || Array.isArray(tree))) return tree;
  const fields = new Map<string, unknown>(Object.entries(tree ?? {}));
  fields.set(head, withValue(fields.get(head), rest, value));
  return Object.fromEntries(fields);
}
