/** Slow averages over restarts: a ledger note, so that no restart begins them with the price of the moment. */

import { SlowAverages } from '../../risk/slow-average.js';
import type { Notes } from '../guards/guard.js';

const NOTE = 'slow_averages';

export const restoreAverages = (notes: Pick<Notes, 'note'>): SlowAverages =>
  // The note is written below alone; what was written can be read.
  new SlowAverages(JSON.parse(notes.note(NOTE) ?? '[]') as SlowAverages['stored']);

export const saveAverages = (averages: SlowAverages, notes: Notes): void =>
  notes.setNote(NOTE, JSON.stringify(averages.stored));
