/** Shared by tests of real processes: everything that a test starts ends with it. */

import { afterAll, beforeAll, expect, onTestFailed, onTestFinished } from 'vitest';
import { run } from '../cli/run.js';
import { type Running, twinbook } from './processes.js';
import { resolvable } from './resolvable.js';

// A test that starts a program writes its files first.
export { folderOf, makerYaml, traderYaml } from './folders.js';

/** Starts the program; it is killed at the end of the test if it still runs. */
export function started(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const running = twinbook(args, env);
  // After a time-out the output is the only information.
  onTestFailed(() => console.error(`twinbook ${args.join(' ')} said:\n${running.output()}`));
  return endedWithTest(running);
}

/** Kills the program at the end of the test if it still runs. A concurrent test gives its own `onTestFinished`. */
export function endedWithTest(running: Running, onFinished = onTestFinished): Running {
  onFinished(async () => {
    running.process.kill('SIGKILL');
    await running.exited;
  });
  return running;
}

/** Stops it by this signal, and checks its orderly end. */
export async function endInOrder(running: Running, signal: 'SIGTERM' | 'SIGINT' = 'SIGTERM'): Promise<void> {
  running.process.kill(signal);
  expect(await running.exited, running.output()).toBe(0);
}

/** Programs that run until they are stopped. */
const PROGRAMS: ReadonlySet<string> = new Set(['start', 'exchange', 'record', 'guardian', 'console']);

/**
 * Runs a command to its end. A program (`PROGRAMS`), which may hang, is its own process; every other command runs in
 * this one, which saves a start: test/cli/process.system.test.ts tests commands as processes.
 */
export async function ran(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  if (!PROGRAMS.has(args[0] ?? '')) return ranHere(args, env);
  const running = started(args, env);
  return { code: await running.exited, output: running.output() };
}

async function ranHere(args: readonly string[], env: Readonly<Record<string, string>>) {
  const set = Object.entries({ ...process.env, ...env }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  let output = '';
  const hear = (text: string) => (output += text);
  const { code } = await run(args, { cwd: process.cwd(), env: Object.fromEntries(set), hear });
  return { code, output };
}

/** An exchange in its own process, with controls; returns its address. */
export async function exchangeAt(...flags: string[]): Promise<{ readonly running: Running; readonly url: string }> {
  const running = started(exchangeWords(flags));
  return { running, url: await addressOf(running) };
}

/**
 * An exchange in this process, for a test that neither kills it nor reads its output: the same command line, without
 * the start of a process. It answers while the test awaits. Returns its address; it ends with the test.
 */
export async function exchangeHere(...flags: readonly string[]): Promise<string> {
  const { url, close } = await openHere(flags);
  onTestFinished(close);
  return url;
}

/** One exchange for all tests of this file, in this process; each test has its own account. Returns its address. */
export function exchangeOfFile(...flags: readonly string[]): () => string {
  let opened: Awaited<ReturnType<typeof openHere>> | null = null;
  beforeAll(async () => (opened = await openHere(flags)));
  afterAll(() => opened?.close());
  return () => opened?.url ?? '';
}

async function openHere(flags: readonly string[]): Promise<{ readonly url: string; close(): Promise<void> }> {
  const [asked, stop] = resolvable();
  const [listening, tell] = resolvable<string>();
  let output = '';
  const hear = (text: string) => {
    output += text;
    const url = LISTENING.exec(output)?.[1];
    if (url !== undefined) tell(url);
  };
  const ended = run(exchangeWords(flags), { cwd: process.cwd(), stopAsked: () => asked, hear });
  const early = ended.then(({ code }) => Promise.reject(new Error(`the exchange ended with ${code}:\n${output}`)));
  const url = await Promise.race([listening, early]);
  const close = async () => {
    stop();
    await ended;
  };
  return { url, close };
}

function exchangeWords(flags: readonly string[]): readonly string[] {
  const port = flags.includes('--port') ? [] : ['--port', '0'];
  return ['exchange', ...port, '--controls', ...flags];
}

const LISTENING = /listening on (http:\S+)\s/;

const addressOf = async (exchange: Running): Promise<string> => (await exchange.waitFor(LISTENING))[1] ?? '';
