/**
 * Programs under strace, which kills them at a system call, such as the nth `fsync` of their main thread. The counted
 * calls are those with an outside effect: to a file, to a folder, to a socket.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { program, type Running } from '../support/processes.js';

const CALLS = [
  ...['write', 'writev', 'pwrite64', 'pwritev', 'sendto', 'sendmsg', 'fsync', 'fdatasync', 'ftruncate'],
  ...['rename', 'renameat', 'renameat2', 'link', 'linkat', 'unlink', 'unlinkat', 'openat'],
] as const;
export type Call = (typeof CALLS)[number];

/** The moment at which a program enters its nth call of this name, counted from 1, in any one of its threads. */
export interface KillPoint {
  readonly call: Call;
  readonly nth: number;
  /** Target of the call in the traced run: a path, or `socket`. */
  readonly target?: string;
}

/** One call of a program. */
export interface MadeCall extends KillPoint {
  readonly target: string;
}

/** Null if programs can be traced; otherwise the reason. */
export function tracingMissing(): string | null {
  const tried = spawnSync('strace', ['-f', '-qq', '-o', '/dev/null', '-e', 'trace=write', 'true']);
  if (tried.error !== undefined) return 'there is no strace here';
  return tried.status === 0 ? null : `strace does not work here: ${tried.stderr.toString('utf8').trim()}`;
}

const QUIETLY = ['-f', '-qq', '-e', 'signal=none'];
/** Without `--seccomp-bpf`, because strace 6.1 injects no signals with it. */
const killing = ({ call, nth }: KillPoint): string[] => [
  ...['-o', '/dev/null', '-e', `trace=${call}`],
  ...['-e', `inject=${call}:signal=SIGKILL:when=${nth}`],
];
const listing = (file: string): string[] => ['-y', '-o', file, '-e', `trace=${CALLS.join(',')}`];

/** strace either lists a program's calls or kills it at one. */
export type Tracing = { readonly list: string } | { readonly killAt: KillPoint };

const wordsOf = (how: Tracing): string[] => [...QUIETLY, ...('list' in how ? listing(how.list) : killing(how.killAt))];

/** Starts a program under strace from its first instruction. */
export const traced = (command: readonly string[], how: Tracing, env: Readonly<Record<string, string>> = {}): Running =>
  program('strace', [...wordsOf(how), ...command], env);

/** Runs a program under strace to its end. Throws if it exits with another code than 0. */
export async function runToEnd(words: readonly string[], how: Tracing): Promise<'done' | 'killed'> {
  const running = traced(words, how);
  const code = await running.exited;
  if (code === 0) return 'done';
  if (code === null) return 'killed';
  throw new Error(`${words.join(' ')} ended with ${code}: ${running.output()}`);
}

/** Starts tracing a running program; resolves when every thread of it is traced. */
export async function tracing(pid: number, how: Tracing): Promise<Running> {
  const words = wordsOf(how).filter((word) => word !== '-qq');
  const strace = program('strace', [...words, '-p', String(pid)]);
  await strace.waitFor(new RegExp(`Process ${pid} attached`));
  return strace;
}

/** The calls of the program's main thread, in order, from a list that `traced` or `tracing` wrote. */
export function callsIn(file: string): readonly MadeCall[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  // The main thread has the lowest number; its first traced call need not come first.
  const main = String(Math.min(...lines.filter((line) => line !== '').map((line) => Number.parseInt(line, 10))));
  const counts = new Map<string, number>();
  return lines.flatMap((line) => {
    const match = /^(\d+) +(\w+)\((.*)$/.exec(line);
    if (match === null || match[1] !== main) return [];
    const [, , name = '', rest = ''] = match;
    const call = CALLS.find((known) => known === name);
    if (call === undefined) return [];
    const nth = (counts.get(call) ?? 0) + 1;
    counts.set(call, nth);
    const target = targetOf(call, rest);
    return target === null ? [] : [{ call, nth, target }];
  });
}

/** Null for a call without an outside effect: a file opened for reading, or threads that wake each other. */
function targetOf(call: Call, rest: string): string | null {
  if (call === 'openat') return rest.includes('O_CREAT') ? (/"([^"]*)"/.exec(rest)?.[1] ?? null) : null;
  const named = /^\d+<([^>]*)>/.exec(rest)?.[1] ?? /"([^"]*)"/.exec(rest)?.[1];
  if (named === undefined || /^(pipe|anon_inode):/.test(named) || named.startsWith('/dev/')) return null;
  return named.startsWith('socket') || named.startsWith('TCP') ? 'socket' : named;
}
