/** What a running trader can take up of a configuration, as a text that the ledger and the journal keep, and back. */

import type { Strategy } from '../../../trader/strategy/contract.js';
import type { ModuleFile } from '../module-files.js';
import { loadByKey } from '../strategy-module.js';
import type { Config, StrategyConfig } from '../types.js';

type Modules = Readonly<Record<string, readonly ModuleFile[]>>;

interface LiveText {
  readonly settings: LiveParts & { readonly strategies: readonly KeptStrategy[] };
  /** The code of modules of the user's own, by their keys. */
  readonly modules: Modules;
}

/** As the core reads them. */
type LiveParts = Pick<Config, 'capitalMicros' | 'risk' | 'merge' | 'economics'>;
type KeptStrategy = Omit<StrategyConfig, 'module' | 'moduleFiles'>;

export function liveText({ capitalMicros, risk, merge, economics, strategies }: Config): string {
  const own = strategies.filter((strategy) => strategy.moduleFiles.length > 0);
  const kept: LiveText = {
    settings: {
      capitalMicros,
      risk,
      merge,
      economics,
      strategies: strategies.map(({ module: _module, moduleFiles: _files, ...strategy }) => strategy),
    },
    modules: Object.fromEntries(own.map(({ moduleKey, moduleFiles }) => [moduleKey, moduleFiles])),
  };
  return JSON.stringify(kept);
}

/**
 * The configuration with what this text says in place of its own. Code that is `known` is not loaded again. Throws TwinbookError
 * `strategy_invalid` for code that cannot be loaded.
 */
export async function withLiveText(
  config: Config,
  {
    hash,
    text,
    known,
  }: { readonly hash: string; readonly text: string; readonly known: ReadonlyMap<string, Strategy> },
): Promise<Config> {
  const { settings, modules } = parseLiveText(text);
  const { strategies: kept, ...live } = settings;
  const strategies: StrategyConfig[] = [];
  for (const strategy of kept) {
    const { moduleKey } = strategy;
    const module = known.get(moduleKey) ?? (await loadByKey(moduleKey, modules)).strategy;
    strategies.push({ ...strategy, module, moduleFiles: modules[moduleKey] ?? [] });
  }
  return { ...config, ...live, strategies, configHash: hash };
}

/** The code of every strategy of such a text, by its key. Throws as `withLiveText`. */
export async function loadModules(
  text: string,
  known: ReadonlyMap<string, Strategy>,
): Promise<ReadonlyMap<string, Strategy>> {
  const { settings, modules } = parseLiveText(text);
  const loaded = new Map<string, Strategy>();
  for (const { moduleKey } of settings.strategies) {
    loaded.set(moduleKey, known.get(moduleKey) ?? (await loadByKey(moduleKey, modules)).strategy);
  }
  return loaded;
}

// Written by `liveText` alone; what it wrote can be read.
const parseLiveText = (text: string): LiveText => JSON.parse(text) as LiveText;
