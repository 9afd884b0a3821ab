import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { locateStopFile, readStopFile } from '../../../src/shell/control/stop-file.js';
import { decode, encode, readBeat, readBeatNow, writeBeat } from '../../../src/shell/guardian/beat-file.js';
import { heartbeatSchema } from '../../../src/shell/guardian/decide.js';
import { leaveMark } from '../../../src/shell/guardian/guardian.js';
import { folderOf } from '../../support/folders.js';
import { beat } from './looks.js';

const path = () => join(folderOf({}), 'beat');

describe('a beat file', () => {
  it('gives back what was written last, and is always as long', async () => {
    const file = path();
    const first = beat(1, { run: 'a long name of a run' });
    for (const one of [first, beat(2), beat(3, { phase: 'ended', mayRest: false })]) {
      writeBeat(file, one, true);
      expect(await readBeat(file, heartbeatSchema)).toEqual(one);
      expect(readBeatNow(file, heartbeatSchema)).toEqual(one);
      expect(statSync(file).size).toBe(1024);
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('takes the place of anything else', () => {
    const file = path();
    writeBeat(file, beat(1));
    writeFileSync(file, 'x'.repeat(5_000));
    writeBeat(file, beat(2));
    expect(readBeatNow(file, heartbeatSchema)).toEqual(beat(2));
  });

  it('is null when it is missing, unreadable when it is empty, a folder, or of another kind', async () => {
    const file = path();
    expect(await readBeat(file, heartbeatSchema)).toBeNull();
    writeFileSync(file, '');
    expect(await readBeat(file, heartbeatSchema)).toBe('unreadable');
    writeFileSync(file, encode({ other: 1 }));
    expect(readBeatNow(file, heartbeatSchema)).toBe('unreadable');
    const folder = path();
    mkdirSync(folder);
    expect(readBeatNow(folder, heartbeatSchema)).toBe('unreadable');
  });

  it('seen in the middle of a write is one beat, the other, or unreadable, never a mixture', () => {
    const drawn = fc.tuple(fc.nat(), fc.constantFrom('starting', 'trading', 'ended'), fc.boolean());
    const beats = drawn.map(([count, phase, mayRest]) => beat(count, { phase, mayRest }));
    fc.assert(
      fc.property(beats, beats, fc.nat({ max: 1024 }), (before, after, at) => {
        const torn = Buffer.concat([encode(after).subarray(0, at), encode(before).subarray(at)]);
        const read = decode(torn, heartbeatSchema);
        if (read !== 'unreadable') expect([before, after]).toContainEqual(read);
      }),
    );
  });

  it('is refused when the value does not fit', () =>
    expect(() => encode({ text: 'x'.repeat(1_100) })).toThrow(/at most 1006 bytes/));
});

const place = (): string => locateStopFile(join(folderOf({}), 'ledger.sqlite'));

describe('the mark that holds a woken trader', () => {
  it('is never there without its reason, keeps the older one, and leaves no other file behind', async () => {
    const path = place();
    const seen = new Set<string | null>();
    for (let n = 0; n < 20; n++) {
      let isLeft = false;
      const left = leaveMark(path, 'the trader hangs').finally(() => (isLeft = true));
      for (; !isLeft; await turn()) seen.add(readStopFile(path));
      await left;
      await leaveMark(path, 'another reason');
      seen.add(readStopFile(path));
      rmSync(path);
    }
    expect(seen).toEqual(new Set([null, 'the trader hangs']));
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  it('throws where there is no such folder', () =>
    expect(leaveMark(join(place(), 'none', 'x.kill'), 'why')).rejects.toThrow(/ENOENT/));
});
