/** Feeds in the worlds of the arena: their error matches its setting, and strategies profit from them. */

import { expect, test } from 'vitest';
import { USUAL_CONDITIONS } from '../../../src/lab/arena/contract.js';
import { openTruthFeed } from '../../../src/lab/arena/score.js';
import { playChallenge, playEvent } from '../../../src/lab/arena/shown-maker.js';
import { logit } from '../../../src/trader/strategy/maths/log-odds.js';
import fairMaker from '../../../strategies/fair-maker.js';
import { paramsFor } from '../../trader/strategy/fixtures.js';

const fair = { name: 'fair', module: fairMaker, params: paramsFor(fairMaker, { feed: 'anything' }) };

test('its error is as large as the conditions say, and anew at each word', () => {
  const readTruth = openTruthFeed('M', 1, { feedSd: 0.2, feedLagS: 0 });
  const errors = Array.from({ length: 4000 }, (_, s) => logit(readTruth(s * 1000, 0.7)?.p ?? 0) - logit(0.7));
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  const sd = Math.sqrt(errors.reduce((sum, error) => sum + (error - mean) ** 2, 0) / errors.length);
  expect(Math.abs(mean)).toBeLessThan(0.013);
  expect(sd).toBeCloseTo(0.2, 2);
});

test('a late feed says what held so long before, with its time, and nothing before that', () => {
  const readTruth = openTruthFeed('M', 1, { feedSd: 0, feedLagS: 5 });
  const told = Array.from({ length: 20 }, (_, s) => readTruth(s * 1000, (s + 1) / 100));
  expect(told.slice(0, 5)).toEqual([null, null, null, null, null]);
  expect(told[19]).toMatchObject({ atMs: 14_000, conditionId: 'M' });
  expect(told[19]?.p).toBeCloseTo(0.15, 12);
});

test('what fair-maker earns follows what its feed knows: less with a larger error, less when it is late', () => {
  const edgeWith = (changes: Partial<typeof USUAL_CONDITIONS>): number =>
    [0, 1].reduce((sum, seed) => sum + playChallenge(seed, fair, { ...USUAL_CONDITIONS, ...changes }).edge, 0);
  const sharp = edgeWith({ feedSd: 0.02 });
  expect(sharp).toBeGreaterThan(edgeWith({ feedSd: 0.5 }));
  expect(sharp).toBeGreaterThan(edgeWith({ feedSd: 0.02, feedLagS: 30 }));
});

test('each outcome of an event has a feed of its own', () => {
  const { fills, failure } = playEvent(2, fair);
  expect(failure).toBeNull();
  expect(fills).toBeGreaterThan(0);
});
