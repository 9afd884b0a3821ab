/** A trader's end, as its console process sees it. */

import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { loadedTrader } from '../config/files.js';

class Child extends EventEmitter {
  readonly stdin = new PassThrough();
  readonly kill = vi.fn();
}

const { spawned } = vi.hoisted(() => ({ spawned: [] as unknown[] }));
// Other test files of the process may load their modules with this mock.
vi.mock('node:child_process', async (load) => {
  const real = await load<typeof import('node:child_process')>();
  return { ...real, spawn: (...given: Parameters<typeof real.spawn>) => spawned.shift() ?? real.spawn(...given) };
});
// Another test file of the process may have loaded the module without the mock.
vi.resetModules();
const { ConsoleSupervisor } = await import('../../../src/shell/daemon/supervisors.js');

/** A trader that ends, orderly or not; its console ends after this time, ms. */
async function ended(isOrderly: boolean, consoleMs: number | null) {
  vi.useFakeTimers();
  const child = new Child();
  spawned.push(child);
  const config = loadedTrader('dashboard: { enabled: true, port: 0 }');
  const supervisor = ConsoleSupervisor.start({ config, env: {}, say: () => undefined, note: () => undefined });
  if (consoleMs !== null) setTimeout(() => child.emit('close', 0, null), consoleMs);
  child.kill.mockImplementation(() => child.emit('close', null, 'SIGKILL'));
  const startMs = Date.now();
  const closed = supervisor
    ?.close(isOrderly)
    .then(() => ({ waitedMs: Date.now() - startMs, wasKilled: child.kill.mock.calls.length > 0 }));
  await vi.advanceTimersByTimeAsync(10_000);
  vi.useRealTimers();
  return { ...(await closed), said: child.stdin.read()?.toString() };
}

it.each([
  ['orderly, and its console ends', true, 500, { waitedMs: 500, wasKilled: false, said: 'end\n' }],
  ['orderly, and its console hangs', true, null, { waitedMs: 3_000, wasKilled: true, said: 'end\n' }],
  ['not orderly, and its console delivers the alert', false, 500, { waitedMs: 500, wasKilled: false }],
  ['not orderly, and its console still tries', false, null, { waitedMs: 3_000, wasKilled: false }],
])('a trader that ends %s, waits for it for a while', async (_, isOrderly, consoleMs, expected) => {
  expect(await ended(isOrderly, consoleMs)).toEqual({ said: undefined, ...expected });
});
