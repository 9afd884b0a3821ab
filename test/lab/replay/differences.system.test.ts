/** Reports about a run that does not repeat: each kind of difference, caused on purpose. */

import { describe, expect, it } from 'vitest';
import type { ReplayedTrader } from '../../../src/lab/replay/run-settings.js';
import { must } from '../../../src/shared/base/errors.js';
import { micros } from '../../../src/shared/base/micros.js';
import type { Request } from '../../../src/shared/protocol/seam.js';
import type { RunStep } from '../../../src/shell/journal/runs.js';
import { CALM } from '../../simulation/faults.js';
import { traderSettings } from '../../simulation/setting.js';
import { World } from '../../simulation/world.js';
import { MemoryDiary, replayed } from './diary.js';

const diary = new MemoryDiary();
const world = new World(7, CALM, diary);
world.pass(20_000);
world.close();
const run = diary.onlyRun;

/** Replays the run with some of its steps changed, or with another trader. */
async function differing(change: (step: RunStep) => RunStep, trader: ReplayedTrader = traderSettings(run.runId)) {
  const result = await replayed(run, { trader, steps: run.steps.map(change) });
  return { difference: must(result.difference, 'a difference'), result };
}

/** The first step of the run in which an order is drafted, or anything signed. */
const isDraft = ({ call }: Request): boolean => call.endpoint === 'orders.create';
const drafting = must(
  run.steps.find(({ requests }) => requests.some(isDraft)),
  'a drafted order',
);
const signing = must(
  run.steps.find(({ signed }) => signed.length > 0),
  'a signature',
);
const only = (index: number, change: (step: RunStep) => Partial<RunStep>) => (step: RunStep) =>
  step.index === index ? { ...step, ...change(step) } : step;

describe('the first difference', () => {
  it('is the one request that was another, with every part of it that differs', async () => {
    const { index } = drafting;
    const dearer = (request: Request): Request =>
      isDraft(request)
        ? { ...request, latestMs: 1, call: { ...request.call, body: { price: '0.99' } } as never }
        : request;
    const { difference, result } = await differing(only(index, ({ requests }) => ({ requests: requests.map(dearer) })));
    expect(difference).toMatchObject({ step: index, what: expect.stringMatching(/^request \d+ differs$/) });
    expect(difference.fields).toContainEqual({ path: 'latestMs', recorded: '1', replayed: expect.any(String) });
    expect(difference.fields.map(({ path }) => path)).toContain('call.body.price');
    expect(difference.fields.find(({ path }) => path === 'call.body.side')).toMatchObject({ recorded: null });
    expect(difference.replayed.join()).toMatch(
      /draft a limit order: (buy|sell) [\d.]+ (YES|NO) at 0\.\d+ in ".+\?" \(\w{32,44}\)/,
    );
    expect(result.repeatedSteps).toBe(index);
  });

  it('is a request too many, or one too few', async () => {
    const { index } = drafting;
    const fewer = await differing(only(index, ({ requests }) => ({ requests: requests.slice(0, -1) })));
    expect(fewer.difference.what).toMatch(/^request \d+ is sent in the replay, but was not sent in the run$/);
    const twice = only(index, ({ requests }) => ({ requests: [...requests, ...requests.slice(-1)] }));
    const more = await differing(twice);
    expect(more.difference.what).toMatch(/^request \d+ was sent in the run, but is not sent in the replay$/);
    expect(more.difference.fields.length).toBeGreaterThan(0);
  });

  it('is a signature that nobody made', async () => {
    const { index, signed } = signing;
    const { difference } = await differing(only(index, () => ({ signed: [] })));
    expect(difference).toMatchObject({ step: index });
    expect(difference.what).toMatch(/^intent \S+ is signed in the replay, but was not signed in the run$/);
    const others = signed.map(({ answer }) => ({ intentId: 'another', answer }));
    expect((await differing(only(index, () => ({ signed: others })))).difference.what).toMatch(
      /^intent another was signed in the run, but the replay signs intent \S+ in its place$/,
    );
    const more = { intentId: 'one more', answer: { ok: true, signature: '0' } } as const;
    const added = await differing(only(index, () => ({ signed: [...signed, more] })));
    expect(added.difference.what).toBe('intent one more was signed in the run, but is not signed in the replay');
  });

  it('is a refusal to sign, which the market is then paused for', async () => {
    const answer = { ok: false, reason: 'made up' } as const;
    const signed = signing.signed.map(({ intentId }) => ({ intentId, answer }));
    const { difference } = await differing(only(signing.index, () => ({ signed })));
    expect(difference.what).toMatch(/is sent|was sent|differs/);
  });

  it('is a failure that was none then, and the other way round', async () => {
    const { difference } = await differing(only(5, () => ({ failure: 'the disk was full', requests: [] })));
    expect(difference).toMatchObject({
      step: 5,
      what: 'the trader failed in the run, but does not fail in the replay: the disk was full',
    });
    const unknown = { kind: 'outcome', requestId: 999_999, sentMs: 1, venueTimeMs: null, budget: null } as const;
    const outcome = { kind: 'unknown', reason: 'made up', sent: true } as const;
    const observed = only(5, ({ observation: { nowMs } }) => ({ observation: { ...unknown, nowMs, outcome } }));
    const failing = await differing(observed);
    expect(failing.difference.what).toMatch(/^the trader fails in the replay, but did not fail in the run: /);
    expect(failing.difference.observation).toBe('request 999999 has an unknown outcome: made up');
  });

  it('is what a strategy does that was cut short then', async () => {
    const { index } = drafting;
    const { difference } = await differing(only(index, () => ({ timedOut: [0] })));
    expect(difference.step).toBeGreaterThanOrEqual(index);
    expect(difference.what).toMatch(/was sent in the run|differs/);
  });

  it('is what other settings decide', async () => {
    const trader = traderSettings(run.runId);
    const strategies = trader.strategies.map((strategy) => ({
      ...strategy,
      params: { ...strategy.params, order_shares: micros(7_000_000) },
    }));
    const { difference, result } = await differing((step) => step, { ...trader, strategies });
    expect(difference.step).toBe(drafting.index);
    expect(difference.recorded.join()).toContain('25');
    expect(difference.replayed.join()).toMatch(/(buy|sell) 7 /);
    expect(result.repeatedSteps).toBe(difference.step);
    expect(result.repeatedRequests).toBeLessThan(result.requests);
    expect(result.requests).toBe(run.steps.reduce((sum, { requests }) => sum + requests.length, 0));
  });
});

it('a run without any step has nothing to repeat', async () => {
  const result = await replayed(run, { steps: [] });
  expect(result).toMatchObject({ steps: 0, requests: 0, difference: null, fromMs: null, toMs: null });
});
