/** Reads the exchange's record of an intent; only the record settles an intent. */

import { assert } from '../../shared/base/errors.js';
import type { DataOf, EndpointName } from '../../shared/protocol/endpoints.js';
import type { RequestResult } from '../../shared/protocol/seam.js';
import type { ExecutorContext, Look } from './context.js';
import { observeRedeem, observeSets } from './conversions.js';
import type { InFlightIntent } from './in-flight-intents.js';
import { observeForeignOrder, observeOrder } from './orders.js';
import { missingWaitMs } from './pace.js';

export function onRead(context: ExecutorContext, inFlight: InFlightIntent, report: RequestResult): void {
  const { outcome, nowMs } = report;
  if (outcome.kind === 'answered') {
    observeRecord(context, inFlight, report);
  } else if (outcome.kind === 'refused' && outcome.slug === 'not_found') {
    // The exchange issued this pubkey. That it does not know the record proves nothing: the copy may be old.
    if (!inFlight.missingTold) {
      inFlight.missingTold = true;
      const text = `the exchange does not know ${inFlight.intent.draftPubkey ?? inFlight.intent.orderPubkey ?? '?'}`;
      context.reportTrouble('record_missing', inFlight.intent.marketConditionId, text, inFlight.intent.id);
    }
    context.lookLater(inFlight, nowMs, missingWaitMs(inFlight.tries));
  } else {
    context.lookLater(inFlight, nowMs);
  }
}

/** Takes in the record of an answer, whichever request it answers. A draft's answer has none. */
export function observeRecord(context: ExecutorContext, inFlight: InFlightIntent | null, report: RequestResult): void {
  if (report.outcome.kind !== 'answered') return;
  const { sentMs, nowMs, venueTimeMs } = report;
  const look: Look = { sentMs, nowMs, venueTimeMs, source: 'record' };
  switch (report.request.call.endpoint) {
    case 'orders.submit':
    case 'orders.cancelSubmit':
    case 'orders.detail': {
      const row = readAnswer(report, 'orders.detail');
      const pubkey = report.request.call.params.pubkey;
      const order = context.orders.get(pubkey);
      if (order !== null) observeOrder(context, order, row, look);
      else observeForeignOrder(context, pubkey, row, look);
      break;
    }
    case 'merges.submit':
    case 'merges.detail':
    case 'splits.submit':
    case 'splits.detail':
      if (inFlight !== null) observeSets(context, inFlight, readAnswer(report, 'merges.detail'), look);
      break;
    case 'redeems.submit':
    case 'redeems.detail':
      if (inFlight !== null) observeRedeem(context, inFlight, readAnswer(report, 'redeems.detail'), look);
      break;
    default:
      break;
  }
}

/** Record of an answered request. */
export function readAnswer<N extends EndpointName>(report: RequestResult, _shape: N): DataOf<N> {
  assert(report.outcome.kind === 'answered', 'an answer is read from what was answered');
  // The outcome belongs to the call of its request; draft calls and submits share their records' shapes with the
  // endpoint named here.
  return report.outcome.data as DataOf<N>;
}
