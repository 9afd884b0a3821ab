/** Runs the command line in this process and captures its output. */

import { runCli } from '../../src/cli/cli.js';
import type { CliTerminal } from '../../src/cli/io.js';
import { keepOutput } from '../secrets/suite/run-evidence.js';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stopAsked?: () => Promise<void>;
  readonly terminal?: CliTerminal;
  /** Width of a terminal; absent: the output goes to a file. */
  readonly columns?: number;
  /** Receives the text of both streams in the order of writing. */
  readonly hear?: (text: string) => void;
}

export async function run(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
  let out = '';
  let err = '';
  const toOut = (text: string) => {
    out += text;
    options.hear?.(text);
  };
  const toErr = (text: string) => {
    err += text;
    options.hear?.(text);
  };
  // A command that writes files sets the umask of its process, which other tests share.
  const umask = process.umask();
  const code = await runCli(argv, {
    out: toOut,
    err: toErr,
    raw: { out: toOut, err: toErr },
    env: options.env ?? {},
    ...(options.columns === undefined ? {} : { columns: options.columns }),
    ...(options.terminal === undefined ? {} : { terminal: options.terminal }),
    cwd: options.cwd ?? '/',
    stopAsked: options.stopAsked ?? (() => Promise.resolve()),
    onKillSignal: () => undefined,
    onUncaught: () => undefined,
    onUnusedSignal: () => undefined,
    isUnread: () => false,
  }).finally(() => process.umask(umask));
  keepOutput(argv.slice(0, 2).join(' '), `${out}${err}`);
  return { code, out, err };
}
