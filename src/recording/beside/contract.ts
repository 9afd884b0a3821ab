/** What a thread that reads raw files is told, and what it tells. */

import type { ErrorCode } from '../../shared/base/errors.js';
import type { EventChunk, KalshiFiles, RecordingWarning } from '../contract.js';

/** To the thread. `stream` counts up. */
export type ReadingOrder =
  | { readonly kind: 'open'; readonly stream: number; readonly files: KalshiFiles }
  /** One chunk was taken: one more may be sent. */
  | { readonly kind: 'taken'; readonly stream: number }
  /** Nobody wants the rest. */
  | { readonly kind: 'close'; readonly stream: number };

/** From the thread, in the order of the stream; nothing after `end` or `failed`. `warnings` are those since the last report. */
export type ReadingReport = { readonly stream: number; readonly warnings: readonly RecordingWarning[] } & (
  | { readonly kind: 'chunk'; readonly chunk: EventChunk }
  | { readonly kind: 'end' }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string; readonly hint: string }
);

/** Chunks of a stream that are read and not taken: some 33,000 events, 700 kB. */
export const CHUNKS_AHEAD = 8;
