/** What tests of real processes share: whatever a test started is ended with it. */

import { afterAll, beforeAll, onTestFailed, onTestFinished } from 'vitest';
import { type Running, twinbook } from './processes.js';

// Whoever starts a program writes its files first.
export { folderOf, makerYaml, traderYaml } from './folders.js';

/** Starts the program; it is killed at the end of the test if it still runs. */
export function started(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const running = twinbook(args, env);
  // A wait in vain ends with the test's time-out; then what was said instead is all there is to go by.
  onTestFailed(() => console.error(`twinbook ${args.join(' ')} said:\n${running.output()}`));
  onTestFinished(async () => {
    running.process.kill('SIGKILL');
    await running.exited;
  });
  return running;
}

/** Runs a command to its end. */
export async function ran(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  const running = started(args, env);
  return { code: await running.exited, output: running.output() };
}

/** An exchange in a process of its own, with controls; returns where it listens. */
export async function exchangeAt(
  ...flags: readonly string[]
): Promise<{ readonly running: Running; readonly url: string }> {
  const running = started(exchangeWords(flags));
  return { running, url: await addressOf(running) };
}

/** One for all tests of this file, each of which comes with an account of its own. Returns where it listens, for the tests. */
export function exchangeOfFile(...flags: readonly string[]): () => string {
  let [running, url]: [Running | null, string] = [null, ''];
  beforeAll(async () => {
    running = twinbook(exchangeWords(flags));
    url = await addressOf(running);
  });
  afterAll(async () => {
    running?.process.kill('SIGKILL');
    await running?.exited;
  });
  return () => url;
}

function exchangeWords(flags: readonly string[]): readonly string[] {
  const port = flags.includes('--port') ? [] : ['--port', '0'];
  return ['exchange', ...port, '--controls', ...flags];
}

const addressOf = async (exchange: Running): Promise<string> =>
  (await exchange.waitFor(/listening on (http:\S+)/))[1] ?? '';
