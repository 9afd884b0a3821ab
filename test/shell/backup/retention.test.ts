import { describe, expect, it } from 'vitest';
import { expendable as expendableAt } from '../../../src/shell/backup/backups.js';

type BackupFile = Parameters<typeof expendableAt>[0][number];

const HOUR_MS = 3_600_000;
const MIDNIGHT = Date.parse('2026-11-20T00:00:00Z');

/** One backup an hour, oldest first, named by its number. */
const hourly = (count: number, bytes = 10): BackupFile[] =>
  Array.from({ length: count }, (_, hour) => ({ name: `${hour}`, atMs: MIDNIGHT + hour * HOUR_MS, bytes }));

/** The backups that may go once all of them were made. */
const expendable = (files: readonly BackupFile[], policy: Parameters<typeof expendableAt>[1]) =>
  expendableAt(files, policy, MIDNIGHT + 1_000 * HOUR_MS);

describe('which backups may go', () => {
  it('keeps the newest, and of each day before them the last', () => {
    const gone = expendable(hourly(50), { newest: 4, days: 30, maxBytes: 1_000 });
    const kept = hourly(50).filter(({ name }) => !gone.includes(name));
    expect(kept.map(({ name }) => name)).toEqual(['23', '46', '47', '48', '49']);
  });

  it('keeps no day older than asked for', () => {
    const gone = expendable(hourly(96), { newest: 1, days: 2, maxBytes: 1_000 });
    const kept = hourly(96).filter(({ name }) => !gone.includes(name));
    expect(kept.map(({ name }) => name)).toEqual(['71', '95']);
  });

  it('gives up the oldest where there is no room, and never the newest', () => {
    const policy = { newest: 10, days: 0, maxBytes: 25 };
    expect([expendable(hourly(4), policy), expendable(hourly(2, 1_000), policy)]).toEqual([['0', '1'], ['0']]);
  });

  it('counts no backup whose name is later than now, and keeps the one just made', () => {
    const just = MIDNIGHT + 5 * HOUR_MS;
    const gone = (policy: Parameters<typeof expendableAt>[1]) => expendableAt(hourly(9), policy, just);
    expect(gone({ newest: 2, days: 0, maxBytes: 1_000 })).toEqual(['0', '1', '2', '3']);
    expect(gone({ newest: 2, days: 0, maxBytes: 35 })).toEqual(['0', '1', '2', '3', '6', '7']);
    expect(gone({ newest: 2, days: 0, maxBytes: 1 })).toEqual(['0', '1', '2', '3', '4', '6', '7', '8']);
  });

  it('gives up nothing of nothing', () => expect(expendable([], { newest: 1, days: 1, maxBytes: 1 })).toEqual([]));
});
