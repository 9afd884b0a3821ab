/**
 * In every file of the fast tier, which share a process: fails the file that leaves the process altered, and puts back what it
 * altered, so that no later file fails, or passes, because of it.
 */

import { afterAll, vi } from 'vitest';

/** What every file of the process sees. Spies have no list: they are ended, and not told. */
interface ProcessState {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly umask: number;
  readonly exitCode: typeof process.exitCode;
  /** How many listeners each event of the process has. */
  readonly listeners: ReadonlyMap<string | symbol, number>;
}

export function readState(): ProcessState {
  return {
    environment: { ...process.env },
    folder: process.cwd(),
    umask: process.umask(),
    exitCode: process.exitCode,
    listeners: new Map(process.eventNames().map((event) => [event, process.listenerCount(event)])),
  };
}

/** Puts the process back to what it was; returns what had been altered, in words. */
export function putBack(before: ProcessState): readonly string[] {
  const altered = [...putTimersBack(), ...putEnvironmentBack(before.environment), ...addedListeners(before)];
  vi.restoreAllMocks();
  if (process.cwd() !== before.folder) {
    altered.push(`the working folder is ${process.cwd()}`);
    process.chdir(before.folder);
  }
  if (process.umask(before.umask) !== before.umask) altered.push('the umask is another');
  if (process.exitCode !== before.exitCode) altered.push(`the exit code is ${process.exitCode}`);
  process.exitCode = before.exitCode;
  return altered;
}

function putTimersBack(): string[] {
  if (!vi.isFakeTimers()) return [];
  vi.useRealTimers();
  return ['timers are fake'];
}

function putEnvironmentBack(before: ProcessState['environment']): string[] {
  const names = Object.keys({ ...before, ...process.env }).filter((name) => process.env[name] !== before[name]);
  for (const name of names) {
    const value = before[name];
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  return names.map((name) => `${name} is set in the environment, or is set otherwise`);
}

/** The listeners themselves stay: which of them are the file's own cannot be told. */
function addedListeners({ listeners }: ProcessState): string[] {
  return process
    .eventNames()
    .filter((event) => process.listenerCount(event) > (listeners.get(event) ?? 0))
    .map((event) => `the process has another listener of ${String(event)}`);
}

/** Checks at the end of this test file, after its own clean-up. */
export function watchProcess(): void {
  const before = readState();
  // Hooks run in reverse: this one is the first registered, as a setup file comes before its tests.
  afterAll(() => {
    const altered = putBack(before);
    if (altered.length > 0)
      throw new Error(`this file left the process of all fast tests altered: ${altered.join('; ')}`);
  });
}
