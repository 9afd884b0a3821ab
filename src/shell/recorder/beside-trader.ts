/** Recording of a trader's own polls. It never keeps the trader from trading. */

import type { Config } from '../config/types.js';
import { KEPT_FREE_BYTES } from '../runtime/disk.js';
import type { Recorder } from './recorder.js';

type Warn = (text: string) => void;

export interface OpenRecording {
  /** Null if it is off or impossible. */
  readonly recorder: Recorder | null;
  /** Writes everything. Never throws. */
  close(): Promise<void>;
}

/** Never throws: problems are warnings. */
export async function openRecording(config: Config, warn: Warn): Promise<OpenRecording> {
  const recorder = await openRecorder(config, warn);
  return {
    recorder,
    close: async () => {
      await recorder?.close().catch((error: unknown) => warn(describeEnd(error)));
    },
  };
}

async function openRecorder({ recording, venue, polling }: Config, warn: Warn): Promise<Recorder | null> {
  if (!recording.enabled) return null;
  try {
    // Its store is slow to load, and most traders do not record.
    const { Recorder: recorder } = await import('./recorder.js');
    return await recorder.open({
      folder: recording.dir,
      venue: venue.name,
      only: null,
      bookIntervalMs: polling.quietIntervalMs,
      publicPerMinute: venue.profile.rate_limits.public_per_minute,
      onFailure: (error) => warn(describeEnd(error)),
      keptFreeBytes: KEPT_FREE_BYTES,
    });
  } catch (error) {
    warn(`nothing is recorded: ${textOf(error)}`);
    return null;
  }
}

const describeEnd = (error: unknown): string => `the recording ends here, trading continues: ${textOf(error)}`;

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
