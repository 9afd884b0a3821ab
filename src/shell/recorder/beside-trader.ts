/** The recording that a trader makes of its own polls, and its way to object storage. Neither keeps it from trading. */

import type { Config } from '../config/types.js';
import { KEPT_FREE_BYTES } from '../runtime/disk.js';
import type { Recorder } from './recorder.js';
import type { UploadService } from './upload-service.js';

/** Of a trader that stops: what is left then follows with its next start. */
const UPLOAD_WITHIN_MS = 20_000;

type Warn = (text: string) => void;
type Environment = Readonly<Record<string, string | undefined>>;

export interface OpenRecording {
  /** Null when the configuration does not want it, or it cannot be made. */
  readonly recorder: Recorder | null;
  /** Writes everything, then sends it. Never throws. */
  close(): Promise<void>;
}

/** Never throws: what goes wrong is warned of. */
export async function openRecording(config: Config, env: Environment, warn: Warn): Promise<OpenRecording> {
  const recorder = await openRecorder(config, warn);
  const uploads = recorder === null ? null : await openUploads(config, env, warn);
  return {
    recorder,
    close: async () => {
      await recorder?.close().catch((error: unknown) => warn(describeEnd(error)));
      await uploads?.end(UPLOAD_WITHIN_MS).catch((error: unknown) => warn(textOf(error)));
    },
  };
}

async function openRecorder({ recording, venue, polling }: Config, warn: Warn): Promise<Recorder | null> {
  if (!recording.enabled) return null;
  try {
    // Its store is heavy to load, and most traders do not record.
    const { Recorder: recorder } = await import('./recorder.js');
    return await recorder.open({
      folder: recording.dir,
      venue: venue.name,
      only: null,
      bookIntervalMs: polling.quietIntervalMs,
      publicPerMinute: venue.profile.rate_limits.public_per_minute,
      onFailure: (error) => warn(describeEnd(error)),
      keptFreeBytes: KEPT_FREE_BYTES,
      // A trader that stops does not wait for it: its next start goes on.
      ...(recording.packed ? { packing: { atEnd: false, say: warn } } : {}),
    });
  } catch (error) {
    warn(`nothing is recorded: ${textOf(error)}`);
    return null;
  }
}

async function openUploads({ recording }: Config, env: Environment, warn: Warn): Promise<UploadService | null> {
  const { dir: folder, uploadTo: url, keepDays, packed } = recording;
  if (url === null) return null;
  try {
    const { UploadService: service } = await import('./upload-service.js');
    return await service.open({ folder, url, keepDays, packed, env, say: warn });
  } catch (error) {
    warn(`recordings are not uploaded: ${textOf(error)}`);
    return null;
  }
}

const describeEnd = (error: unknown): string => `the recording ends here, trading goes on: ${textOf(error)}`;

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
