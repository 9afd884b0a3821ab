import { describe, expect, it } from 'vitest';
import { IS_LONG, times } from '../support/effort.js';
import { diskMissing } from './disk.js';
import { CALM, type Faults, Tally } from './faults.js';
import { STANDARD } from './setting.js';
import { type SimulateOptions, simulate } from './simulate.js';

const MINUTE_MS = 60_000;

/**
 * Seed 6 with half a minute of faults: the hash of every request and outcome. Another hash means changed behavior of
 * trader or exchange; if intended, replace it with the one in the failure.
 */
const PINNED = '2da65c83ebfa85fd4bd600b06b9ea8b82db857f5efba9b1981ba192b693c81a9';

/** All faults at high rates, and an operator who intervenes. */
const EVERYTHING: Faults = {
  requestLost: 0.05,
  answerLost: 0.07,
  deliveredTwice: 0.03,
  gatewayBefore: 0.02,
  gatewayAfter: 0.03,
  errorAfter: 0.05,
  cut: 0.02,
  html: 0.01,
  throttled: 0.005,
  misjudged: 0.015,
  earlyExpiry: 0.2,
  signingDown: 0.02,
  tail: 0.01,
  mergeFails: 0.5,
  tradeFails: 0.2,
  behind: 0.03,
  cursorRepeats: 0.3,
  stale: 0.01,
  delayMs: 80,
  crashes: 12,
  unsyncedLost: 0.9,
  diskError: 0.0005,
  readers: 2,
  restarts: 6,
  outage: 0.02,
  command: 0.02,
  marketPaused: 0.01,
  clockOffMs: 17_000,
  clockSteps: 6,
  clockStepMs: 9_000,
  driftPpm: 300,
  clockLeaps: 16,
  clockGlitches: 10,
  poisonedRows: 0.01,
};

/** Usually enough seeds for every kind of fault: a change of the trader moves faults between seeds. */
const SEEDS_OF_EVERYTHING = [14, 12, 20, 18, 36, 17, 21, 15];

/** The kinds in the safety document, and actions that must still happen. */
const EVERY_KIND = [
  ...[
    'locks compared',
    'fills',
    'orders',
    'merges',
    'splits',
    'redeems',
    'command: cancel-all',
    'command: kill',
    'command: flatten-market',
    'stopped and started again',
  ],
  ...['request lost', 'answer lost', 'delivered twice', 'long delay', '5xx before the effect', '5xx after the effect'],
  ...['throttled', 'body cut or garbled', 'HTML in place of JSON', 'stale book', 'list behind', 'cursor repeats'],
  ...['429 as HTML, ten minutes', '429, ten minutes', 'a limit of one, none left', 'the same under a page of HTML'],
  ...['error after the effect', 'draft expired early', 'signing down', 'exchange restarted', 'cut by a restart'],
  ...['merge fails', 'trade failed', 'settled trade failed', 'failed trade settled'],
  ...['fill told otherwise than signed', 'signed by somebody else', 'a counterparty lies'],
  ...['clock set back by hours', 'clock set ahead by hours', 'clock ahead for seconds', 'poisoned rows'],
  ...['clock set back while requests wait'],
  ...['crash', 'clock stepped', 'outage', 'unreachable', 'market paused'],
  // Without a faulty disk the report says so.
  ...(diskMissing() === null ? ['disk error', 'write undone or torn', 'power lost, un-synced writes: torn'] : []),
  ...(diskMissing() === null ? ['the ledger fails while readers are connected'] : []),
].map((kind) => (/^(locks|fills|orders|merges|splits|redeems|command|stopped)/.test(kind) ? kind : `fault: ${kind}`));

describe('the whole trader against the whole exchange, on virtual time', () => {
  it.each(times([1], [1, 2, 3, 4]))('seed %i: after the faults all agrees, and stopping leaves nothing', (seed) => {
    const { violations } = simulate({ seed, faultyMs: 2 * MINUTE_MS });
    expect(violations, `npm run simulate -- --seeds 1 --first ${seed} --hours ${1 / 30} --pace busy`).toEqual([]);
  });

  it('with everything at once there really are fills, merges, splits, redeems, crashes and every fault', () => {
    const total = new Tally();
    const unseen = () => EVERY_KIND.filter((kind) => total.of(kind) === 0);
    for (const seed of SEEDS_OF_EVERYTHING) {
      if (!IS_LONG && unseen().length === 0) break;
      const setting = { ...STANDARD, mostRows: 20 };
      const story = simulate({ seed, faultyMs: 12 * MINUTE_MS, faults: EVERYTHING, setting });
      expect(story.violations, `seed ${story.seed}, trace ${story.traceHash}`).toEqual([]);
      total.addAll(story.tally);
    }
    expect(unseen()).toEqual([]);
    // It computes for more than a minute, on a busy machine for many.
  }, 1_200_000);

  it.each(times([2], [2, 9]))('seed %i: on a slow network nothing new leaves after a kill or a pause', (seed) => {
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

  it.each(times([3], [3, 5, 8, 11]))('seed %i: rows that were pruned are missed by no later step', (seed) => {
    // A failing disk would fail at other writes.
    const faults = { ...EVERYTHING, crashes: 0, unsyncedLost: 0, diskError: 0 };
    const story = (prunes: boolean) =>
      simulate({
        seed,
        faultyMs: 12 * MINUTE_MS,
        faults,
        setting: { ...STANDARD, mostRows: 20, prunes },
        begin: (world) => {
          for (let at = 1; at < 6; at++) world.timeline.after(at * 2 * MINUTE_MS, () => world.kill(1_000));
        },
      });
    const [pruned, whole] = [story(true), story(false)];
    expect(pruned.violations).toEqual([]);
    expect(pruned.tally.of('rows pruned')).toBeGreaterThan(50);
    expect(pruned.traceHash).toBe(whole.traceHash);
  });

  it('in a calm world nothing is ever refused, lost or asked twice', () => {
    const { violations, tally } = simulate({ seed: 7, faultyMs: MINUTE_MS, faults: CALM });
    expect(violations).toEqual([]);
    expect(tally.entries().filter(([kind]) => /fault|unknown|throttled|held back/.test(kind))).toEqual([]);
  });
});
