/** In the fast tier, whose files share a process: fails a file that leaves the process altered, and restores it. */

import { afterAll, vi } from 'vitest';

/** State of the process that every file sees. Spies cannot be listed: they are restored without a report. */
interface ProcessState {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly umask: number;
  readonly exitCode: typeof process.exitCode;
  /** Number of listeners of each event of the process. */
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

/** Restores the state of the process; returns the alterations, in words. */
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

/** The listeners themselves stay: it is unknown which of them belong to the file. */
function addedListeners({ listeners }: ProcessState): string[] {
  return process
    .eventNames()
    .filter((event) => process.listenerCount(event) > (listeners.get(event) ?? 0))
    .map((event) => `the process has another listener of ${String(event)}`);
}

/** Checks at the end of this test file, after its own clean-up. */
export function watchProcess(): void {
  const before = readState();
  // Hooks run in reverse, and this one is registered first, because a setup file precedes its tests.
  afterAll(() => {
    const altered = putBack(before);
    if (altered.length > 0)
      throw new Error(`this file left the process of all fast tests altered: ${altered.join('; ')}`);
  });
}
