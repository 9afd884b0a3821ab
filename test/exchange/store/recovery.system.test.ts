import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, Transactions } from '../../../src/exchange/store/database.js';
import { PersistentCore } from '../../../src/exchange/store/persistent-core.js';
import { openArchive } from '../../../src/exchange/store/sqlite-archive.js';
import { times } from '../../support/effort.js';
import { newFolder } from '../../support/folders.js';
import { rowsOf } from '../core/archives.js';
import { Drawer, throughJson } from '../core/drawer.js';
import { settings } from '../core/venue.js';

let folder: string;
beforeEach(() => (folder = newFolder()));

const live = () => join(folder, 'live');

/** Recovers the files that a process killed now would leave: the state and the whole archive. */
function recovered(): { state: unknown; archive: unknown } {
  const copy = join(folder, 'copy');
  rmSync(copy, { recursive: true, force: true });
  cpSync(live(), copy, { recursive: true });
  const persistentCore = PersistentCore.open(copy, settings);
  const state = throughJson(persistentCore.core.snapshot());
  persistentCore.close();
  return { state, archive: archived(copy) };
}

function archived(path: string): unknown {
  const db = openDatabase(path);
  try {
    return rowsOf(openArchive(db, new Transactions(db)));
  } finally {
    db.close();
  }
}

/** Steps before the first check, to create some history. */
const BEFORE = 120;
const POSITIONS = 90;

describe('a recovery', () => {
  // The usual run takes every fourth position of the second history.
  it.each([
    [1, 1],
    [2, times(4, 1)],
  ])('gives the identical state and archive at positions of the journal: seed %i, one in %i', (seed, each) => {
    const drawer = new Drawer(seed);
    const persistentCore = PersistentCore.open(live(), settings);
    let done = 0;
    for (let position = -BEFORE; position < POSITIONS; position++) {
      drawer.step();
      for (; done < drawer.journal.length; done++) {
        const command = drawer.journal[done];
        if (command !== undefined) persistentCore.core.apply(command);
      }
      // The first snapshot is of the empty exchange, the second of one with history.
      if (position === 40) persistentCore.save();
      if (position < 0 || position % each !== 0) continue;
      const expected = { state: throughJson(drawer.core.snapshot()), archive: throughJson(rowsOf(drawer.archive)) };
      expect(recovered(), `after ${done} calls`).toEqual(expected);
    }
    expect(rowsOf(drawer.archive).length).toBeGreaterThan(20);
    persistentCore.close();
  });

  it('ends where the first one would have ended when it is interrupted itself', () => {
    const drawer = new Drawer(3);
    const persistentCore = PersistentCore.open(live(), settings);
    for (let step = 0; step < 200; step++) drawer.step();
    for (const command of drawer.journal) persistentCore.core.apply(command);
    // As if killed after the rewind and half of the replay: nothing of it was committed, so all of it is repeated.
    const expected = recovered();
    persistentCore.close();
    const db = openDatabase(live());
    const archive = openArchive(db, new Transactions(db));
    archive.order.rewind(0, []);
    archive.trade.rewind(0, []);
    db.close();
    expect(recovered()).toEqual(expected);
  });

  it('stores what a batch has archived with its calls, or neither', () => {
    const drawer = new Drawer(4);
    for (let step = 0; step < 150; step++) drawer.step();
    const persistentCore = PersistentCore.open(live(), settings);
    const before = recovered();
    persistentCore.batch(() => {
      for (const command of drawer.journal) persistentCore.core.apply(command);
      expect(recovered()).toEqual(before);
    });
    expect(recovered().archive).toEqual(throughJson(rowsOf(drawer.archive)));
    persistentCore.close();
  });
});
