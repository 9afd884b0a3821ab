import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { locateStopFile, readStopFile } from '../../../src/shell/control/stop-file.js';
import { leaveMark } from '../../../src/shell/guardian/record.js';
import { folderOf } from '../../support/folders.js';

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
    expect([...seen].sort()).toEqual([null, 'the trader hangs'].sort());
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  it('throws where there is no such folder', async () => {
    await expect(leaveMark(join(place(), 'none', 'x.kill'), 'why')).rejects.toThrow(/ENOENT/);
  });
});
