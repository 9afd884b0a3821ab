/** What tests of real processes share: whatever a test started is ended with it. */

import { onTestFailed, onTestFinished } from 'vitest';
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
  const port = flags.includes('--port') ? [] : ['--port', '0'];
  const running = started(['exchange', ...port, '--controls', ...flags]);
  return { running, url: (await running.waitFor(/listening on (http:\S+)/))[1] ?? '' };
}
