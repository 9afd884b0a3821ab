import { expect, it } from 'vitest';
import { PersistentCore } from '../../src/exchange/store/persistent-core.js';
import { Drawer, throughJson } from '../exchange/core/drawer.js';
import { settings } from '../exchange/core/venue.js';
import { FaultyDisk, LOSS_MODES, onDisk } from './faulty-disk.js';

const missing = FaultyDisk.missing();
if (missing !== null) console.warn(`the tests of the exchange's power losses are skipped: ${missing}`);

const STEPS = 60;
/** A snapshot in the middle, so that a power loss also cuts one. */
const SAVED_AT = 30;

const drawn = (seed: number) => {
  const drawer = new Drawer(seed);
  for (let step = 0; step < STEPS; step++) drawer.step();
  return drawer.journal;
};

/** The state after each call; two histories may lead to the same state. */
function statesOf(journal: ReturnType<typeof drawn>): readonly string[] {
  const { core } = PersistentCore.open(null, settings);
  const states = [JSON.stringify(throughJson(core.snapshot()))];
  for (const command of journal) {
    core.apply(command);
    states.push(JSON.stringify(throughJson(core.snapshot())));
  }
  return states;
}

/** Applies calls until the disk fails; returns the number of acknowledged calls. */
function untilTheLightsGoOut(folder: string, journal: ReturnType<typeof drawn>): number {
  let acknowledged = 0;
  let persistentCore: PersistentCore | null = null;
  try {
    persistentCore = PersistentCore.open(folder, settings);
    for (const command of journal) {
      persistentCore.core.apply(command);
      acknowledged += 1;
      if (acknowledged === SAVED_AT) persistentCore.save();
    }
    persistentCore.close();
  } catch {
    try {
      persistentCore?.close();
    } catch {
      // The last snapshot meets the same disk.
    }
  }
  return acknowledged;
}

it.skipIf(missing !== null).each([1, 2])(
  'the exchange’s store is after a power loss what it was after one of its calls, whole (seed %i)',
  (seed) => {
    const journal = drawn(seed);
    const states = statesOf(journal);
    for (let at = 1, cut = true; cut; at += 13) {
      cut = onDisk((disk, folder) => {
        const loses = LOSS_MODES[at % LOSS_MODES.length] ?? 'all';
        disk.failAt({ kind: 'any', error: 'power-loss', at, loses, seed: at });
        const acknowledged = untilTheLightsGoOut(folder, journal);
        const { failures } = disk.counts();
        disk.heal();
        const again = PersistentCore.open(folder, settings);
        const found = states.indexOf(JSON.stringify(throughJson(again.core.snapshot())));
        expect({ at, loses, isOneOfItsStates: found >= 0 }).toEqual({ at, loses, isOneOfItsStates: true });
        // A killed process loses nothing; a power loss may lose the last calls, and reports it.
        if (loses === 'none') expect(states.slice(acknowledged)).toContain(states[found]);
        again.close();
        return failures > 0;
      });
    }
  },
);
