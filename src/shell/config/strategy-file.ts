/** Reads a strategy file into a `StrategyConfig`: its module, parameters, markets and tighter limits. */

import { basename, dirname, extname } from 'node:path';
import { closest } from '../../shared/base/closest.js';
import { must, TwinbookError } from '../../shared/base/errors.js';
import { toSettings } from '../../shared/base/settings.js';
import { findLoosenings, type RiskLimits, riskOverrideSchema, tighten } from '../../trader/risk/limits.js';
import type { Strategy } from '../../trader/strategy/contract.js';
import type { ParamValues } from '../../trader/strategy/params.js';
import { readParams } from '../../trader/strategy/read-params.js';
import type { ReadStrategy, StrategyConfig } from './config.js';
import {
  type At,
  configError,
  jsonSchema,
  knownKeys,
  type Problem,
  ProblemList,
  readBySchema,
  readParts,
} from './problems.js';
import { type StrategyFile, selectSchema, strategyFileSchema } from './schema.js';
import { type CodeRules, type FoundModule, findStrategyModule } from './strategy-module.js';
import { readYaml, type SourceTexts, type YamlSource } from './yaml-source.js';

/** Facts for the checks of a strategy file; null where the trader's own file is wrong, or any feed is valid. */
interface KnownToTrader {
  readonly limits: RiskLimits | null;
  readonly feeds: readonly string[] | null;
  readonly code?: CodeRules;
  readonly sources?: SourceTexts;
}

/**
 * `asker` is the entry of the trader's file that named it, for the message about a missing file. `known` is null when
 * the trader's file is unreadable: the strategy file is then only checked, and the result is null. Throws
 * `config_invalid` with all its problems.
 */
export async function readStrategyFile(
  file: string,
  known: KnownToTrader,
  cwd: string,
  asker?: Problem,
): Promise<{ readonly config: ReadStrategy; readonly sourceHash: string } | null> {
  const { limits, feeds } = known;
  const source = readYaml(file, cwd, { asker, sources: known.sources });
  const problems = new ProblemList();
  const parts = readParts(strategyFileSchema.shape, source.value);
  const { strategy: name, params, markets, risk, schedule } = parts;
  const loaded = name === undefined ? null : await problems.attemptLater(() => findModule(source, name, known));
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
    moduleFiles: must(loaded, 'the module').files,
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

/**
 * Throws everything that the schema rejects; the message names the right place of a misplaced key, also of limits and
 * parameters.
 */
function checkShape(source: YamlSource, strategy: Strategy | null): void {
  readBySchema(strategyFileSchema, source.value, source.problem, () => {
    const places = new Map<string, readonly string[]>();
    for (const name of Object.keys(strategy?.params ?? {})) places.set(name, ['params']);
    for (const name of knownKeys(jsonSchema(riskOverrideSchema))) places.set(name, ['risk']);
    return places;
  });
}

async function findModule(source: YamlSource, name: string, { code, sources }: KnownToTrader): Promise<FoundModule> {
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

/** Throws for a parameter with an unknown feed. */
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
      "Feeds are configured under `feeds` of the trader's file, or, for a backtest, under --feed: docs/feeds.md.",
    );
}

/** Throws for a contradictory selection, and for a range without any market. */
function readSelection(markets: StrategyFile['markets'], source: YamlSource): StrategyConfig['markets'] {
  const { ids = [], select = selectSchema.parse({}), max, candidates, choose } = markets;
  const fail = (path: readonly PropertyKey[], text: string, part?: 'key') => {
    throw configError([source.problem(['markets', ...path], text, part)]);
  };
  if (markets.ids !== undefined && markets.select !== undefined)
    fail(['select'], 'either ids or select, not both; remove one', 'key');
  const twice = ids.findIndex((id, index) => ids.indexOf(id) !== index);
  if (twice >= 0) fail(['ids', twice], 'this market is twice in the list');
  if (candidates !== undefined && candidates < max)
    fail(['candidates'], `wants at least max, which is ${max}, and it is ${candidates}`);
  for (const [low, high] of [['min_spread', 'max_spread'] as const, ['min_days_left', 'max_days_left'] as const]) {
    const [least, most] = [select[low], select[high]];
    if (least !== undefined && most !== undefined && least > most)
      fail(['select', low], `wants at most ${high}, which is ${most}, and it is ${least}`);
  }
  const {
    titleWords: words,
    state,
    kind,
    categories,
    withoutWords,
    except,
    ...rules
  } = toSettings(selectSchema, select);
  const looked = candidates === undefined ? {} : { candidates };
  return { ids, state, kind, categories, words, withoutWords, except, max, ...looked, choose, rules };
}

/** Null when the trader's own limits are unknown. */
function tightenLimits(
  raw: Readonly<Record<string, unknown>>,
  limits: RiskLimits | null,
  source: YamlSource,
): RiskLimits | null {
  const at: At = (path, text, part) => source.problem(['risk', ...path], text, part);
  const tighter = readBySchema(riskOverrideSchema, raw, at);
  if (limits === null) return null;
  const looser = findLoosenings(limits, tighter);
  if (looser.length > 0) throw configError(looser.map(({ name, text }) => source.problem(['risk', name], text)));
  return tighten(limits, tighter);
}
