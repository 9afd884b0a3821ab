import { expect, it } from 'vitest';
import { times } from '../support/effort.js';
import { clientCampaign } from './client/campaign.js';

/** The short form of `npm run fuzz -- --way client`. An uncaught error fails the run. */

const SEED = 3;
const ANSWERS = times(1000, 2500);

it('a client under hostile answers ends every call as what its answer proves, and asks once for what it may not repeat', async () => {
  const { tally, faults } = await clientCampaign({
    seed: SEED,
    part: 0,
    parts: 1,
    workers: 200,
    half: (before) => (answers) => answers >= before + ANSWERS / 2,
    heapBytes: () => null,
  });
  expect(faults).toEqual([]);
  for (const outcome of ['answered', 'refused', 'unknown', 'OutcomeUnknown', 'ServiceRefused'])
    expect([outcome, tally.countOf(outcome) > 0]).toEqual([outcome, true]);
});
