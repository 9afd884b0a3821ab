import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { runsEndedBefore } from '../../../src/shell/journal/disk-quota.js';
import { RUN_FILE } from '../../../src/shell/journal/journal.js';
import { folderOf } from '../../support/folders.js';

test('only runs of this ledger of which nothing was written since are old', () => {
  const dir = folderOf({});
  const run = (name: string, ledgerPath: string, ...writtenS: readonly number[]) => {
    mkdirSync(join(dir, name));
    for (const [i, seconds] of writtenS.entries()) {
      const file = join(dir, name, i === 0 ? RUN_FILE : `segment-${i}`);
      writeFileSync(file, JSON.stringify({ startedMs: seconds * 1000, ledgerPath }));
      utimesSync(file, seconds, seconds);
    }
  };
  run('old', '/a', 100, 200);
  run('long', '/a', 100, 400);
  run('other', '/b', 100, 200);
  expect(runsEndedBefore(dir, '/a', 300_000).map(({ folder }) => basename(folder))).toEqual(['old']);
});
