import { describe, expect, it } from 'vitest';
import { CALM, type Faults } from './faults.js';
import { type SimulateOptions, simulate } from './simulate.js';

const MINUTE_MS = 60_000;

/**
 * Of seed 6 with half a minute of faults: every request and outcome. Another hash means that the trader or the exchange
 * behaves otherwise than before; when that is meant, this is replaced by the one that the failure shows.
 */
const PINNED = '65ee46b4dc3f0e587a086145d985993b39523af7655698dfeaf62025188e36da';

/** Everything that can go wrong, often, and an operator who meddles. */
const EVERYTHING: Faults = {
  requestLost: 0.05,
  answerLost: 0.07,
  deliveredTwice: 0.03,
  gatewayBefore: 0.02,
  gatewayAfter: 0.03,
  errorAfter: 0.05,
  cut: 0.02,
  throttled: 0.005,
  signingDown: 0.02,
  tail: 0.01,
  behind: 0.03,
  delayMs: 80,
  crash: 0.001,
  crashPending: 0.03,
  outage: 0.02,
  command: 0.01,
  marketPaused: 0.01,
  clockOffMs: 17_000,
  clockStepMs: -9_000,
};

describe('the whole trader against the whole exchange, on virtual time', () => {
  it.each([1, 2, 3, 4])('seed %i: after the faults everything agrees, and stopping leaves nothing', (seed) => {
    const story = simulate({ seed, faultyMs: 2 * MINUTE_MS });
    expect(story.violations, `npm run simulate -- --seeds 1 --first ${seed} --hours ${1 / 30}`).toEqual([]);
  });

  it('with everything at once there really are fills, merges, redeems, crashes and every fault', () => {
    const story = simulate({ seed: 9, faultyMs: 6 * MINUTE_MS, faults: EVERYTHING });
    expect(story.violations, `seed ${story.seed}, trace ${story.traceHash}`).toEqual([]);
    const counts = Object.fromEntries(story.tally.entries());
    const happened = (least: number) => expect.toSatisfy((count: number) => count >= least);
    expect(counts).toMatchObject({
      ...{ fills: happened(40), orders: happened(40), merges: happened(1), redeems: happened(1) },
      ...{ 'fault: crash': happened(2), 'fault: clock stepped': 1, 'fault: outage': happened(1) },
      ...{ 'fault: request lost': happened(10), 'fault: answer lost': happened(10) },
      ...{ 'fault: delivered twice': happened(5), 'fault: error after the effect': happened(3) },
    });
  });

  it.each([2, 9])('seed %i: on a slow network nothing new leaves once an operator has killed or paused it', (seed) => {
    const faults = { ...CALM, delayMs: 600, throttled: 0.02, answerLost: 0.05, tail: 0.03, command: 0.2 };
    const { violations } = simulate({ seed, faultyMs: 3 * MINUTE_MS, faults });
    expect(violations).toEqual([]);
  });

  it('the same seed is the same story, request for request', () => {
    const short = () => simulate({ seed: 6, faultyMs: MINUTE_MS / 2 });
    const [first, second] = [short(), short()];
    expect(second.traceHash).toBe(first.traceHash);
    expect(second.tally.entries()).toEqual(first.tally.entries());
    expect(first.traceHash).toBe(PINNED);
  });

  it.each([
    [6, 'given'],
    [10, 'left out'],
  ] as const)('seed %i: beats that the trader calls idle change nothing, %s', (seed, beats) => {
    const story = (options: Pick<SimulateOptions, 'beats'>) =>
      simulate({ seed, faultyMs: MINUTE_MS / 2, faults: EVERYTHING, ...options });
    expect(story({ beats }).traceHash).toBe(story({ beats: 'taken in full' }).traceHash);
  });

  it('in a calm world nothing is ever refused, lost or asked twice', () => {
    const { violations, tally } = simulate({ seed: 7, faultyMs: MINUTE_MS, faults: CALM });
    expect(violations).toEqual([]);
    expect(tally.entries().filter(([kind]) => /fault|unknown|throttled|held back/.test(kind))).toEqual([]);
  });
});
