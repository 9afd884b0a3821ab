/** Reads one strategy file into a `StrategyConfig`: its module, its parameters, its markets, its tighter limits. */

import { basename, dirname, extname } from 'node:path';
import { TwinbookError } from '../base/errors.js';
import { looseningsOf, type RiskLimits, riskOverrideSchema, tightened } from '../risk/limits.js';
import { readParams } from '../strategy/read-params.js';
import { explainIssues } from './explain-issues.js';
import { configError, type Problem } from './problems.js';
import { type StrategyFile, strategyFileSchema } from './schema.js';
import { jsonSchema } from './schema-tree.js';
import { loadStrategyModule } from './strategy-module.js';
import type { MarketSelection, StrategyConfig } from './types.js';
import { readYaml, type YamlSource } from './yaml-source.js';

const schema = jsonSchema(strategyFileSchema);
const overrideSchema = jsonSchema(riskOverrideSchema);

/** `asker` is the entry of the trader's file that named it, for the message when the file is missing. */
export async function loadStrategyFile(
  file: string,
  limits: RiskLimits,
  cwd: string,
  asker?: Problem,
): Promise<{ readonly config: StrategyConfig; readonly sourceHash: string }> {
  const source = readYaml(file, cwd, asker);
  const parsed = strategyFileSchema.safeParse(source.value);
  if (!parsed.success) {
    const complaints = explainIssues(parsed.error, source.value, schema);
    throw configError(complaints.map(({ path, text, part }) => source.problem(path, text, part)));
  }
  const content = parsed.data;
  const { strategy, sourceHash } = await loadStrategyModule(content.strategy, dirname(file)).catch((error: unknown) => {
    if (!(error instanceof TwinbookError)) throw error;
    throw configError([source.problem(['strategy'], error.message)], error.hint);
  });
  const { values, problems } = readParams(strategy, content.params);
  if (values === null) {
    throw configError(
      problems.map(({ path, message }) => {
        const field = ['params', ...path];
        return source.problem(field, message, message.startsWith('unknown parameter') ? 'key' : 'value');
      }),
      `\`twinbook strategies\` lists the parameters of ${strategy.name}.`,
    );
  }
  const config: StrategyConfig = {
    name: basename(file, extname(file)),
    file,
    moduleName: content.strategy,
    module: strategy,
    params: values,
    markets: selectionOf(content.markets, source),
    quoteHours: content.schedule.quote_hours,
    risk: limitsOf(content.risk, limits, source),
  };
  return { config, sourceHash };
}

function selectionOf(markets: StrategyFile['markets'], source: YamlSource): MarketSelection {
  const { ids = [], select = { state: 'open', kind: 'orderbook', categories: [] }, max } = markets;
  if (markets.ids !== undefined && markets.select !== undefined) {
    throw configError([source.problem(['markets', 'select'], 'either ids or select, not both; remove one', 'key')]);
  }
  const twice = ids.findIndex((id, index) => ids.indexOf(id) !== index);
  if (twice >= 0)
    throw configError([source.problem(['markets', 'ids', twice], 'this market stands twice in the list')]);
  return { ids, state: select.state, kind: select.kind, categories: select.categories, max };
}

function limitsOf(raw: Readonly<Record<string, unknown>>, limits: RiskLimits, source: YamlSource): RiskLimits {
  const parsed = riskOverrideSchema.safeParse(raw);
  if (!parsed.success) {
    const complaints = explainIssues(parsed.error, raw, overrideSchema);
    throw configError(complaints.map(({ path, text, part }) => source.problem(['risk', ...path], text, part)));
  }
  const looser = looseningsOf(limits, parsed.data);
  if (looser.length > 0) throw configError(looser.map(({ name, text }) => source.problem(['risk', name], text)));
  return tightened(limits, parsed.data);
}
