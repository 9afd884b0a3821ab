/** The trader of a run, from the present configuration or from the run's journal, and the changes since. */

import { TwinbookError } from '../../shared/base/errors.js';
import { formatDecimal, type Micros } from '../../shared/base/micros.js';
import type { Config } from '../../shell/config/config.js';
import { shippedStrategies, VERSION } from '../../shell/config/shipped.js';
import { loadShipped } from '../../shell/config/strategy-module.js';
import type { JournaledStrategy, RunDescription } from '../../shell/journal/runs.js';
import type { StrategySettings, TraderSettings } from '../../trader/engine/settings.js';
import type { ParamSpecs, Strategy } from '../../trader/strategy/contract.js';
import { fieldDifferences, isSame } from './compare.js';

/** Names of a strategy's code in a journal. */
type NamedCode = Pick<JournaledStrategy, 'name' | 'moduleName' | 'moduleKey'>;

interface RunCodeOptions {
  /** Loads the operator's configuration, for code that is not shipped; null without one. */
  readonly loadFiles: (() => Promise<Config>) | null;
  /** Whether a strategy's code of the same name may be used despite another hash. */
  readonly acceptsChanged: boolean;
}

/** Finds code of a recorded run. Throws `strategy_invalid` for code missing in the operator's files. */
export type RunCode = (code: NamedCode) => Promise<{ module: Strategy; moduleKey: string }>;

/** Shipped strategies and the operator's files; code in a run's folder is never loaded. */
export function openRunCode({ loadFiles, acceptsChanged }: RunCodeOptions): RunCode {
  let config: Promise<Config> | null = null;
  return async ({ name, moduleName, moduleKey }) => {
    if (shippedStrategies().includes(moduleName)) {
      const { strategy, key } = await loadShipped(moduleName);
      return { module: strategy, moduleKey: key };
    }
    if (loadFiles === null) throw refusal(`strategy ${name} of the run is code of its user`, NAME_IT);
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
  'Restore the file, or use --accept-changed-code: it takes the code of the strategy file of that name, and decisions may differ.';

/** Settings of a trader; the replay supplies the bounded call. */
export type ReplayedTrader = Omit<TraderSettings, 'boundedCall'>;

/** Builds a trader from the present files; run, address and hash are the run's, since they affect no decision. */
export function traderNow(
  config: Config,
  { runId, configHash, version, profile: then }: RunDescription,
): ReplayedTrader {
  const profile = { ...config.venue.profile, base_url: then.base_url };
  return { runId, configHash, version, profile, ...decisive(config), strategies: config.strategies };
}

/** Builds a trader from the run's settings, but with these strategies instead of its own. */
export function traderWith(run: RunDescription, strategies: readonly StrategySettings[]): ReplayedTrader {
  const { runId, configHash, version, profile } = run;
  return { runId, configHash, version, profile, ...decisive(run), strategies };
}

type Decisive = Pick<RunDescription, 'capitalMicros' | 'risk' | 'polling' | 'merge' | 'economics' | 'events' | 'feeds'>;

/** Field by field: the file of a run may come from another person and hold further fields. */
function decisive({ capitalMicros, risk, polling, merge, economics, events, feeds }: Decisive) {
  return { capitalMicros, risk, polling, merge, economics, events, feeds };
}

/** Builds the trader with the run's settings. Throws TwinbookError `strategy_invalid` for missing code. */
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

/** Reasons why decisions of this trader may differ from the run's, one sentence each; empty without known changes. */
export function changesSince(run: RunDescription, trader: ReplayedTrader): readonly string[] {
  const { base_url: _then, ...profileThen } = run.profile;
  const { base_url: _now, ...profileNow } = trader.profile;
  return [
    ...(run.version === VERSION ? [] : [`the run was made by twinbook ${run.version}, this is ${VERSION}`]),
    ...valueChanges('capital', run.capitalMicros, trader.capitalMicros, true),
    ...SECTIONS.flatMap((name) => valueChanges(name, run[name], trader[name])),
    ...valueChanges('feeds', limitsOfFeeds(run.feeds), limitsOfFeeds(trader.feeds)),
    ...valueChanges('the venue profile', profileThen, profileNow),
    ...strategyChanges(run, trader),
  ];
}

/** A feed's source does not matter: the journal has its values. */
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
      if (after === undefined) return [`strategy ${before.name} is not in the configuration any more`];
      return oneStrategyChanges(before, after, sameLimits);
    }),
    ...now.filter((name) => !then.includes(name)).map((name) => `strategy ${name} is new`),
    ...(isSame(kept, left) ? [] : ['the strategies have another order']),
  ];
}

/** A strategy's limits are the trader's, tightened: changes of all strategies are reported once. */
function oneStrategyChanges(then: JournaledStrategy, now: StrategySettings, withRisk: boolean): string[] {
  const name = `strategy ${then.name}:`;
  const specs: ParamSpecs = now.module.params;
  const params = [...new Set([...Object.keys(then.params), ...Object.keys(now.params)])];
  return [
    // Code of a shipped strategy changes with the version.
    ...(then.moduleKey === now.moduleKey ? [] : [`${name} its code has changed`]),
    ...params.flatMap((param) =>
      valueChanges(`${name} ${param}`, then.params[param], now.params[param], specs[param]?.kind === 'shares'),
    ),
    ...valueChanges(`${name} markets`, then.markets, now.markets),
    ...valueChanges(`${name} quote_hours`, then.quoteHours, now.quoteHours),
    ...(withRisk ? valueChanges(`${name} risk`, then.risk, now.risk) : []),
  ];
}

/** Lists each differing leaf by its name in a file. Below the top, names tell which numbers are micros. */
function valueChanges(name: string, then: unknown, now: unknown, isMicros = false): string[] {
  return fieldDifferences(then, now).map(({ path, recorded, replayed }) => {
    const isAmount = path === '' ? isMicros : path.endsWith('Micros');
    const text = (json: string | null): string => {
      if (json === null) return 'absent';
      // The journal does not keep the brand.
      return isAmount && /^-?\d+$/.test(json) ? formatDecimal(Number(json) as Micros) : json;
    };
    const place = [name, ...path.split('.').filter(Boolean).map(fileName)].join('.');
    return `${place} is ${text(replayed)} now, it was ${text(recorded)}`;
  });
}

/** `maxOrderSharesMicros` is `max_order_shares` in a file. */
const fileName = (key: string): string =>
  key.replace(/Micros$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
