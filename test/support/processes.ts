/** Real processes of the compiled program, in separate folders. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { keepOutput } from '../secrets/suite/run-evidence.js';
import { tieToThisProcess } from './life.js';

export const BIN = resolve(import.meta.dirname, '../../dist/src/cli/twinbook.js');

export interface Running {
  readonly process: ChildProcess;
  /** Everything written so far, both streams. */
  readonly output: () => string;
  /** Resolves with the exit code, or null if a signal ended it. */
  readonly exited: Promise<number | null>;
  /** Resolves when the output matches; rejects if the process ends first. */
  waitFor(pattern: RegExp): Promise<RegExpMatchArray>;
}

/** @param largestFileKib maximum size of files, KiB: larger writes fail as on a full disk */
export function twinbook(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  largestFileKib: number | null = null,
): Running {
  const limited = ['-c', `ulimit -f ${largestFileKib}; exec "$0" "$@"`, process.execPath, BIN, ...args];
  return largestFileKib === null ? program(process.execPath, [BIN, ...args], env) : program('bash', limited, env);
}

/** Environment in which a Node program loads this module early, after the check of the exchanges' answers (answers/). */
export const loadingFirst = (module: string): { readonly NODE_OPTIONS: string } => ({
  NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${module}`.trim(),
});

/** Starts any other program. */
export function program(command: string, words: readonly string[], env: Record<string, string> = {}): Running {
  // In a run of tests it is tied already; other programs need this.
  tieToThisProcess();
  const child = spawn(command, words, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const waiting = new Set<() => void>();
  const take = (chunk: Buffer) => {
    output += chunk.toString('utf8');
    for (const look of waiting) look();
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const exited = new Promise<number | null>((done) =>
    child.once('close', (code) => {
      keepOutput(words.slice(1, 3).join(' '), output);
      done(code);
    }),
  );
  return {
    process: child,
    output: () => output,
    exited,
    waitFor: (pattern) =>
      new Promise((found, failed) => {
        const look = () => {
          const match = output.match(pattern);
          if (match === null) return;
          waiting.delete(look);
          found(match);
        };
        waiting.add(look);
        look();
        void exited.then((code) => failed(new Error(`ended with ${code} before ${pattern} was seen:\n${output}`)));
      }),
  };
}

/** A folder with a trader's files; removed by `remove`. */
export interface Place {
  readonly folder: string;
  readonly config: string;
  remove(): void;
}

export function traderPlace(trader: string, strategy: string): Place {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-'));
  mkdirSync(join(folder, 'strategies'));
  const config = join(folder, 'trader.yaml');
  writeFileSync(config, trader);
  writeFileSync(join(folder, 'strategies', 'maker.yaml'), strategy);
  return { folder, config, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
