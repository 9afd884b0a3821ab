/** What becomes of one call on its way: drawn by the network's probabilities, or written down by a scenario. */

import type { Answer } from '../../src/exchange/service/envelope.js';
import { faultAnswer } from '../../src/exchange/service/envelope.js';
import type { AnyCall } from '../../src/shared/protocol/seam.js';
import type { Lag } from './exchange-side.js';

/** What an answer says of limits, in place of the truth. */
export interface Said {
  /** `Retry-After`, ms. */
  readonly askedMs?: number;
  /** Of the rate headers; null where there are none. */
  readonly budget?: { readonly limit: number; readonly remaining: number; readonly resetInMs: number } | null;
}

/** What is left out does not happen. Times in ms. */
export interface Fate {
  /** The connection is refused: no byte leaves. */
  readonly unreachable?: boolean;
  /** It leaves and never arrives. */
  readonly requestLost?: boolean;
  /** How long it is under way; default a calm network's. */
  readonly thereMs?: number;
  /** A second copy arrives so long after it left; its answer finds nobody. */
  readonly copyMs?: number;
  /** Somebody in front of the exchange answers in its place; the exchange never hears of it. */
  readonly instead?: Answer;
  /** It has its effect, and then the answer is this one. */
  readonly afterwards?: Answer;
  /** It has its effect, and no answer comes. */
  readonly answerLost?: boolean;
  /** How the answer lags behind what is. */
  readonly lag?: Lag;
  /** The draft that it makes ends so long after it was made. */
  readonly expiresInMs?: number;
  /** The merge or split that it submits does not settle. */
  readonly failsToLand?: boolean;
  /** What of the answer's body arrives. */
  readonly damage?: (text: string) => string;
  readonly says?: Said;
  /** How long the answer is under way. */
  readonly backMs?: number;
}

/** Decides for each call before anything is drawn; null leaves it to the network's faults. */
export type Script = (call: AnyCall, nowMs: number) => Fate | null;

/** A proxy's own page. */
export const htmlPage = (status: number): Answer => ({
  status,
  text: `<html><body><h1>${status}</h1><p>The server cannot answer at this time.</p></body></html>`,
});

/** A page of a network that wants to be logged into. */
export const HTML: Answer = htmlPage(200);
/** A gateway that says nothing. */
export const EMPTY: Answer = { status: 502, text: '' };

/** The exchange's own refusals and failures, as it spells them. */
export const THROTTLED = faultAnswer({ slug: 'throttled' });
export const SIGNING_DOWN = faultAnswer({ slug: 'gringotts_unavailable' });
export const INTERNAL = faultAnswer({ slug: 'internal_error' });
