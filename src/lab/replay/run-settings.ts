/** The trader of a run: as the configuration makes it now, or as the run's journal has it; and what has changed since. */

import { formatDecimal } from '../../shared/base/decimal.js';
import type { Micros } from '../../shared/base/micros.js';
import { canonicalJson } from '../../shell/config/hash.js';
import type { Config } from '../../shell/config/types.js';
import { VERSION } from '../../shell/config/version.js';
import type { JournaledStrategy, RunDescription } from '../../shell/journal/contract.js';
import type { StrategySettings } from '../../trader/engine/settings.js';
import { limitsOfThen } from '../../trader/risk/limits.js';
import { USUAL_ECONOMICS } from '../../trader/strategy/economics.js';
import type { ParamSpecs } from '../../trader/strategy/params.js';
import type { ReplayedTrader } from './replay.js';
import type { RunCode } from './run-code.js';

/** With the files as they are now; run, address and hash are the run's: they shape no decision. */
export function traderNow(config: Config, run: RunDescription): ReplayedTrader {
  const { capitalMicros, risk, polling, merge, economics, events, feeds, strategies, venue } = config;
  const { runId, configHash, version } = run;
  const profile = { ...venue.profile, base_url: run.profile.base_url };
  return {
    runId,
    configHash,
    version,
    profile,
    capitalMicros,
    risk,
    polling,
    merge,
    economics,
    events,
    feeds,
    strategies,
  };
}

/** With the settings that the run was made with, but these strategies in place of its own. */
export function traderWith(run: RunDescription, strategies: readonly StrategySettings[]): ReplayedTrader {
  const { runId, configHash, version, profile, capitalMicros, polling, merge } = run;
  const { economics = USUAL_ECONOMICS, events = [], feeds = [] } = run;
  const risk = limitsOfThen(run.risk);
  return {
    runId,
    configHash,
    version,
    profile,
    capitalMicros,
    risk,
    polling,
    merge,
    economics,
    events,
    feeds,
    strategies,
  };
}

/** With the settings that the run was made with. Throws TwinbookError `strategy_invalid` for code that is not found. */
export async function traderThen(run: RunDescription, code: RunCode): Promise<ReplayedTrader> {
  const strategies: StrategySettings[] = [];
  for (const strategy of run.strategies) {
    const { name, params, markets, quoteHours, risk } = strategy;
    const { module, moduleKey } = await code.find(strategy);
    strategies.push({ name, module, moduleKey, params, markets, quoteHours, risk: limitsOfThen(risk) });
  }
  return traderWith(run, strategies);
}

const isSame = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other);

/** Why decisions of this trader may differ from the run's, a sentence each; empty when nothing is known to have changed. */
export function changesSince(run: RunDescription, trader: ReplayedTrader): readonly string[] {
  const { base_url: _then, ...profileThen } = run.profile;
  const { base_url: _now, ...profileNow } = trader.profile;
  return [
    ...(run.version === VERSION ? [] : [`the run was made by twinbook ${run.version}, this is ${VERSION}`]),
    ...valueChanges('capital', run.capitalMicros, trader.capitalMicros, true),
    ...(isSame(limitsOfThen(run.risk), trader.risk) ? [] : valueChanges('risk', run.risk, trader.risk, false)),
    ...valueChanges('polling', run.polling, trader.polling, false),
    ...valueChanges('merge', run.merge, trader.merge, false),
    ...valueChanges('events', run.events ?? [], trader.events, false),
    ...valueChanges('economics', run.economics ?? USUAL_ECONOMICS, trader.economics, false),
    ...valueChanges('feeds', limitsOfFeeds(run.feeds), limitsOfFeeds(trader.feeds), false),
    ...valueChanges('the venue profile', profileThen, profileNow, false),
    ...strategyChanges(run, trader),
  ];
}

/** Where a feed comes from is of no matter: what it said is in the journal. */
const limitsOfFeeds = (feeds: ReplayedTrader['feeds'] = []) =>
  Object.fromEntries(feeds.map(({ name, maxAgeMs }) => [name, { maxAgeMs }]));

function strategyChanges(run: RunDescription, { strategies, risk }: ReplayedTrader): string[] {
  const then = run.strategies.map(({ name }) => name);
  const now = strategies.map(({ name }) => name);
  const inOrder = canonicalJson(then.filter((name) => now.includes(name)));
  const reordered = inOrder !== canonicalJson(now.filter((name) => then.includes(name)));
  const sameLimits = canonicalJson(run.risk) === canonicalJson(risk);
  return [
    ...run.strategies.flatMap((before) => {
      const after = strategies.find(({ name }) => name === before.name);
      if (after === undefined) return [`strategy ${before.name} is not in the configuration any more`];
      return oneStrategyChanges(before, after, sameLimits);
    }),
    ...now.filter((name) => !then.includes(name)).map((name) => `strategy ${name} is new`),
    ...(reordered ? ['the strategies stand in another order'] : []),
  ];
}

/** A strategy's limits are the trader's, tightened: those that changed for all are said once, for all. */
function oneStrategyChanges(then: JournaledStrategy, now: StrategySettings, withRisk: boolean): string[] {
  const name = `strategy ${then.name}:`;
  return [
    // The code of a shipped strategy changes with the version.
    ...(then.moduleKey === now.moduleKey ? [] : [`${name} its code has changed`]),
    ...paramChanges(then, now, name),
    ...valueChanges(`${name} markets`, then.markets, now.markets, false),
    ...valueChanges(`${name} quote_hours`, then.quoteHours, now.quoteHours, false),
    ...(withRisk ? valueChanges(`${name} risk`, then.risk, now.risk, false) : []),
  ];
}

function paramChanges(then: JournaledStrategy, { module, params }: StrategySettings, name: string): string[] {
  const specs: ParamSpecs = module.params;
  return [...new Set([...Object.keys(then.params), ...Object.keys(params)])].flatMap((param) =>
    valueChanges(`${name} ${param}`, then.params[param], params[param], specs[param]?.kind === 'shares'),
  );
}

/** Each leaf that differs, by the name that it has in a file. */
function valueChanges(name: string, then: unknown, now: unknown, isMicros: boolean): string[] {
  if (canonicalJson(then) === canonicalJson(now)) return [];
  if (isPlain(then) && isPlain(now)) {
    return [...new Set([...Object.keys(then), ...Object.keys(now)])].flatMap((key) =>
      valueChanges(`${name}.${fileName(key)}`, then[key], now[key], key.endsWith('Micros')),
    );
  }
  const text = (value: unknown) => (value === undefined ? 'absent' : valueText(value, isMicros));
  return [`${name} is ${text(now)} now, it was ${text(then)}`];
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// The caller says which numbers are Micros; the brand did not survive the journal.
const valueText = (value: unknown, isMicros: boolean): string =>
  isMicros && typeof value === 'number' ? formatDecimal(value as Micros) : canonicalJson(value);

/** `maxOrderSharesMicros` is `max_order_shares` in a file. */
const fileName = (key: string): string =>
  key.replace(/Micros$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
