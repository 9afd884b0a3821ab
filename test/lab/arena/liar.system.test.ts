/** One dishonest quoter, alone with the trader: its maximum gain, and the trader's messages. */

import { expect, it } from 'vitest';
import { loadEntrants } from '../../../src/lab/arena/arena.js';
import { USUAL_CONDITIONS } from '../../../src/lab/arena/contract.js';
import { worldNamed } from '../../../src/lab/arena/worlds.js';
import { IS_LONG, times } from '../../support/effort.js';

const DAY_LIMIT = 50;
const SEEDS = Array.from({ length: times(1, 3) }, (_, at) => 7000 + at);
/** Notional of the largest order that these strategies place here, in currency. */
const LARGEST_ORDER = { 'belief-maker': 25, 'touch-maker': 25, 'crowd-maker': 25 };

it.each(Object.entries(LARGEST_ORDER).slice(0, IS_LONG ? 3 : 2))(
  'a quoter who lies takes from %s no more than its day limit and one order, and the loss that is reported is the true one',
  async (name, order) => {
    const [entrant] = await loadEntrants({ file: `config/strategies/${name}.yaml`, env: {}, cwd: process.cwd() });
    if (entrant === undefined) return expect.unreachable();
    for (const seed of SEEDS) {
      const { edge, reported, fills, ...rest } = await worldNamed('liar').simulate(seed, entrant, USUAL_CONDITIONS);
      expect(rest.failure).toBeNull();
      expect(fills).toBeGreaterThan(0);
      expect(edge).toBeGreaterThan(-DAY_LIMIT - order);
      expect(edge).toBeLessThan(0);
      // A halt is final here; the restriction before it is no halt.
      expect(rest.halts).toBeLessThanOrEqual(1);
      expect(Math.abs((reported ?? Number.NaN) - edge)).toBeLessThan(order);
    }
  },
);
