/** Of the schema: the paper exchange inside a trader. */

import { z } from 'zod';
import { amount, integer, path } from './schema-parts.js';

export const exchangeSchema = z
  .strictObject({
    embedded: z.boolean().default(true).describe('Runs the paper exchange inside the trader, and trades on it.'),
    data_dir: path('Folder of the exchange state.').default('../data/exchange'),
    port: integer(0, 65_535, 'Port on the loopback address; 0 picks a free one.').default(0),
    seed: integer(0, Number.MAX_SAFE_INTEGER, 'Seed of the simulated crowd.').default(1),
    market_data: z.array(path('A recording.')).max(1000).default([]).describe('Recordings that drive markets.'),
    speed: z.number().min(0.01).max(10_000).default(1).describe('Time scale of recordings; 1 is real time.'),
    crowd: z.boolean().default(true).describe('Whether simulated traders trade.'),
    crowd_markets: integer(1, 1000, 'Markets of the simulated crowd.').default(4),
    controls: z.boolean().default(false).describe('Whether the /paper/ controls answer.'),
    rate_limits: z.boolean().default(true).describe('Whether the venue profile’s request limits are enforced.'),
    starting_funds: amount('0', '1000000000', 'Currency of a new account.').prefault('10000'),
    landing_ms: integer(0, 600_000, 'How long merges and splits stay in_process, ms.').default(400),
    draft_lifetime_s: integer(5, 3600, 'How long a draft can be signed, s; default the venue profile’s.').optional(),
  })
  .describe('The paper exchange, embedded in the trader. Leave it out to trade on another exchange.');
