/**
 * Recordings in our own format: a folder of Parquet files that DuckDB, pandas and Spark read without us, written so that
 * whatever was flushed survives `kill -9` and a full disk. `contract.ts` says what may be written, docs/recordings.md
 * which files come of it.
 *
 * Never: an event that was not given, a file that is there only in part, a second writer in the same folder.
 */

import type { RecordingStore, StoreSettings } from './contract.js';

/**
 * Opens (and makes) a folder of recordings for writing. What an earlier writer left open is turned into Parquet first.
 * Throws TwinbookError `file_unreadable` when the folder cannot be written or another process writes it.
 */
export declare function openRecordingStore(folder: string, settings: StoreSettings): Promise<RecordingStore>;
