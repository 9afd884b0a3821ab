import { TwinbookError } from '../../shared/base/errors.js';
import type { Config } from '../../shell/config/config.js';
import { shippedStrategies, VERSION } from '../../shell/config/shipped.js';
import { inSettingUnit, settingName } from '../../shell/config/shown.js';
import { loadShipped } from '../../shell/config/strategy-module.js';
import type { RunDescription } from '../../shell/journal/runs.js';
import type { StrategySettings, TraderSettings } from '../../trader/engine/settings.js';
import type { ParamSpecs, Strategy } from '../../trader/strategy/contract.js';
import { fieldDifferences, isSame } from './compare.js';

type JournaledStrategy = RunDescription['strategies'][number];

type NamedCode = Pick<JournaledStrategy, 'name' | 'moduleName' | 'moduleKey'>;

/** Finds the code of a strategy in a run. Throws `strategy_invalid` if the operator's files do not have the code. */
export type RunCode = (code: NamedCode) => Promise<{ module: Strategy; moduleKey: string }>;

/** Code in a run's folder is never loaded. `acceptsChanged`: code of a strategy with another hash may be used. */
export function openRunCode(loadFiles: (() => Promise<Config>) | null, acceptsChanged: boolean): RunCode {
  let config: Promise<Config> | null = null;
  return async ({ name, moduleName, moduleKey }) => {
    if (shippedStrategies().includes(moduleName)) {
      const { strategy, key } = await loadShipped(moduleName);
      return { module: strategy, moduleKey: key };
    }
    if (loadFiles === null) throw refusal(`the run's strategy ${name} is not a shipped strategy`, NAME_IT);
    config ??= loadFiles();
    const { file, strategies } = await config;
    const same = strategies.find((strategy) => strategy.moduleKey === moduleKey);
    const found = same ?? (acceptsChanged ? strategies.find((strategy) => strategy.name === name) : undefined);
    if (found !== undefined) return found;
    const hash = moduleKey.replace(/^own /, '').slice(0, 12);
    throw refusal(`no strategy file of ${file} has the code of strategy ${name} of the run (SHA-256 ${hash})`, ACCEPT);
  };
}

const refusal = (text: string, hint: string): TwinbookError => new TwinbookError('strategy_invalid', text, hint);

const NAME_IT =
  "Name the trader's file with -c FILE: code comes from its strategy files, never from the folder of a run.";
const ACCEPT =
  'Restore the file, or use --accept-changed-code to run the present code of that strategy file: decisions may then differ.';

/** Settings of a trader without `boundedCall`, which the replay supplies. */
export type ReplayedTrader = Omit<TraderSettings, 'boundedCall'>;

/** Returns the trader of the present files, with the run's id, version, address and hash, which affect no decision. */
export function traderNow(config: Config, run: RunDescription): ReplayedTrader {
  const profile = { ...config.venue.profile, base_url: run.profile.base_url };
  return { ...traderWith(run, config.strategies, config), profile };
}

/** Copies settings field by field, because the run's file may contain unknown fields. */
export function traderWith(
  run: RunDescription,
  strategies: readonly StrategySettings[],
  decisive: RunDescription | Config = run,
): ReplayedTrader {
  const { runId, configHash, version, profile } = run;
  const { capitalMicros, risk, polling, merge, economics, events, feeds } = decisive;
  const decisions = { capitalMicros, risk, polling, merge, economics, events, feeds, strategies };
  return { runId, configHash, version, profile, ...decisions };
}

export async function traderThen(run: RunDescription, findCode: RunCode): Promise<ReplayedTrader> {
  const strategies: StrategySettings[] = [];
  for (const strategy of run.strategies) {
    const { name, params, markets, quoteHours, risk } = strategy;
    const { module, moduleKey } = await findCode(strategy);
    strategies.push({ name, module, moduleKey, params, markets, quoteHours, risk });
  }
  return traderWith(run, strategies);
}

const SECTIONS = ['risk', 'polling', 'merge', 'events', 'economics'] as const;

/** Returns reasons why a trader's decisions may differ from the run's, one sentence each; empty without a change. */
export function changesSince(run: RunDescription, trader: ReplayedTrader): readonly string[] {
  const { base_url: _then, ...profileThen } = run.profile;
  const { base_url: _now, ...profileNow } = trader.profile;
  return [
    ...(run.version === VERSION ? [] : [`twinbook ${run.version} recorded the run, this is twinbook ${VERSION}`]),
    ...valueChanges('capital', run.capitalMicros, trader.capitalMicros, true),
    ...SECTIONS.flatMap((name) => valueChanges(name, run[name], trader[name])),
    ...valueChanges('feeds', limitsOfFeeds(run.feeds), limitsOfFeeds(trader.feeds)),
    ...valueChanges('the venue profile', profileThen, profileNow),
    ...strategyChanges(run, trader),
  ];
}

/** Returns the feeds' maximum ages. The sources of feeds do not matter, because the journal has the feeds' values. */
const limitsOfFeeds = (feeds: ReplayedTrader['feeds'] = []) =>
  Object.fromEntries(feeds.map(({ name, maxAgeMs }) => [name, { maxAgeMs }]));

function strategyChanges(run: RunDescription, { strategies, risk }: ReplayedTrader): string[] {
  const then = run.strategies.map(({ name }) => name);
  const now = strategies.map(({ name }) => name);
  const [kept, left] = [then.filter((name) => now.includes(name)), now.filter((name) => then.includes(name))];
  const sameLimits = isSame(run.risk, risk);
  return [
    ...run.strategies.flatMap((before) => {
      const after = strategies.find(({ name }) => name === before.name);
      if (after === undefined) return [`strategy ${before.name} is no longer in the configuration`];
      return oneStrategyChanges(before, after, sameLimits);
    }),
    ...now.filter((name) => !then.includes(name)).map((name) => `strategy ${name} is new`),
    ...(isSame(kept, left) ? [] : ['the order of the strategies has changed']),
  ];
}

/** Lists a strategy's changes. `withRisk`: also lists changes of the strategy's limits. */
function oneStrategyChanges(then: JournaledStrategy, now: StrategySettings, withRisk: boolean): string[] {
  const name = `strategy ${then.name}:`;
  const specs: ParamSpecs = now.module.params;
  const params = [...new Set([...Object.keys(then.params), ...Object.keys(now.params)])];
  return [
    ...(then.moduleKey === now.moduleKey ? [] : [`${name} its code has changed`]),
    ...params.flatMap((param) =>
      valueChanges(`${name} ${param}`, then.params[param], now.params[param], specs[param]?.kind === 'shares'),
    ),
    ...valueChanges(`${name} markets`, then.markets, now.markets),
    ...valueChanges(`${name} quote_hours`, then.quoteHours, now.quoteHours),
    ...(withRisk ? valueChanges(`${name} risk`, then.risk, now.risk) : []),
  ];
}

/** Lists each setting that differs, by its name and in its unit in a file. */
function valueChanges(name: string, then: unknown, now: unknown, isMicros = false): string[] {
  return fieldDifferences(then, now).map(({ path, recorded, replayed }) => {
    const key = path === '' && isMicros ? 'Micros' : (path.split('.').at(-1) ?? '');
    const text = (json: string | null): string => {
      if (json === null) return 'absent';
      return /^-?\d{1,15}$/.test(json) ? `${inSettingUnit(key, Number(json))}` : json;
    };
    const place = [name, ...path.split('.').filter(Boolean).map(settingName)].join('.');
    return `${place} is now ${text(replayed)}, in the run it was ${text(recorded)}`;
  });
}
