/** A strategy that requests its market's event gets it, in the whole trader and in the world of exclusive outcomes. */

import { expect, test } from 'vitest';
import { USUAL_CONDITIONS } from '../../../src/lab/arena/contract.js';
import { crowdScene } from '../../../src/lab/arena/scenes.js';
import { playChallenge, playEvent } from '../../../src/lab/arena/shown-maker.js';
import { runTrader } from '../../../src/lab/arena/trader-run.js';
import type { EventView } from '../../../src/trader/market/view.js';
import { defineStrategy, NO_QUOTES } from '../../../src/trader/strategy/contract.js';
import eventMaker from '../../../strategies/event-maker.js';
import { paramsFor } from '../../trader/strategy/fixtures.js';
import { everyBand } from './entrants.js';

/** Keeps the last event of each market. */
function probe(asks: boolean) {
  const seen = new Map<string, EventView | null>();
  const module = defineStrategy({
    name: 'probe',
    summary: 'Looks at events.',
    params: {},
    ...(asks ? { inputs: { event: true } as const } : {}),
    create: (_, market) => ({
      quote(view) {
        // Books arrive one by one.
        if (!asks || view.event?.siblings.some(({ mid }) => mid !== null) === true)
          seen.set(market.conditionId, view.event);
        return NO_QUOTES('looks only');
      },
    }),
  });
  return { seen, module };
}

async function crowdSeenBy(asks: boolean) {
  const { seen, module } = probe(asks);
  const alone = await everyBand();
  const judged = { ...alone, module, params: {} };
  const run = { seed: 1, conditions: USUAL_CONDITIONS, markets: 4, lastsMs: 20_000, scene: crowdScene };
  await runTrader({ ...run, entrant: judged });
  return seen;
}

test('the trader shows each market the others of its event, and only to who asks', async () => {
  const seen = await crowdSeenBy(true);
  expect(seen.size).toBe(4);
  for (const [conditionId, shown] of seen) {
    const [sibling, ...more] = shown?.siblings ?? [];
    expect(more).toEqual([]);
    expect(sibling).toMatchObject({ netMicros: 0, ownBidMicros: null });
    expect(sibling?.mid).toBeGreaterThan(0);
    expect(seen.get(sibling?.conditionId ?? '')?.siblings.map((each) => each.conditionId)).toEqual([conditionId]);
  }
  expect([...(await crowdSeenBy(false)).values()]).toEqual([null, null, null, null]);
});

test('event-maker quotes the outcomes of the world that has some', () => {
  const judged = { name: 'judged', module: eventMaker, params: paramsFor(eventMaker) };
  const { fills, failure } = playEvent(2, judged);
  expect(failure).toBeNull();
  expect(fills).toBeGreaterThan(0);
  // The challenge itself has no event.
  expect(playChallenge(2, judged)).toMatchObject({ fills: 0, failure: null });
});
