/** Changes of the configuration while the trader runs: read, compared, applied, and rolled back. */

import { TwinbookError } from '../../../shared/base/errors.js';
import type { ConfigureCommand } from '../../../shared/protocol/seam.js';
import { type ConfigEntry, configHistory, configText } from '../../../trader/engine/control/config-history.js';
import type { Ledger } from '../../../trader/ledger/contract.js';
import type { Strategy } from '../../../trader/strategy/contract.js';
import { type ConfigChange, configChanges } from '../../config/live/config-diff.js';
import { liveText, withLiveText } from '../../config/live/live-text.js';
import { configFiles, loadConfig } from '../../config/load.js';
import type { Config } from '../../config/types.js';
import type { ConfigData } from '../../control/control-protocol.js';
import { FileWatch } from './file-watch.js';

export interface LiveConfigOptions {
  /** As this run began. */
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly session: {
    readonly ledger: Pick<Ledger, 'note'>;
    /** What the core finds code by. */
    readonly modules: Map<string, Strategy>;
  };
  /** Null when it is obeyed, else why not. */
  readonly command: (command: ConfigureCommand) => string | null;
  /** The schedule of quote hours begins anew. */
  readonly onChange: (config: Config) => void;
  /** For the operator's eyes. */
  readonly say: (text: string) => void;
  readonly nowMs: () => number;
}

interface Wanted {
  readonly reason: string;
  readonly dryRun: boolean;
}

export class LiveConfig {
  readonly #options: LiveConfigOptions;
  #inForce: Config;
  #isBusy = false;
  /** Null when changed files wait for `config apply`. */
  readonly #files: FileWatch | null;

  constructor(options: LiveConfigOptions) {
    this.#options = options;
    this.#inForce = options.config;
    this.#files = options.config.reload.watch ? new FileWatch(this.#named()) : null;
  }

  /** What the trader goes by now. */
  get config(): Config {
    return this.#inForce;
  }

  /** What the files say now against what is in force, and what it takes. Throws what is wrong with the files. */
  async diff(): Promise<ConfigData> {
    const next = await this.#read();
    return { lines: formatLines(configChanges(this.#inForce, next)), applied: false, hash: next.configHash };
  }

  /** Takes up what the files say. Throws TwinbookError for what is wrong with them, or with asking. */
  apply({ reason, dryRun }: Wanted): Promise<ConfigData> {
    return this.#alone(async () => {
      const next = await this.#read();
      return this.#take(next, { by: 'operator', reason, dryRun });
    });
  }

  /** Goes back to what was in force before, or under this hash (or its beginning). The files stay as they are. */
  rollback({ hash, reason, dryRun }: Wanted & { readonly hash: string }): Promise<ConfigData> {
    return this.#alone(async () => {
      const entry = this.#findEntry(hash);
      const text = configText(this.#options.session.ledger, entry.hash);
      if (text === null)
        throw new TwinbookError(
          'usage',
          `what was in force under ${entry.hash.slice(0, 12)} is not kept any more`,
          '`twinbook config history` lists what is; files that you kept come back by `twinbook config apply`.',
        );
      const known = this.#options.session.modules;
      const next = await withLiveText(this.#inForce, { hash: entry.hash, text, known });
      return this.#take(next, { by: 'rollback', reason, dryRun });
    });
  }

  /** About once a second: applies files that have changed and then stayed as they are. */
  watchFiles(): void {
    if (this.#files?.hasSettled(this.#options.nowMs()) === true) void this.#takeChanged(this.#files);
  }

  /** Takes up changed files where all of it is free. Runs no code that does not run already: it might never end. */
  async #takeChanged(files: FileWatch): Promise<void> {
    const { session, say } = this.#options;
    try {
      await this.#alone(async () => {
        // First: what changes while they are read is another change.
        files.follow(this.#named());
        const next = await this.#read({ onlyCode: session.modules });
        return this.#take(next, { by: 'watch', reason: '', dryRun: false });
      });
    } catch (error) {
      say(`warning: the files have changed, and what is in force stays: ${(error as Error).message}`);
      say('  `twinbook config diff` shows what they say, `twinbook config apply` takes it.');
    }
  }

