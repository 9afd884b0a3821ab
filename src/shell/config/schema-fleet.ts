/** Of the schema: the fleet that a trader belongs to. */

import { z } from 'zod';
import { integer } from './schema-parts.js';

export const fleetSchema = z
  .strictObject({
    database: z
      .string()
      .min(1)
      .max(1000)
      .describe(
        'Its database, postgresql://USER@HOST:PORT/DATABASE; the password is in TWINBOOK_FLEET_PASSWORD or its _FILE.',
      ),
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'wants a name in lower case with dashes, at most 40 characters')
      .describe('What this trader is called in the fleet; each has a name of its own.'),
    lease_s: integer(3, 300, 'So long after its last renewal the wallet may be taken over, s.').default(20),
    standby: z
      .boolean()
      .default(false)
      .describe('Whether it waits for a wallet that another trader has, and takes it over.'),
  })
  .describe('The fleet of traders that shares a database; leave it out for a trader by itself.');
