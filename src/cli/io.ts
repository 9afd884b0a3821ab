/** Input and output of a command, injected so that tests can run commands in process. */

import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ErrorCode, TwinbookError, unreadable } from '../shared/base/errors.js';
import { plainLine } from '../shared/base/text.js';
import { packageRoot } from '../shell/config/shipped.js';
import type { TraderIo } from '../shell/daemon/daemon.js';

export class ProgressLine {
  readonly #io: CliIo;
  readonly #quiet: boolean;
  readonly #terminal = process.stderr.isTTY === true;
  #shownMs = Date.now();
  #isOpen = false;

  /** @param quiet whether to show nothing outside a terminal */
  constructor(io: CliIo, quiet: boolean) {
    this.#io = io;
    this.#quiet = quiet;
  }

  /** Shows progress: the completed fraction, 0 to 1, and a text about the present work. Frequent calls are cheap. */
  show(share: number, what: string): void {
    const nowMs = Date.now();
    // A terminal shows progress every 100 ms; a log gets a line only every 10 s.
    if (nowMs - this.#shownMs < (this.#terminal ? 100 : 10_000)) return;
    if (this.#quiet && !this.#terminal) return;
    this.#shownMs = nowMs;
    const text = `${String(Math.floor(share * 100)).padStart(3)} %  ${what}`;
    if (this.#terminal) this.#rewrite(text);
    else this.#io.err(`${plainLine(text)}\n`);
    this.#isOpen = this.#terminal;
  }

  end(): void {
    if (this.#isOpen) this.#rewrite('');
    this.#isOpen = false;
  }

  #rewrite(line: string): void {
    this.#io.raw.err('\r');
    // The progress text is shortened to the terminal's width, because a wrapped line could not be rewritten.
    this.#io.err(plainLine(line).slice(0, (process.stderr.columns ?? 80) - 1));
    this.#io.raw.err('\u001b[K');
  }
}

/** Checks before a long run that `writeWhole` can write the file. Throws `file_unreadable`; changes no file. */
export function requireWritable(path: string): void {
  const beside = besideOf(path);
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) throw new Error('the path is a folder');
    writeFileSync(beside, '');
  } catch (error) {
    throw cannotWrite(path, error);
  } finally {
    rmSync(beside, { force: true });
  }
}

/** Writes a temporary file and renames it. Throws TwinbookError `file_unreadable`; the old file is then unchanged. */
export function writeWhole(path: string, text: string): void {
  const beside = besideOf(path);
  try {
    writeFileSync(beside, text);
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw cannotWrite(path, error);
  }
}

const besideOf = (path: string): string => `${path}.part-${process.pid}`;

const cannotWrite = (path: string, cause: unknown): TwinbookError =>
  unreadable(`cannot write ${path}`, cause, 'Check that its folder exists, is writable and has free space.');

export interface CliIo extends TraderIo {
  /** Writes text unchanged, for cursor sequences. Never use `raw` for texts from outside the program. */
  readonly raw: Readonly<Record<'out' | 'err', (sequence: string) => void>>;
  readonly cwd: string;
  /** Lets a closed reader of stdout end the program, because the command only prints from now on. */
  readonly endWithReader?: () => void;
  /** Width of the terminal that `out` writes to; absent without a terminal, where tables are as wide as needed. */
  readonly columns?: number;
  readonly terminal?: CliTerminal;
}

export interface CliTerminal {
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Reports each key press and each new terminal size, until the returned function is called. */
  readonly listen: (events: { readonly key: (key: string) => void; readonly resize: () => void }) => () => void;
}

export interface CommandSession {
  readonly io: CliIo;
  exitCode: ExitCode;
  /** Runs another command line in this process. Never throws for a mistake in that command line. */
  readonly run: (argv: readonly string[], io: CliIo) => Promise<ExitCode>;
}

export const DEFAULT_CONFIG = 'config/paper.yaml';
/** Configuration file that `twinbook init` writes. */
export const OWN_CONFIG = 'twinbook.yaml';

/** Returns the configuration file of the working folder, else of the repository, so that `kill` works in any folder. */
export function defaultConfig(cwd: string): string {
  const ownFile = join(packageRoot, DEFAULT_CONFIG);
  // A package installed by npm has no default file.
  const isInstalled = packageRoot.split('/').includes('node_modules');
  const here = [DEFAULT_CONFIG, OWN_CONFIG].find((file) => existsSync(resolve(cwd, file)));
  return here ?? (isInstalled || !existsSync(ownFile) ? DEFAULT_CONFIG : ownFile);
}

/** Makes new files readable by their user only, including files that SQLite and DuckDB create. */
export const keepFilesPrivate = (): void => void process.umask(0o077);

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notRunning: 3,
  configuration: 4,
  timedOut: 5,
  difference: 6,
  accepted: 7,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const BY_CODE: Readonly<Partial<Record<ErrorCode, ExitCode>>> = {
  config_invalid: EXIT.configuration,
  strategy_invalid: EXIT.configuration,
  key_insecure: EXIT.configuration,
  key_invalid: EXIT.configuration,
  usage: EXIT.usage,
  not_running: EXIT.notRunning,
  timed_out: EXIT.timedOut,
  results_differ: EXIT.difference,
};

export const findExitCode = (error: unknown): ExitCode =>
  error instanceof TwinbookError ? (BY_CODE[error.code] ?? EXIT.failed) : EXIT.failed;

/** Prints a message and a hint after a user's mistake, never a stack trace. */
export function reportFailure(error: unknown, io: CliIo): ExitCode {
  if (error instanceof TwinbookError) {
    io.err(`${error.message}\n`);
    if (error.hint !== '') io.err(`  ${error.hint}\n`);
    return findExitCode(error);
  }
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  io.err(`Sorry, this is a bug in Twinbook: ${text}\n`);
  if (io.env['TWINBOOK_DEBUG'] === '1' && error instanceof Error) io.err(`${error.stack ?? ''}\n`);
  else io.err('  Run the command again with TWINBOOK_DEBUG=1, and report the stack trace with the command.\n');
  return EXIT.failed;
}
