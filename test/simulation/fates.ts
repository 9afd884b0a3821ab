/** The fate of one call in transit: drawn by the network's probabilities, or set by a scenario. */

import { type Answer, faultAnswer } from '../../src/exchange/service/answers.js';
import type { AnyCall } from '../../src/shared/protocol/seam.js';
import type { Lag } from './exchange-side.js';

/** An answer's false statements about limits. */
export interface Said {
  /** `Retry-After`, ms. */
  readonly askedMs?: number;
  /** The rate headers; null for none. */
  readonly budget?: { readonly limit: number; readonly remaining: number; readonly resetInMs: number } | null;
}

/** Absent fields do not happen. Times in ms. */
export interface Fate {
  /** The connection is refused: no byte is sent. */
  readonly unreachable?: boolean;
  /** It is sent and never arrives. */
  readonly requestLost?: boolean;
  /** Transit time of the request; default: a calm network's. */
  readonly thereMs?: number;
  /** A second copy arrives this long after the send; its answer is dropped. */
  readonly copyMs?: number;
  /** A proxy answers in place of the exchange, which never gets the call. */
  readonly instead?: Answer;
  /** It takes effect, and then this is the answer. */
  readonly afterwards?: Answer;
  /** It takes effect, and no answer arrives. */
  readonly answerLost?: boolean;
  /** Staleness of the answer. */
  readonly lag?: Lag;
  /** Lifetime of the draft that it creates. */
  readonly expiresInMs?: number;
  /** The merge or split that it submits fails to settle. */
  readonly failsToLand?: boolean;
  /** Returns the part of the body that arrives. */
  readonly damage?: (text: string) => string;
  readonly says?: Said;
  /** Transit time of the answer. */
  readonly backMs?: number;
}

/** Decides before any draw; null leaves the call to the network's faults. */
export type Script = (call: AnyCall, nowMs: number) => Fate | null;

/** A page of a proxy. */
export const htmlPage = (status: number): Answer => ({
  status,
  text: `<html><body><h1>${status}</h1><p>The server cannot answer at this time.</p></body></html>`,
});

/** The login page of a network. */
export const HTML: Answer = htmlPage(200);
/** A gateway without a body. */
export const EMPTY: Answer = { status: 502, text: '' };

/** The exchange's own errors, with its texts. */
export const THROTTLED = faultAnswer({ slug: 'throttled' });
export const SIGNING_DOWN = faultAnswer({ slug: 'gringotts_unavailable' });
export const INTERNAL = faultAnswer({ slug: 'internal_error' });