  #named(): readonly string[] {
    return configFiles(this.#inForce.file, this.#place());
  }

  #place() {
    return { env: this.#options.env, cwd: process.cwd() };
  }

  async #read(options: { readonly onlyCode?: ReadonlyMap<string, Strategy> } = {}): Promise<Config> {
    return loadConfig(this.#inForce.file, { ...this.#place(), ...options });
  }

  #take(next: Config, asked: Asked): ConfigData {
    const changes = configChanges(this.#inForce, next);
    if (changes.length === 0) return { lines: [NOTHING], applied: false, hash: next.configHash };
    const lines = formatLines(changes);
    refuseUnlessFree(changes, asked);
    if (asked.dryRun) return { lines, applied: false, hash: next.configHash };
    this.#command(next, asked, changes);
    return {
      lines: [...lines, `in force since now: configuration ${next.configHash.slice(0, 12)}`],
      applied: true,
      hash: next.configHash,
    };
  }

  #command(next: Config, { by, reason }: Asked, changes: readonly ConfigChange[]): void {
    const { session, command, onChange } = this.#options;
    const { modules } = session;
    const before = this.#inForce;
    for (const { moduleKey, module } of [...before.strategies, ...next.strategies]) modules.set(moduleKey, module);
    this.#inForce = next;
    const refusal = command({
      kind: 'configure',
      hash: next.configHash,
      config: liveText(next),
      changes: changes.map(({ text }) => text),
      by,
      reason,
    });
    if (refusal !== null) {
      this.#inForce = before;
      throw new TwinbookError('usage', refusal, '`twinbook config diff` shows each change, and what it wants.');
    }
    const used = new Set([...before.strategies, ...next.strategies].map(({ moduleKey }) => moduleKey));
    for (const key of modules.keys()) if (!used.has(key)) modules.delete(key);
    onChange(next);
  }

  #findEntry(hash: string): ConfigEntry {
    const history = configHistory(this.#options.session.ledger);
    const found = history.findLast((entry) =>
      hash === '' ? entry.hash !== this.#inForce.configHash : entry.hash.startsWith(hash),
    );
    if (found !== undefined) return found;
    const what = hash === '' ? 'no configuration was in force before' : `no configuration ${hash} was ever in force`;
    throw new TwinbookError('usage', what, '`twinbook config history` lists them.');
  }

  async #alone(work: () => Promise<ConfigData>): Promise<ConfigData> {
    if (this.#isBusy)
      throw new TwinbookError(
        'usage',
        'another change of the configuration is under way',
        'Try again when it is done: `twinbook config history` shows it.',
      );
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#isBusy = false;
    }
  }
}

interface Asked {
  readonly by: ConfigureCommand['by'];
  readonly reason: string;
  readonly dryRun: boolean;
}

const NOTHING = 'nothing differs from what is in force';

const formatLines = (changes: readonly ConfigChange[]): readonly string[] =>
  changes.length === 0
    ? [NOTHING]
    : changes.map(({ text, wants }) => (wants === 'nothing' ? text : `${text} [wants a ${wants}]`));

/** Nothing is taken in part. */
function refuseUnlessFree(changes: readonly ConfigChange[], { reason, dryRun }: Asked): void {
  const restart = changes.filter(({ wants }) => wants === 'restart').map(({ text }) => text);
  if (restart.length > 0) {
    const what = `only a restart takes this up, and nothing was taken: ${restart.join('; ')}`;
    throw new TwinbookError('usage', what, 'Put it back in the file, or restart the trader.');
  }
  const looser = changes.filter(({ wants }) => wants === 'reason').map(({ text }) => text);
  if (looser.length === 0 || reason !== '' || dryRun) return;
  throw new TwinbookError(
    'usage',
    `this wants a reason, and nothing was taken: ${looser.join('; ')}`,
    'Give one with --reason TEXT.',
  );
}
