/** What a thread that imports markets is told, and what it tells. */

import type { ErrorCode } from '../../shared/base/errors.js';
import type { RawRecording, RecordedMarket } from '../contract.js';
import type { WrittenMarket } from './write-market.js';

/** To the thread, which has one at a time. */
export interface WritingOrder {
  readonly market: RecordedMarket;
  readonly raw: RawRecording;
  readonly folder: string;
}

/** From the thread; nothing after `written` or `failed` until the next order. */
export type WritingReport =
  | { readonly kind: 'progress'; readonly events: number; readonly share: number }
  | { readonly kind: 'written'; readonly written: WrittenMarket }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string; readonly hint: string };
