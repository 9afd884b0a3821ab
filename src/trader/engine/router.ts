/** The second part of a step: says for whom something received is. Pure, and the only place that asks who owns a request. */

import { AssertionFailed } from '../../shared/base/errors.js';
import {
  describeOwner,
  type MarketPoll,
  type PollTarget,
  type RoundList,
} from '../../shared/protocol/request-owner.js';
import type { FeedValue, OperatorCommand, RequestResult } from '../../shared/protocol/seam.js';
import type { Received } from './receive.js';

/** One kind for each room that takes something in. */
export type Routed =
  | { readonly kind: 'time' }
  | { readonly kind: 'command'; readonly command: OperatorCommand; readonly nowMs: number }
  | { readonly kind: 'feed'; readonly feed: string; readonly values: readonly FeedValue[]; readonly nowMs: number }
  | {
      readonly kind: 'market';
      readonly poll: MarketPoll;
      readonly conditionId: string;
      readonly report: RequestResult;
      /** 0 of a request that never left. */
      readonly requestId: number;
    }
  | { readonly kind: 'catalog'; readonly report: RequestResult }
  | { readonly kind: 'details'; readonly report: RequestResult; readonly requestId: number }
  /** Our resting orders, or our trades. */
  | { readonly kind: 'own'; readonly list: 'orders' | 'fills'; readonly report: RequestResult }
  | { readonly kind: 'round'; readonly list: RoundList; readonly report: RequestResult; readonly requestId: number }
  | { readonly kind: 'marks'; readonly report: RequestResult; readonly requestId: number }
  | { readonly kind: 'intent'; readonly report: RequestResult };

/** Throws AssertionFailed for a request that no room of the engine owns. */
export function route(received: Received): Routed {
  if (received.kind !== 'report') return received;
  const { report, requestId } = received;
  const { owner } = report.request;
  switch (owner.kind) {
    case 'poll':
      return routePoll(owner.target, report, requestId);
    case 'round':
      return { kind: 'round', list: owner.list, report, requestId };
    case 'intent':
      return { kind: 'intent', report };
    case 'other':
      throw new AssertionFailed(`a request of no room came back: ${describeOwner(owner)}`);
  }
}

function routePoll(target: PollTarget, report: RequestResult, requestId: number): Routed {
  if ('marketConditionId' in target) {
    return { kind: 'market', poll: target.kind, conditionId: target.marketConditionId, report, requestId };
  }
  switch (target.kind) {
    case 'catalog':
      return { kind: 'catalog', report };
    case 'details':
      return { kind: 'details', report, requestId };
    // The poll of assets is the first request of a round.
    case 'assets':
      return { kind: 'round', list: 'assets', report, requestId };
    case 'marks':
      return { kind: 'marks', report, requestId };
    case 'orders':
    case 'fills':
      return { kind: 'own', list: target.kind, report };
  }
}
