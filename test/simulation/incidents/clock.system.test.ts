/** Incidents of this machine's clock: set back, ahead for a moment, set while answers are in flight. */

import { describe, expect } from 'vitest';
import { times } from '../../support/effort.js';
import { STANDARD } from '../setting.js';
import { incident, MINUTE_MS, type Scene, SECOND_MS } from './scene.js';

const HOUR_MS = 60 * MINUTE_MS;
/** Time for a cancel, a poll of every book and new orders. */
const SOON_MS = 25 * SECOND_MS;
/** Maximum wait of a book for its poll. */
const LONGEST_UNSEEN_MS = 2 * STANDARD.polling.quietIntervalMs;

const pubkeysOf = ({ resting }: Scene): readonly unknown[] => resting.map(({ pubkey }) => pubkey);

const quotes = (scene: Scene): void => {
  scene.until('orders rest in every market', () => scene.resting.length >= 6);
  scene.pass(SOON_MS);
};

const tooOld = (scene: Scene): readonly number[] =>
  ages(scene).filter((ageMs) => ageMs < 0 || ageMs > LONGEST_UNSEEN_MS);

/** None of the orders that rest now outlives this step of our clock, and it quotes again. */
function quotesAgain(scene: Scene, stepMs: number): void {
  const before = new Set<unknown>(pubkeysOf(scene));
  scene.world.stepClock(stepMs);
  scene.pass(SOON_MS);
  expect(pubkeysOf(scene).filter((pubkey) => before.has(pubkey))).toEqual([]);
  expect(scene.resting.length, 'it quotes again').toBeGreaterThan(0);
  expect(tooOld(scene)).toEqual([]);
}

/** The ages of the trader's current books, ms; markets without a book are omitted. */
function ages({ process, world }: Scene): readonly number[] {
  const { markets } = process.trader.snapshot(world.ourMs);
  return markets.flatMap(({ bookSentMs }) => (bookSentMs === null ? [] : [world.ourMs - bookSentMs]));
}

describe('incidents of the clock', () => {
  for (const ms of times([3 * HOUR_MS], [3 * HOUR_MS, 9 * SECOND_MS])) {
    incident(`set back by ${ms} ms: what rested is pulled, and new books are believed`, 31, (scene) => {
      quotes(scene);
      quotesAgain(scene, -ms);
      expect(ages(scene).length).toBeGreaterThanOrEqual(4);
      expect(scene.loud.filter((kind) => kind === 'clock_set_back')).toHaveLength(1);
      scene.agrees();
    });
  }

  incident('a day ahead for five seconds, then set right: no book of either time is kept', 32, (scene) => {
    quotes(scene);
    scene.world.stepClock(24 * HOUR_MS);
    scene.pass(5 * SECOND_MS);
    quotesAgain(scene, -24 * HOUR_MS);
    scene.agrees();
  });

  incident('set back by three seconds while slow books are under way: none of them makes a quote', 33, (scene) => {
    quotes(scene);
    scene.fates(({ endpoint }) => (endpoint === 'markets.book' ? { thereMs: 10, backMs: 6 * SECOND_MS } : null));
    scene.pass(5 * SECOND_MS);
    scene.world.stepClock(-3 * SECOND_MS);
    const sinceMs = scene.nowMs;
    // The next answers belong to earlier requests; our clock makes them seem three seconds too young.
    scene.pass(5 * SECOND_MS);
    expect(scene.sent.filter(({ call, nowMs }) => call.endpoint === 'orders.create' && nowMs > sinceMs)).toEqual([]);
    expect(scene.resting).toEqual([]);
    scene.agrees();
  });

  incident('set back by a tenth of a second: nothing is pulled for it', 34, (scene) => {
    quotes(scene);
    scene.world.stepClock(-100);
    scene.pass(SECOND_MS);
    expect(scene.loud).not.toContain('clock_set_back');
    expect(tooOld(scene)).toEqual([]);
    scene.agrees();
  });

  incident('set back while it stops: the proof that nothing rests does not wait for the clock', 35, (scene) => {
    quotes(scene);
    scene.world.stop();
    // Everything is settled long before a list can show it.
    scene.fates(({ endpoint }) => (endpoint === 'orders.list' ? { unreachable: true } : null));
    scene.pass(20 * SECOND_MS);
    expect(scene.resting).toEqual([]);
    scene.world.stepClock(-2 * HOUR_MS);
    scene.calm();
    scene.pass(MINUTE_MS);
    const { mode, proven } = scene.process.trader.snapshot(scene.world.ourMs);
    expect({ mode, proven }).toEqual({ mode: 'stopped', proven: true });
  });
});
