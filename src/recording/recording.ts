/**
 * Recorded real markets: one normalised event stream for all of them (`contract.ts`), and the readers that make it
 * from what venues send. Everything a venue's feed does oddly (deltas, mirrored tokens, late prints, clocks that step
 * back, cut files) ends in this room; behind it there is one market in YES space whose time only goes forward.
 *
 * A reader never guesses: what cannot be read is skipped, counted and said in `warnings`; a recording of which nothing
 * can be read is an error. Nothing here knows the exchange, matching or fill models.
 */

import { TwinbookError } from '../base/errors.js';
import type { Recording } from './contract.js';

/**
 * Opens every recording under these paths: a folder of the Kalshi set (the whole set, one window's folder, or one
 * `.ndjson.gz` file), the Polymarket folder or one of its `.parquet` files. Sorted by opening time, then by ticker; a
 * market found twice is opened once. Throws TwinbookError `file_unreadable` for a path that is missing,
 * `recording_invalid` for one that holds no recording.
 */
export async function openRecordings(paths: readonly string[]): Promise<Recording[]> {
  throw new TwinbookError('recording_invalid', `no reader for ${paths.join(', ')}`);
}
