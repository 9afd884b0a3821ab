/**
 * The trader's console, a separate process: started as soon as the ledger is locked, because starting one stops the loop for
 * longer in a larger trader; restarted when it dies; and informed when the trader ends. The trader never waits for it.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { TwinbookError } from '../../shared/base/errors.js';
import { guarded } from '../../shared/base/guarded.js';
import type { Environment } from '../config/environment.js';
import { isConsoleWanted } from '../config/sections/alerts.js';
import type { Config } from '../config/types.js';
import { obtainPageToken } from '../console/page-token.js';
import { addressText, passwordFrom } from '../console/password.js';

/** Wait between two starts, ms, doubled each time. */
const START_AGAIN_MS = { first: 5_000, longest: 300_000 } as const;
/** Time for it to send its pending messages, ms. */
const GONE_WITHIN_MS = 3_000;

const HERE = fileURLToPath(import.meta.url);
const PROGRAM = join(dirname(dirname(dirname(HERE))), 'cli', `twinbook${extname(HERE)}`);

/** What `twinbook console --with-trader` writes, a line of JSON each. */
export interface ConsoleSaid {
  /** Address of its page; null when it has none. */
  readonly url: string | null;
  readonly isElsewhere: boolean;
}

export interface ConsoleSupervisorOptions {
  readonly config: Config;
  readonly env: Environment;
  readonly say: (text: string) => void;
  /** For the log. */
  readonly note: (text: string) => void;
}

export class ConsoleSupervisor {
  readonly #options: ConsoleSupervisorOptions;
  readonly #password: string | null;
  readonly #token: string;
  #child: ChildProcess | null = null;
  #again: NodeJS.Timeout | null = null;
  #pauseMs: number = START_AGAIN_MS.first;
  #isClosed = false;
  #url: string | null = null;
  /** Its last error message. */
  #lastWords = '';
  #shownUrl: string | null = null;

  private constructor(options: ConsoleSupervisorOptions) {
    this.#options = options;
    this.#password = passwordFrom(options.env);
    // Its console reads the same file, and gets a password by its environment.
    this.#token = this.#password ?? obtainPageToken(options.config.ledger.path);
    this.#spawn();
  }

  /** Null when the configuration has none, or when it cannot start, which is reported. */
  static start(options: ConsoleSupervisorOptions): ConsoleSupervisor | null {
    const { config } = options;
    if (!isConsoleWanted(config) || !config.dashboard.start) return null;
    try {
      return new ConsoleSupervisor(options);
    } catch (error) {
      const hint = error instanceof TwinbookError ? `. ${error.hint}` : '';
      options.say(`warning: there is no dashboard: ${error instanceof Error ? error.message : String(error)}${hint}`);
      return null;
    }
  }

  /** Address of the page; null while there is none. */
  get url(): string | null {
    return this.#url;
  }

  /** Regular end of the trader. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#again !== null) clearTimeout(this.#again);
    const child = this.#child;
    if (child === null) return;
    const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
    child.stdin?.end('end\n');
    const timer = setTimeout(() => child.kill('SIGKILL'), GONE_WITHIN_MS);
    await gone;
    clearTimeout(timer);
  }

  #spawn(): void {
    const { config, env, note } = this.#options;
    // A separate group: Ctrl-C is for the trader, and the page must show the trader's end.
    const child = spawn(
      process.execPath,
      [...process.execArgv, PROGRAM, 'console', '--with-trader', '-c', config.file],
      { detached: true, stdio: ['pipe', 'pipe', 'pipe'], env: { ...env, ...WITHHELD, ...this.#pass } },
    );
    this.#child = child;
    // Its input ends with this process, however it ends.
    child.stdin.on('error', () => undefined);
    const failed = (error: unknown) => note(`console: ${String(error)}`);
    const hear = (line: string) => this.#hear(line);
    createInterface({ input: child.stdout }).on('line', guarded(hear, failed));
    const complain = (line: string) => {
      this.#lastWords = `: ${line}`;
      note(`console: ${line}`);
    };
    createInterface({ input: child.stderr }).on('line', guarded(complain, failed));
    child.on('error', (error) => this.#lose(`cannot be started: ${error.message}`));
    child.on('close', (code, signal) => this.#lose(`ended (${signal ?? code})${this.#lastWords}`));
  }

  get #pass(): Environment {
    return this.#password === null ? {} : { TWINBOOK_DASHBOARD_PASSWORD: this.#password };
  }

  #hear(line: string): void {
    const { say, config } = this.#options;
    const { url, isElsewhere } = JSON.parse(line) as ConsoleSaid; // Written by our own program of this version.
    this.#url = url;
    if (url === null || url === this.#shownUrl) return;
    this.#shownUrl = url;
    if (isElsewhere)
      say(
        `warning: port ${config.dashboard.port} is taken (dashboard.port), so the dashboard is at another one, which \`twinbook status\` names`,
      );
    say(addressText(url, this.#password, this.#token));
  }

  #lose(why: string): void {
    if (this.#child === null || this.#isClosed) return;
    this.#child = null;
    this.#url = null;
    this.#options.say(`warning: the dashboard's process ${why}; it is started again`);
    this.#again = setTimeout(() => this.#spawn(), this.#pauseMs);
    this.#again.unref();
    this.#pauseMs = Math.min(this.#pauseMs * 2, START_AGAIN_MS.longest);
  }
}

/** Its environment without secrets: it has no key and no credentials. */
const WITHHELD: Environment = {
  TWINBOOK_WALLET_PASSPHRASE: undefined,
  TWINBOOK_WALLET_PASSPHRASE_FILE: undefined,
  TWINBOOK_API_KEY: undefined,
  TWINBOOK_API_SECRET: undefined,
  TWINBOOK_DASHBOARD_PASSWORD_FILE: undefined,
  TWINBOOK_FLEET_PASSWORD: undefined,
  TWINBOOK_FLEET_PASSWORD_FILE: undefined,
};
