/** Of the schema: what a trader keeps on its disk, and for how long. */

import { z } from 'zod';
import { integer, path } from './schema-parts.js';

/** Backups of the ledger. */
export const backupsSchema = z
  .strictObject({
    newest: integer(1, 1000, 'So many of the newest backups stay.').default(24),
    days: integer(0, 3650, 'Of so many days, UTC, the last backup of each stays.').default(30),
    max_mb: integer(1, 10_000_000, 'Room for all backups together, MB; the newest stays whatever it takes.').default(
      5000,
    ),
  })
  .describe('Which backups of the ledger stay; schedule.ledger_backup says when one is made.');

/** Journals of runs. */
export const journalSchema = z
  .strictObject({
    enabled: z.boolean().default(true).describe('Keeps all that each run of the trader saw and asked, for replays.'),
    dir: path('Folder of runs; default runs beside the ledger.').optional(),
    max_mb: integer(10, 1_000_000, 'Room for the runs of this ledger, MB; the oldest go first.').default(1000),
    days: integer(1, 3650, 'Days that a run is kept after its end.')
      .nullable()
      .default(null)
      .describe('Runs that ended so many days ago go at a start, however much room there is; null: none for its age.'),
  })
  .describe('The journal of observations.');
