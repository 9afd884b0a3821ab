/** A journal has the newer format from its first entry that needs it, and before that entry is on disk. */

import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Observation } from '../../../src/shared/protocol/seam.js';
import { loadConfig } from '../../../src/shell/config/load.js';
import { openJournal } from '../../../src/shell/journal/journal-writer.js';
import { readRun } from '../../../src/shell/journal/read-run.js';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { folderOf } from '../../support/folders.js';
import { HOLDER } from '../../trader/ledger/books.js';
import { trader } from '../config/files.js';

const configured: Observation = {
  kind: 'command',
  nowMs: 2,
  command: { kind: 'configure', hash: 'h', config: '{}', copy: '', changes: [], by: 'operator', reason: '' },
};
const fed: Observation = { kind: 'feed', nowMs: 2, feed: 'model', values: [] };

/** The format of a finished journal with these entries, and of an unfinished one. */
async function formatsOf(...observations: Observation[]) {
  const cwd = folderOf({ 'trader.yaml': trader() });
  const config = await loadConfig('trader.yaml', { env: {}, cwd });
  const ledger = openLedger(config.ledger.path, HOLDER);
  try {
    const facts = { config, version: '0', profile: config.venue.profile, strategyLimitMs: 250, runId: 'run' };
    const loud = (text: string) => expect.unreachable(text);
    const journal = await openJournal({ ...facts, startedMs: 1, ledger, loud, keptFreeBytes: 0 });
    const run = () => readRun(join(config.journal.dir, 'run'));
    const begun = run().description.format;
    for (const observation of observations) journal.step(observation, [], null);
    await journal.close();
    let steps = 0;
    for await (const _ of run().steps()) steps += 1;
    expect(steps).toBe(observations.length);
    return [begun, run().description.format];
  } finally {
    ledger.close();
  }
}

it('stays what every version reads as long as it can be read by it', async () => {
  const pause: Observation = { kind: 'command', nowMs: 2, command: { kind: 'pause', reason: '' } };
  expect(await formatsOf({ kind: 'time', nowMs: 1 }, pause)).toEqual([1, 1]);
});

it.each([
  ['the configuration was changed', configured],
  ['a feed spoke', fed],
])('is the newer one once %s', async (_, observation) => {
  expect(await formatsOf({ kind: 'time', nowMs: 1 }, observation, { kind: 'time', nowMs: 3 })).toEqual([1, 2]);
});
