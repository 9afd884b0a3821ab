/** Handles an intent from its approval to its stored draft, or to its end before the signature. */

import { must } from '../../shared/base/errors.js';
import { ZERO } from '../../shared/base/micros.js';
import { readDraftMessage } from '../../shared/protocol/drafts/draft-message.js';
import type { RequestResult } from '../../shared/protocol/seam.js';
import type { IntentRow } from '../ledger/contract.js';
import type { Intent } from '../risk/intent.js';
import type { ExecutorContext } from './context.js';
import type { InFlightIntent } from './in-flight-intents.js';
import { EXPIRY_SLACK_S, MOST_DRAFT_ASKS } from './lifecycle.js';
import { readAgain } from './orders.js';
import { readAnswer } from './records.js';

export function newRow(context: ExecutorContext, intent: Intent, reason: string, nowMs: number): IntentRow {
  const place = intent.kind === 'place' ? intent : null;
  const redeem = intent.kind === 'redeem' ? intent : null;
  const orderPubkey = intent.kind === 'cancel' ? intent.orderPubkey : null;
  return {
    id: intent.intentId,
    runId: context.settings.runId,
    kind: intent.kind,
    marketConditionId: intent.marketConditionId,
    isYes: place?.isYes ?? null,
    side: place?.side ?? null,
    priceMicros: place?.priceMicros ?? (intent.kind === 'split' ? intent.yesPriceMicros : null),
    amountMicros: 'amountMicros' in intent ? intent.amountMicros : null,
    redeemYesMicros: redeem?.yesMicros ?? null,
    redeemNoMicros: redeem?.noMicros ?? null,
    orderPubkey,
    feeRateMicros:
      place === null
        ? ZERO
        : must(context.worstFeeRate(place.marketConditionId), `facts of market ${place.marketConditionId}`),
    strategy: place?.strategy ?? '',
    isProbe: place?.isProbe === true,
    reason,
    state: 'intended',
    draftPubkey: null,
    message: null,
    expiresAtS: null,
    signature: null,
    submitCount: 0,
    createdMs: nowMs,
    updatedMs: nowMs,
    lastReason: 'the draft is requested',
    configHash: context.settings.configHash,
  };
}

export function onDraft(context: ExecutorContext, inFlight: InFlightIntent, report: RequestResult): void {
  const { outcome, nowMs } = report;
  switch (outcome.kind) {
    case 'answered':
      storeDraft(context, inFlight, report);
      break;
    case 'refused':
      // With this slug, the signing service states that it created nothing. After any other server error a draft may
      // exist.
      if (outcome.status >= 500 && outcome.slug !== 'gringotts_unavailable') {
        draftLost(context, inFlight, nowMs, outcome.message);
      } else {
        draftRefused(context, inFlight, outcome.slug, outcome.message, nowMs);
      }
      break;
    case 'unknown':
      if (outcome.sent) draftLost(context, inFlight, nowMs, outcome.reason);
      else draftRefused(context, inFlight, 'unsent', outcome.reason, nowMs);
  }
}

function storeDraft(context: ExecutorContext, inFlight: InFlightIntent, report: RequestResult): void {
  const { intents, orders } = context;
  const { nowMs } = report;
  const { pubkey, message } = readAnswer(report, inFlight.intent.kind === 'cancel' ? 'orders.cancel' : 'orders.create');
  const expiresAtS = findExpiry(context, message, report.venueTimeMs);
  if (inFlight.intent.state === 'abandoned') {
    intents.move(inFlight, 'draftStored', nowMs, inFlight.intent.lastReason, { expiresAtS });
    context.waitOut(inFlight, nowMs);
    return;
  }
  const { kind, marketConditionId } = inFlight.intent;
  const taken = kind === 'cancel' ? pubkey !== inFlight.intent.orderPubkey : orders.get(pubkey) !== null;
  if (taken) {
    const text = `the draft of ${inFlight.intent.id} has the pubkey ${pubkey} of another record`;
    context.reportTrouble('record_differs', marketConditionId, text, inFlight.intent.id);
    context.giveUp(inFlight, 'draftLost', 'record_differs', nowMs, text);
    return;
  }
  const change = { draftPubkey: pubkey, message, expiresAtS };
  intents.move(inFlight, 'draftStored', nowMs, 'the draft awaits its signature', change);
  inFlight.tries = 0;
  if (kind === 'place') addOrder(context, inFlight.intent, pubkey, nowMs);
  const objection = objectionToExpiry(context, expiresAtS, report);
  if (objection === null) context.toSign.push(inFlight);
  else context.refuseToSign(inFlight, nowMs, objection);
}

