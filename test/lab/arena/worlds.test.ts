/** Differences of the other worlds from the challenge; everything else is equal. */

import { describe, expect, it, test } from 'vitest';
import { drawConfiguration, probabilityAbove, startScore } from '../../../src/lab/arena/score.js';
import { type MakerSight, simulate } from '../../../src/lab/arena/simulation.js';
import { WORLDS, worldNamed } from '../../../src/lab/arena/worlds.js';
import { Starter } from './starter.js';

const config = drawConfiguration(3);

test('every world is found by its name and has its own', () => {
  expect(WORLDS.map(({ name }) => worldNamed(name))).toEqual(WORLDS);
  expect(new Set(WORLDS.map(({ name }) => name)).size).toBe(WORLDS.length);
  expect(() => worldNamed('rationned')).toThrow("no world 'rationned'; did you mean 'rationed'?");
});

it('toxic: without an arbitrageur nothing is lost to the informed; with one in every step it is the challenge', () => {
  const none = simulate(3, new Starter(), { ...config, informedPart: 0 });
  expect(none.informedEdge).toBe(0);
  expect(none.fills).toBeGreaterThan(0);
  expect(simulate(3, new Starter(), { ...config, informedPart: 1 })).toEqual(simulate(3, new Starter()));
  expect(simulate(3, new Starter(), { ...config, informedPart: 0.5 }).informedEdge).toBeLessThan(0);
});

it('thin has one side of the book, to the end', () => {
  const seen = new Set<string>();
  const look = ({ competitorBid, competitorAsk }: MakerSight) => {
    seen.add(`${competitorBid === null ? 'none' : 'bid'} ${competitorAsk === null ? 'none' : 'ask'}`);
    return [];
  };
  simulate(3, { act: look }, { ...config, competitorSides: ['bid'] });
  expect([...seen].every((sides) => sides.endsWith('none'))).toBe(true);
  expect(seen).toContain('bid none');
});

describe('news', () => {
  const announced = { ...config, newsEverySteps: 250, newsSigma: 0.5 };

  it('jumps at every 250th step, and the probability before knows that it will', () => {
    const [calm, loud] = [startScore(config, 3), startScore(announced, 3)];
    for (let step = 0; step < 249; step++) {
      calm.step();
      loud.step();
      expect(loud.value).toBe(calm.value);
    }
    calm.step();
    loud.step();
    expect(loud.value).not.toBe(calm.value);
    // More time is left, so the outcome is less certain.
    expect(Math.abs(probabilityAbove(0.5, 2000, announced) - 0.5)).toBeLessThan(
      Math.abs(probabilityAbove(0.5, 2000, config) - 0.5),
    );
  });

  it('has a true probability that is a martingale over an announcement', () => {
    const quiet = { ...announced, jumpIntensity: 0, diffusionSigma: 0.02 };
    const [before, after] = [probabilityAbove(0.2, 251, quiet), 250];
    // The mean over the normal move of that step, by midpoints.
    const deviation = Math.sqrt(0.02 ** 2 + 0.5 ** 2);
    let sum = 0;
    const parts = 4000;
    for (let i = 0; i < parts; i++) {
      const z = -8 + (16 * (i + 0.5)) / parts;
      const weight = (Math.exp(-(z * z) / 2) / Math.sqrt(2 * Math.PI)) * (16 / parts);
      sum += weight * probabilityAbove(0.2 + deviation * z, after, quiet);
    }
    expect(sum).toBeCloseTo(before, 6);
  });
});
