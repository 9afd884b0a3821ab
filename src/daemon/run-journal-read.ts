/** Reads the journals of runs. */

import type { RunJournal } from './run-journal-contract.js';

/**
 * Opens a run's folder. Throws TwinbookError `file_unreadable` when it is not there, `recording_invalid` when it is not the
 * journal of a run or of another format.
 */
export declare function readRun(folder: string): RunJournal;

/** The folders of runs under `dir`, oldest first; empty when there is no such folder. */
export declare function runFolders(dir: string): readonly string[];