function addOrder(context: ExecutorContext, intent: IntentRow, pubkey: string, nowMs: number): void {
  context.orders.add({
    pubkey,
    intentId: intent.id,
    marketConditionId: intent.marketConditionId,
    isYes: must(intent.isYes, 'outcome of a place'),
    side: must(intent.side, 'side of a place'),
    priceMicros: must(intent.priceMicros, 'price of a place'),
    amountMicros: must(intent.amountMicros, 'amount of a place'),
    filledMicros: ZERO,
    bookedMicros: ZERO,
    failedMicros: ZERO,
    status: 'waiting_to_sign',
    createdMs: nowMs,
    closedMs: null,
  });
}

/** Expiry of a draft, exchange time, Unix s; null when neither draft nor answer contains a time. */
function findExpiry(context: ExecutorContext, message: string, venueTimeMs: number | null): number | null {
  const written = readDraftMessage(context.profile.draft_message, message)?.expires;
  if (written !== undefined) return written;
  const nowMs = venueTimeMs ?? context.venueNowMs;
  return nowMs === null ? null : Math.ceil(nowMs / 1000) + context.profile.draft_lifetime_s;
}

/**
 * Why a draft must not be signed by its expiry; null when it may be. It may have expired, or last too long. Without an
 * exchange time, our clock bounds the latest expiry, with a tolerance. Our clock never decides that a draft has
 * expired.
 */
function objectionToExpiry(
  context: ExecutorContext,
  expiresAtS: number | null,
  { venueTimeMs, nowMs }: RequestResult,
): string | null {
  if (expiresAtS === null) return null;
  const { draft_lifetime_s, clock_tolerance_s } = context.profile;
  const venueMs = venueTimeMs ?? context.venueNowMs;
  const leftS = expiresAtS - Math.floor((venueMs ?? nowMs) / 1000);
  const mostS = 2 * draft_lifetime_s + EXPIRY_SLACK_S + (venueMs === null ? clock_tolerance_s : 0);
  if (venueMs !== null && leftS <= 0) return `the draft expired ${-leftS} s before it arrived`;
  return leftS > mostS ? `the draft expires in ${leftS} s, more than the accepted ${mostS} s` : null;
}

function draftLost(context: ExecutorContext, inFlight: InFlightIntent, nowMs: number, reason: string): void {
  if (inFlight.intent.state !== 'intended') return;
  const { kind } = inFlight.intent;
  // A repeated request for a merge or split returns the same draft; a second draft of a redeem has no effect unsigned.
  const isConversion = kind !== 'place' && kind !== 'cancel';
  const askAgain = isConversion && inFlight.tries + 1 < MOST_DRAFT_ASKS;
  if (askAgain) context.lookLater(inFlight, nowMs);
  else context.giveUp(inFlight, 'draftLost', 'answer_lost', nowMs, reason);
}

function draftRefused(
  context: ExecutorContext,
  inFlight: InFlightIntent,
  slug: string,
  reason: string,
  nowMs: number,
): void {
  const told = inFlight.intent.state === 'abandoned';
  const { kind, orderPubkey } = inFlight.intent;
  context.intents.move(inFlight, 'draftRefused', nowMs, `${slug}: ${reason}`);
  if (!told) context.reportNotDone(inFlight, slug, reason);
  const passing = slug === 'unsent' || slug === 'throttled' || slug === 'gringotts_unavailable';
  if (kind !== 'cancel' || orderPubkey === null || passing) return;
  // An order that cannot be canceled has probably ended, so its record is read.
  const order = context.orders.get(orderPubkey);
  if (order !== null) readAgain(context, order, nowMs);
}
