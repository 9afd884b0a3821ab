/** Applies the exchange's records to intents; only a record settles an intent. */

import { assert, must } from '../../shared/base/errors.js';
import { type Micros, mul, sub, ZERO } from '../../shared/base/micros.js';
import type { DataOf, EndpointName } from '../../shared/protocol/endpoints.js';
import type { ConversionRow, RedeemRow } from '../../shared/protocol/records.js';
import type { RequestResult } from '../../shared/protocol/seam.js';
import type { IntentRow } from '../ledger/contract.js';
import type { ExecutorContext, Look } from './context.js';
import type { DraftSigner, PlaceObjection } from './contract.js';
import type { InFlightIntent } from './in-flight-intents.js';
import { FIRST_LOOK_MS, landingWaitMs, missingWaitMs, RECORD_STATES } from './lifecycle.js';
import { observeForeignOrder, observeOrder } from './orders.js';

export function onRead(context: ExecutorContext, inFlight: InFlightIntent, report: RequestResult): void {
  const { outcome, nowMs } = report;
  if (outcome.kind === 'answered') {
    observeRecord(context, inFlight, report);
  } else if (outcome.kind === 'refused' && outcome.slug === 'not_found') {
    // The exchange issued this pubkey, so an unknown record proves nothing: the answer may be outdated.
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

/** Takes in the record in an answer to any request; a draft's answer has none. */
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

/** Data of an answered request. */
export function readAnswer<N extends EndpointName>(report: RequestResult, _shape: N): DataOf<N> {
  assert(report.outcome.kind === 'answered', 'a report without an answer has no data');
  // The data belongs to the report's call; submits share their record's shape with the endpoint named by `_shape`.
  return report.outcome.data as DataOf<N>;
}

/** Takes in the record of a merge or split. */
function observeSets(context: ExecutorContext, inFlight: InFlightIntent, row: ConversionRow, look: Look): void {
  const { kind } = inFlight.intent;
  const amountMicros = must(inFlight.intent.amountMicros, `amount of a ${kind}`);
  const isOurs = row.market_condition_id === inFlight.intent.marketConditionId && row.amount === amountMicros;
  if (!isOurs) differs(context, inFlight, row);
  if (row.state === 'done' && row.onchain_amount !== null) {
    if (row.onchain_amount !== amountMicros) differs(context, inFlight, row);
    settle(context, inFlight, movedSets(inFlight.intent, amountMicros, row.onchain_amount), look);
  } else {
    observeState(context, inFlight, row.state, look);
  }
}

/** Moved amounts of a merge or split: the requested amount is given up, the landed one received. */
function movedSets({ kind, priceMicros }: IntentRow, amount: Micros, landed: Micros): Moved {
  if (kind === 'merge') return { yes: amount, no: amount, cash: landed, yesCost: null };
  const came = sub(ZERO, landed);
  const yesCost = mul(must(priceMicros, 'YES price of a split'), amount, 'floor');
  return { yes: came, no: came, cash: sub(ZERO, amount), yesCost };
}

function observeRedeem(context: ExecutorContext, inFlight: InFlightIntent, row: RedeemRow, look: Look): void {
  const { marketConditionId, redeemYesMicros, redeemNoMicros } = inFlight.intent;
  if (row.market_condition_id !== marketConditionId) differs(context, inFlight, row);
  if ((row.state === 'done' || row.state === 'completed') && row.onchain_funds !== null) {
    // A redeem gives up all shares, so the record's figures replace the expected ones.
    const yes = row.yes_shares ?? must(redeemYesMicros, 'YES shares of a redeem');
    const no = row.no_shares ?? must(redeemNoMicros, 'NO shares of a redeem');
    if (yes !== redeemYesMicros || no !== redeemNoMicros) differs(context, inFlight, row);
    settle(context, inFlight, { yes, no, cash: row.onchain_funds, yesCost: null }, look);
  } else {
    observeState(context, inFlight, row.state, look);
  }
}

function observeState(context: ExecutorContext, inFlight: InFlightIntent, state: RedeemRow['state'], look: Look): void {
  const { nowMs } = look;
  const { kind } = inFlight.intent;
  const says = RECORD_STATES[state];
  switch (says) {
    case 'unsigned':
      context.sendAgain(inFlight, look);
      break;
    case 'accepted':
    // A settled record without amount is booked once it has the amount.
    case 'settled':
      if (inFlight.intent.state !== 'live') {
        context.intents.move(inFlight, 'accepted', nowMs, `the exchange shows it ${state}`);
        inFlight.tries = 0;
      }
      context.lookLater(inFlight, nowMs, landingWaitMs(inFlight.tries));
      break;
    default:
      if (says === 'recordExpired' && !context.confirmExpiry(inFlight, look)) break;
      context.intents.move(inFlight, says, nowMs, `the exchange shows it ${state}`);
      context.reportNotDone(inFlight, state, `the ${kind} did not settle: it ${state}`);
  }
}

/** Shares given up and currency received; negative for a split. */
interface Moved {
  readonly yes: Micros;
  readonly no: Micros;
  readonly cash: Micros;
  /** Part of a split's currency that its YES shares cost; null for other kinds. */
  readonly yesCost: Micros | null;
}

function settle(context: ExecutorContext, inFlight: InFlightIntent, moved: Moved, look: Look): void {
  const { id: intentId, kind, marketConditionId } = inFlight.intent;
  assert(kind !== 'place' && kind !== 'cancel', `a ${kind} converts nothing`);
  const booked = context.ledger.bookConversion({
    pubkey: must(inFlight.intent.draftPubkey, 'pubkey of a conversion'),
    intentId,
    kind,
    marketConditionId,
    yesMicros: moved.yes,
    noMicros: moved.no,
    cashMicros: moved.cash,
    yesCostMicros: moved.yesCost,
    seenMs: look.nowMs,
  });
  // Not booked: the exchange issued one pubkey for two conversions, and the second is missing in this ledger.
  if (!booked) differs(context, inFlight, { booked_before: inFlight.intent.draftPubkey });
  context.intents.move(inFlight, 'settled', look.nowMs, 'the exchange shows it settled');
  context.emit({ kind: `${kind}Done`, intentId, market: marketConditionId, cashMicros: moved.cash });
}

const differs = (context: ExecutorContext, inFlight: InFlightIntent, row: object): void =>
  context.reportDifference(inFlight, `the ${inFlight.intent.kind} ${inFlight.intent.id}`, row);

export function sign(
  context: ExecutorContext,
  signer: DraftSigner,
  inFlight: InFlightIntent,
  nowMs: number,
  objectionTo: PlaceObjection = () => null,
): void {
  // A cancel's order may have ended, or the intent may have been withdrawn.
  if (inFlight.intent.state !== 'drafted') return;
  const withdrawn = context.findObjection(inFlight, nowMs);
  const crossing = inFlight.intent.kind === 'place' ? objectionTo(inFlight.intent) : null;
  const objection = withdrawn ?? crossing;
  if (objection !== null) {
    const slug = withdrawn === null ? 'post_only' : 'withdrawn';
    context.giveUp(inFlight, 'withdrawn', slug, nowMs, `not signed: ${objection}`);
    return;
  }
  const answer = signer.sign(inFlight.intent.id);
  if (!answer.ok && answer.isWithheld === true) {
    context.giveUp(inFlight, 'withdrawn', 'withdrawn', nowMs, `not signed: ${answer.reason}`);
    return;
  }
  if (!answer.ok) {
    context.refuseToSign(inFlight, nowMs, answer.reason);
    return;
  }
  const change = { signature: answer.signature, submitCount: 1 };
  context.intents.move(inFlight, 'signed', nowMs, 'the signature may be sent', change);
  context.queueRequest(inFlight, 'submit', nowMs);
}

export function onSubmit(context: ExecutorContext, inFlight: InFlightIntent, report: RequestResult): void {
  const { outcome, nowMs } = report;
  switch (outcome.kind) {
    case 'answered':
      observeRecord(context, inFlight, report);
      // The answer to the cancel shows that the order still rests, so the cancel is in flight.
      if (inFlight.intent.kind === 'cancel' && inFlight.intent.state === 'signed') {
        markUncertain(context, inFlight, nowMs, nowMs + FIRST_LOOK_MS, 'accepted, but the order still rests');
      }
      break;
    case 'refused':
      if (outcome.slug === 'throttled' || outcome.slug === 'gringotts_unavailable') {
        context.sendAgain(inFlight, { nowMs });
      } else {
        // A submit may work although it answers with an error: only the record decides.
        markUncertain(context, inFlight, nowMs, nowMs, `${outcome.slug}: ${outcome.message}`);
      }
      break;
    case 'unknown':
      if (outcome.sent) {
        markUncertain(context, inFlight, nowMs, nowMs + FIRST_LOOK_MS, outcome.reason);
      } else if (isStale(context, inFlight)) {
        context.giveUp(inFlight, 'neverSent', 'unsent', nowMs, outcome.reason);
      } else {
        context.sendAgain(inFlight, { nowMs });
      }
  }
}

/**
 * True when a submit that was never sent is abandoned: an order's price is too old by then, and the mode may forbid a
 * conversion.
 */
function isStale(
  context: ExecutorContext,
  { intent: { kind, strategy, state, submitCount } }: InFlightIntent,
): boolean {
  if (state !== 'signed' || submitCount !== 1) return false;
  return kind === 'place' || !context.isAllowed(kind, strategy);
}

/** Marks a submit that may have worked; its record is read at `dueMs`. */
export function markUncertain(
  context: ExecutorContext,
  inFlight: InFlightIntent,
  nowMs: number,
  dueMs: number,
  reason: string,
): void {
  context.intents.move(inFlight, 'uncertain', nowMs, reason);
  inFlight.resend = false;
  inFlight.dueMs = dueMs;
}
