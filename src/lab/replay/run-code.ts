/**
 * Code of a recorded run: shipped strategies, and files that the operator names. Code in a run's folder is never
 * loaded.
 */

import { TwinbookError } from '../../shared/base/errors.js';
import type { Config } from '../../shell/config/config.js';
import { shippedStrategies } from '../../shell/config/shipped.js';
import { loadShipped } from '../../shell/config/strategy-module.js';
import type { Strategy } from '../../trader/strategy/contract.js';

/** As named in a journal. */
export interface NamedCode {
  readonly name: string;
  readonly moduleName: string;
  readonly moduleKey: string;
}

export interface RunCodeOptions {
  /** Loads the operator's configuration, for code that is not shipped; null without one. */
  readonly loadFiles: (() => Promise<Config>) | null;
  /** Whether a strategy's code of the same name may be used despite another hash. */
  readonly acceptsChanged: boolean;
}

export class RunCode {
  readonly #options: RunCodeOptions;
  #config: Promise<Config> | null = null;

  constructor(options: RunCodeOptions) {
    this.#options = options;
  }

  /** Throws `strategy_invalid` for code missing in the operator's files. */
  async find({ name, moduleName, moduleKey }: NamedCode): Promise<{ module: Strategy; moduleKey: string }> {
    if (shippedStrategies().includes(moduleName)) {
      const { strategy, key } = await loadShipped(moduleName);
      return { module: strategy, moduleKey: key };
    }
    const { loadFiles, acceptsChanged } = this.#options;
    if (loadFiles === null) throw refusal(`strategy ${name} of the run is code of its user`, NAME_IT);
    this.#config ??= loadFiles();
    const { file, strategies } = await this.#config;
    const same = strategies.find((strategy) => strategy.moduleKey === moduleKey);
    const found = same ?? (acceptsChanged ? strategies.find((strategy) => strategy.name === name) : undefined);
    if (found !== undefined) return found;
    const hash = moduleKey.replace(/^own /, '').slice(0, 12);
    throw refusal(`no strategy file of ${file} has the code of strategy ${name} of the run (SHA-256 ${hash})`, ACCEPT);
  }
}

const refusal = (text: string, hint: string): TwinbookError => new TwinbookError('strategy_invalid', text, hint);

const NAME_IT =
  "Name the trader's file with -c FILE: code comes from its strategy files, never from the folder of a run.";
const ACCEPT =
  'Restore the file, or use --accept-changed-code: it takes the code of the strategy file of that name, and decisions may differ.';
