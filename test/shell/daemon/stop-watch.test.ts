import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { locateStopFile } from '../../../src/shell/control/stop-file.js';
import { StopWatch } from '../../../src/shell/daemon/control.js';
import { watchProof } from '../../../src/shell/daemon/direct-cancel.js';
import { LedgerBroken } from '../../../src/trader/ledger/database.js';
import { folderOf } from '../../support/folders.js';

/** A watch whose clock advances by a second per check. */
function watched() {
  const ledger = join(folderOf({ 'ledger.sqlite': '' }), 'ledger.sqlite');
  let steadyMs = 0;
  const watch = new StopWatch(ledger, () => {
    steadyMs += 1_000;
    return steadyMs;
  });
  return { ledger, watch, stopFile: locateStopFile(ledger) };
}

const KILL = (reason: string) => ({ kind: 'kill', reason });

describe('the watch for what stops a trader', () => {
  it('obeys a file once, and again after it was taken away', () => {
    const { watch, stopFile } = watched();
    expect(watch.due()).toBeNull();
    writeFileSync(stopFile, 'why');
    expect([watch.due(), watch.due()]).toEqual([KILL('why'), null]);
    rmSync(stopFile);
    expect(watch.due()).toBeNull();
    writeFileSync(stopFile, 'again');
    expect(watch.due()).toEqual(KILL('again'));
  });

  it('obeys a file that came while a kill was being lifted', () => {
    const { watch, stopFile } = watched();
    writeFileSync(stopFile, 'first');
    watch.due();
    watch.clear();
    writeFileSync(stopFile, 'second');
    expect(watch.due()).toEqual(KILL('second')); // the step before the one that lifts it
    watch.onLift();
    expect(watch.due()).toEqual(KILL('second'));
  });

  it('keeps a kill of its own in the file, and says when it cannot', () => {
    const { ledger, watch } = watched();
    expect([watch.kill('mine'), watch.due()]).toEqual([true, KILL('mine')]);
    watch.clear();
    rmSync(dirname(ledger), { recursive: true });
    expect([watch.kill('mine'), watch.due()]).toEqual([false, KILL('mine')]);
  });

  it('throws what its ledger finds wrong with its file', () => {
    const { watch } = watched();
    expect(watch.due()).toBeNull();
    watch.guard({
      checkFile: () => {
        throw new LedgerBroken('the ledger is gone');
      },
    });
    expect(() => watch.due()).toThrow(/is gone/);
  });
});

/** The seconds, out of this number, at which another way is tried. */
function triedAt(seconds: number, wantsProof: (second: number) => boolean): number[] {
  let nowMs = 5_000;
  const isOverdue = watchProof(() => nowMs);
  const tried: number[] = [];
  for (let second = 0; second < seconds; second++, nowMs += 1_000)
    if (isOverdue(wantsProof(second))) tried.push(second);
  return tried;
}

it.each<[string, number, (second: number) => boolean, number[]]>([
  ['is overdue after 10 s, then after twice as long, a minute at most', 300, () => true, [10, 30, 70, 130, 190, 250]],
  ['begins again with the next one', 60, (second) => second < 15 || second > 20, [10, 31, 51]],
  ['is never overdue while none is wanted', 300, () => false, []],
])('a proof that is wanted %s', (_, seconds, wantsProof, tried) => expect(triedAt(seconds, wantsProof)).toEqual(tried));
