import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TwinbookError } from '../../../src/shared/base/errors.js';
import { openLedger, openMemoryLedger } from '../../../src/trader/ledger/ledger.js';
import { HOLDER, inFolder, intentOf } from './books.js';

it('a ledger in memory goes on from the content of a file, which stays as it is', () => {
  inFolder((path) => {
    const ledger = openLedger(path, HOLDER);
    ledger.transaction(() => {
      ledger.startRun({ id: 'run', version: '0', configHash: 'hash', startedMs: 1 });
      ledger.addIntent(intentOf());
    });
    ledger.close();
    const content = readFileSync(path);
    const memory = openMemoryLedger(content);
    memory.transaction(() => memory.addIntent(intentOf({ id: 'run-a-2' })));
    expect(memory.intents().map(({ id }) => id)).toHaveLength(2);
    expect(memory.verify()).toEqual([]);
    memory.close();
    expect(readFileSync(path)).toEqual(content);
  });
});

it('a ledger in memory is never made of what is no ledger', () => {
  const open = () => openMemoryLedger(Buffer.from('this is no ledger, and longer than the header of one would be'));
  expect(open).toThrow(TwinbookError);
  expect(open).toThrow(/cannot be opened/);
});

it('a ledger in memory takes back a step that failed when it goes on from a file, else it is broken', () => {
  inFolder((path) => {
    openLedger(path, HOLDER).close();
    const fail = (ledger: ReturnType<typeof openMemoryLedger>) => () =>
      ledger.transaction(() => {
        ledger.setNote('key', 'value');
        throw new Error('this step failed');
      });
    const replayed = openMemoryLedger(readFileSync(path));
    expect(fail(replayed)).toThrow('this step failed');
    expect(replayed.note('key')).toBeNull();
    replayed.transaction(() => replayed.setNote('key', 'another'));
    expect(replayed.note('key')).toBe('another');
    const backtested = openMemoryLedger();
    expect(fail(backtested)).toThrow('this step failed');
    expect(() => backtested.note('key')).toThrow(/cannot be rolled back/);
  });
});
