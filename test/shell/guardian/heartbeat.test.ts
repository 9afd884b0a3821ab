import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Heart, readBeatNow } from '../../../src/shell/guardian/beat-file.js';
import { type Heartbeat, heartbeatSchema, locateHeartbeatFile } from '../../../src/shell/guardian/decide.js';
import { folderOf } from '../../support/folders.js';

const ledger = () => join(folderOf({}), 'ledger.sqlite');

function read(path: string): Heartbeat {
  const found = readBeatNow(locateHeartbeatFile(path), heartbeatSchema);
  if (found === null || found === 'unreadable') throw new Error(String(found));
  return found;
}

const fail = (error: unknown): never => {
  throw error;
};
const heartOf = (path: string, knowsOrders = false): Heart => new Heart(path, knowsOrders, fail, () => 18_000);

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

describe('the heart of a trader', () => {
  it('beats on a timer during a start, then only after steps of the core, also when its file was removed', () => {
    const path = ledger();
    const heart = heartOf(path);
    expect(read(path)).toMatchObject({ phase: 'starting', count: 1, mayRest: false, process: { pid: process.pid } });
    vi.advanceTimersByTime(1_000);
    expect(read(path).count).toBe(6);
    heart.beat();
    expect(read(path)).toMatchObject({ phase: 'trading', mayRest: true, count: 7 });
    vi.advanceTimersByTime(60_000);
    expect(read(path).count).toBe(7);
    rmSync(locateHeartbeatFile(path));
    expect(heart.beat()).toBe(60_000);
    expect(read(path).count).toBe(8);
  });

  it('beats at most five times a second, however many steps there are', () => {
    const path = ledger();
    const heart = heartOf(path);
    const before = read(path).count;
    for (let step = 0; step < 1_000; step++) {
      expect(heart.beat()).toBe(step === 0 ? 0 : 1);
      vi.advanceTimersByTime(1);
    }
    expect(read(path).count - before).toBe(5);
  });

  it('says that nothing rests only when it ended in order or took over without an order', () => {
    const path = ledger();
    const first = heartOf(path);
    first.beat();
    first.close();
    const second = heartOf(path);
    expect(read(path)).toMatchObject({ phase: 'starting', mayRest: true });
    second.beat();
    second.end();
    expect(second.hasEnded).toBe(true);
    // Late steps do not undo it.
    vi.advanceTimersByTime(1_000);
    second.beat();
    expect(read(path)).toMatchObject({ phase: 'ended', mayRest: false });
    second.close();
    heartOf(path);
    expect(read(path)).toMatchObject({ phase: 'starting', mayRest: false });
    const successor = new Heart(path, false, fail, () => 18_000, true);
    expect(read(path)).toMatchObject({ phase: 'starting', mayRest: true });
    successor.settle();
    expect(read(path)).toMatchObject({ phase: 'starting', mayRest: false });
  });

  it.each([true, false])('starts with the end of its lease, and with orders of its ledger: %s', (knowsOrders) => {
    const path = ledger();
    heartOf(path, knowsOrders);
    expect(read(path)).toMatchObject({ phase: 'starting', mayRest: knowsOrders, oursForMs: 18_000 });
  });

  it('is another one with each start, though the process is the same', () => {
    const path = ledger();
    const runs = [1, 2].map(() => {
      heartOf(path).close();
      return read(path).run;
    });
    expect(new Set(runs).size).toBe(2);
  });

  it('says once that it cannot beat, and goes on trying', () => {
    const path = ledger();
    const said: unknown[] = [];
    const heart = new Heart(path, false, (error) => said.push(error));
    heart.beat();
    rmSync(locateHeartbeatFile(path));
    mkdirSync(locateHeartbeatFile(path));
    for (let step = 0; step < 10; step++) {
      vi.advanceTimersByTime(1_000);
      heart.beat();
    }
    expect(said).toHaveLength(1);
  });

  it('does not begin where it cannot be written', () => {
    const path = ledger();
    mkdirSync(locateHeartbeatFile(path));
    expect(() => new Heart(path, false, () => undefined)).toThrow(
      expect.objectContaining({ code: 'file_unreadable', message: expect.stringContaining('heartbeat') }),
    );
  });
});
