/** What goes wrong on the way to an exchange: answers that are lost, and errors that come after the act or in its place. */

import { TwinbookError } from '../../shared/base/errors.js';
import { Random } from '../../shared/base/random.js';
import type { EndpointName } from '../../shared/protocol/endpoints.js';
import { declarationOf } from '../../shared/protocol/endpoints.js';
import type { CallFailure, LatencyModel } from './contract.js';

/** Calls that take their time differently: a submit waits for a chain or a matching engine, a read for a cache. */
export type CallKind = 'read' | 'draft' | 'submit' | 'cancel';

export const CALL_KINDS: readonly CallKind[] = ['read', 'draft', 'submit', 'cancel'];

export function callKind(endpoint: EndpointName): CallKind {
  if (endpoint === 'orders.cancel' || endpoint === 'orders.cancelSubmit') return 'cancel';
  if (declarationOf(endpoint).method === 'GET') return 'read';
  return endpoint.toLowerCase().endsWith('submit') ? 'submit' : 'draft';
}

/** Of all calls, 0 to 1. Half of each kind reach the exchange and take effect all the same. */
export interface FailureRates {
  /** Nothing comes back until the client gives up. */
  readonly lost: number;
  /** Answered with 500. */
  readonly error: number;
}

/** `recorded`: as often as the recordings' own requests were lost. */
export type FailureWish = FailureRates | 'recorded';

/** Reads `none`, `recorded`, or rates as in `lost:0.01,error:0.005`. Throws TwinbookError `usage` for anything else. */
export function readFailures(text: string): FailureWish {
  if (text === 'recorded') return text;
  const rates: { lost: number; error: number } = { lost: 0, error: 0 };
  if (text === 'none') return rates;
  for (const part of text.split(',')) {
    const found = /^(lost|error):(0(?:\.\d{1,6})?|1)$/.exec(part.trim());
    if (found === null) throw unknownFailures(text);
    rates[found[1] === 'lost' ? 'lost' : 'error'] = Number(found[2]);
  }
  if (rates.lost + rates.error > 1) throw unknownFailures(text);
  return rates;
}

const unknownFailures = (text: string): TwinbookError =>
  new TwinbookError(
    'usage',
    `the failures '${text}' are not known`,
    'Wanted none, recorded, or parts of 1 such as lost:0.01,error:0.005, together at most 1.',
  );

/** The same latencies, with calls that fail. Failures draw from a sequence of their own: no latency moves. */
export function withFailures(model: LatencyModel, { lost, error }: FailureRates, seed: number): LatencyModel {
  if (lost === 0 && error === 0) return model;
  const random = Random.fromSeed(seed, 'failures');
  const percent = (share: number): string => `${Math.round(share * 10_000) / 100} %`;
  let failure: CallFailure | null = null;
  return {
    name: `${model.name}; ${percent(lost)} lost, ${percent(error)} errors`,
    draw(endpoint) {
      model.draw(endpoint);
      const drawn = random.uniform();
      const hasActed = random.chance(0.5);
      failure = model.failure;
      if (drawn < lost) failure = { kind: 'lost', hasActed };
      else if (drawn < lost + error) failure = { kind: 'error', hasActed };
    },
    get thereMs() {
      return model.thereMs;
    },
    get backMs() {
      return model.backMs;
    },
    get failure() {
      return failure;
    },
  };
}
