/** Applies the exchange's answers to intents. Only a record of the exchange ends a submitted intent. */

import { assert, must } from '../../shared/base/errors.js';
import { type Micros, mul, sub, ZERO } from '../../shared/base/micros.js';
import { readDraftMessage } from '../../shared/protocol/drafts/draft-message.js';
import type { DataOf, EndpointName } from '../../shared/protocol/endpoints.js';
import { isPossiblePayment } from '../../shared/protocol/outcome.js';
import type { ConversionRow, RedeemRow } from '../../shared/protocol/records.js';
import type { RequestResult } from '../../shared/protocol/seam.js';
import { paidFunds } from '../../shared/protocol/states.js';
import { type BookedConversion, type IntentRow, placeTerms } from '../ledger/contract.js';
import type { Context, RecordPoll } from './context.js';
import type { IntentSigner } from './contract.js';
import type { InFlight } from './in-flight-intents.js';
import { FIRST_LOOK_MS, RECORD_STATES } from './lifecycle.js';
import { observeForeignOrder, observeOrder, readAgain } from './orders.js';

/** Returns a sentence that says why an order must not be signed; null if it may be signed. */
type PlaceObjection = (place: IntentRow) => string | null;

/** Maximum number of requests for a conversion's draft if answers are lost. Unsigned drafts have no effect. */
const MOST_DRAFT_ASKS = 3;
/** Time after a draft's expiry from which a missing record counts as expired, s. Until then, an error of the exchange may end. */
const MISSING_S = 7_200;
/** Tolerance added to the latest accepted expiry of a draft, s, for rounding and errors of the exchange's clock. */
const EXPIRY_SLACK_S = 60;

export function onDraft(context: Context, inFlight: InFlight, report: RequestResult): void {
  const { outcome, nowMs } = report;
  switch (outcome.kind) {
    case 'answered':
      storeDraft(context, inFlight, report);
      break;
    case 'refused':
      // `gringotts_unavailable`: the signing service made no draft. After other server errors, a draft may exist.
      if (outcome.status >= 500 && outcome.slug !== 'gringotts_unavailable') {
        draftLost(context, inFlight, nowMs, outcome.message);
      } else {
        draftRefused(context, inFlight, outcome.slug, outcome.message, nowMs);
      }
      break;
    case 'unknown':
      // An earlier request whose answer was lost may have made a draft.
      if (outcome.sent || inFlight.tries > 0) draftLost(context, inFlight, nowMs, outcome.reason);
      else draftRefused(context, inFlight, 'unsent', outcome.reason, nowMs);
  }
}

function storeDraft(context: Context, inFlight: InFlight, report: RequestResult): void {
  const { intents, orders } = context;
  const { nowMs } = report;
  const { pubkey, message } = readAnswer(report, inFlight.intent.kind === 'cancel' ? 'orders.cancel' : 'orders.create');
  const expiresAtS = findExpiry(context, message, report.venueTimeMs);
  if (inFlight.intent.state === 'abandoned') {
    intents.move(inFlight, 'draftStored', nowMs, inFlight.intent.lastReason, { expiresAtS });
    context.waitOut(inFlight, nowMs);
    return;
  }
  const { kind, marketConditionId, orderPubkey } = inFlight.intent;
  // A cancel's draft may have its order's pubkey or a new one; the signer compares the draft's content.
  if (pubkey !== orderPubkey && orders.get(pubkey) !== null) {
    const text = `the draft of ${inFlight.intent.id} reuses the pubkey ${pubkey} of another record`;
    context.reportTrouble('record_differs', marketConditionId, text, inFlight.intent.id);
    context.giveUp(inFlight, 'draftLost', 'record_differs', nowMs, text);
    return;
  }
  const change = { draftPubkey: pubkey, message, expiresAtS };
  intents.move(inFlight, 'draftStored', nowMs, 'the draft awaits its signature', change);
  inFlight.tries = 0;
  if (kind === 'place') {
    orders.add({
      pubkey,
      intentId: inFlight.intent.id,
      marketConditionId,
      ...placeTerms(inFlight.intent),
      filledMicros: ZERO,
      bookedMicros: ZERO,
      failedMicros: ZERO,
      status: 'waiting_to_sign',
      createdMs: nowMs,
      closedMs: null,
    });
  }
  const late = findLateness(context, expiresAtS, report);
  const objection = objectionToExpiry(context, expiresAtS, report);
  // A late draft is no sign of a dishonest exchange, so its market is not paused.
  if (late !== null) context.giveUp(inFlight, 'signRefused', 'expired', nowMs, late);
  else if (objection === null) context.toSign.push(inFlight);
  else context.refuseToSign(inFlight, nowMs, objection);
}

/** Returns a draft's expiry, exchange time, Unix s; null if the draft has none and the exchange time is unknown. */
function findExpiry(context: Context, message: string, venueTimeMs: number | null): number | null {
  const written = readDraftMessage(context.profile.draft_message, message)?.expires;
  if (written !== undefined) return written;
  const nowMs = venueTimeMs ?? context.venueNowMs;
  return nowMs === null ? null : Math.ceil(nowMs / 1000) + context.profile.draft_lifetime_s;
}

/** Returns a text if a draft has expired by the exchange's clock; else null. Our clock never decides this. */
function findLateness({ venueNowMs }: Context, expiresAtS: number | null, report: RequestResult): string | null {
  const venueMs = report.venueTimeMs ?? venueNowMs;
  if (expiresAtS === null || venueMs === null) return null;
  const lateS = Math.floor(venueMs / 1000) - expiresAtS;
  return lateS >= 0 ? `the draft expired ${lateS} s before it arrived` : null;
}

/**
 * Returns a text if a draft expires too late to be signed; else null. If the exchange time is unknown, the latest
 * accepted expiry is computed from our clock, with a tolerance.
 */
function objectionToExpiry(context: Context, expiresAtS: number | null, report: RequestResult): string | null {
  if (expiresAtS === null) return null;
  const { draft_lifetime_s, clock_tolerance_s } = context.profile;
  const venueMs = report.venueTimeMs ?? context.venueNowMs;
  const leftS = expiresAtS - Math.floor((venueMs ?? report.nowMs) / 1000);
  const mostS = 2 * draft_lifetime_s + EXPIRY_SLACK_S + (venueMs === null ? clock_tolerance_s : 0);
  return leftS > mostS ? `the draft expires in ${leftS} s, but at most ${mostS} s are accepted` : null;
}

function draftLost(context: Context, inFlight: InFlight, nowMs: number, reason: string): void {
  const { kind, state } = inFlight.intent;
  if (state !== 'intended') return;
  // A repeated request of a conversion's draft returns the same draft. If not, the lost draft stays unsigned.
  const isConversion = kind !== 'place' && kind !== 'cancel';
  if (isConversion && inFlight.tries + 1 < MOST_DRAFT_ASKS) context.lookLater(inFlight, nowMs);
  else context.giveUp(inFlight, 'draftLost', 'answer_lost', nowMs, reason);
}

function draftRefused(context: Context, inFlight: InFlight, slug: string, reason: string, nowMs: number): void {
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

export function onRead(context: Context, inFlight: InFlight, report: RequestResult): void {
  const { outcome, nowMs } = report;
  if (outcome.kind === 'answered') return observeRecord(context, inFlight, report);
  if (outcome.kind !== 'refused' || outcome.slug !== 'not_found') return context.lookLater(inFlight, nowMs);
  // `not_found` ends the intent only after hours, because the exchange has created this record before.
  if (!inFlight.missingTold) {
    inFlight.missingTold = true;
    const text = `the exchange has no record ${inFlight.intent.orderPubkey ?? inFlight.intent.draftPubkey ?? '?'}`;
    context.reportTrouble('record_missing', inFlight.intent.marketConditionId, text, inFlight.intent.id);
  }
  if (context.isOverdue(inFlight, report, MISSING_S)) context.expire(inFlight, { ...report, source: 'record' });
  else context.lookLater(inFlight, nowMs, 'missing');
}

/** Processes the record in the answer to a submit or read. Answers to draft requests contain no record. */
export function observeRecord(context: Context, inFlight: InFlight | undefined, report: RequestResult): void {
  if (report.outcome.kind !== 'answered') return;
  const look: RecordPoll = { ...report, source: 'record' };
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
      if (inFlight !== undefined) observeSets(context, inFlight, readAnswer(report, 'merges.detail'), look);
      break;
    case 'redeems.submit':
    case 'redeems.detail':
      if (inFlight !== undefined) observeRedeem(context, inFlight, readAnswer(report, 'redeems.detail'), look);
      break;
    default:
      break;
  }
}

function readAnswer<N extends EndpointName>(report: RequestResult, _shape: N): DataOf<N> {
  assert(report.outcome.kind === 'answered', 'only an answered request has data');
  // The cast is safe: the answer's data has the type of the report's call, and a submit returns a record like a read.
  return report.outcome.data as DataOf<N>;
}

function observeSets(context: Context, inFlight: InFlight, row: ConversionRow, look: RecordPoll): void {
  const { kind } = inFlight.intent;
  const amountMicros = must(inFlight.intent.amountMicros, `amount of a ${kind}`);
  const isOurs = row.market_condition_id === inFlight.intent.marketConditionId && row.amount === amountMicros;
  const landed = row.state === 'done' ? row.onchain_amount : null;
  // The record is read again until its amount is possible, or until `ledger adopt` books the impossible amount.
  const isPossible = landed !== null && landed > 0 && landed <= amountMicros;
  inFlight.disputedMicros = isPossible ? null : landed;
  if (!isOurs || (landed !== null && landed !== amountMicros)) differs(context, inFlight, row);
  if (landed !== null && (isPossible || landed === inFlight.adoptedMicros))
    settle(context, inFlight, movedSets(inFlight.intent, amountMicros, landed), look);
  else observeState(context, inFlight, row.state, look);
}

/** Returns the amounts that a merge or split has moved: the requested amount was consumed, `landed` was received. */
function movedSets({ kind, priceMicros }: IntentRow, amount: Micros, landed: Micros): ConversionAmounts {
  if (kind === 'merge') return { yesMicros: amount, noMicros: amount, cashMicros: landed, yesCostMicros: null };
  const came = sub(ZERO, landed);
  const yesCostMicros = mul(must(priceMicros, 'YES price of a split'), amount, 'floor');
  return { yesMicros: came, noMicros: came, cashMicros: sub(ZERO, amount), yesCostMicros };
}

/** Without `funds`, an on-chain amount of 0 counts as payment only after this time, ms: it is also 0 before payment. */
const UNPAID_MS = 600_000;
const UNPAID_READS = 10;

function observeRedeem(context: Context, inFlight: InFlight, row: RedeemRow, look: RecordPoll): void {
  const { marketConditionId, redeemYesMicros, redeemNoMicros } = inFlight.intent;
  // A redeem consumes all shares held at the exchange, so the record's amounts replace the expected ones.
  const yesMicros = row.yes_shares ?? must(redeemYesMicros, 'YES shares of a redeem');
  const noMicros = row.no_shares ?? must(redeemNoMicros, 'NO shares of a redeem');
  // Several reads are needed too, because a step of our clock alone proves no wait.
  const isRead = inFlight.intent.state === 'live' && inFlight.tries >= UNPAID_READS;
  const hasLasted = isRead && look.nowMs - inFlight.liveSinceMs >= UNPAID_MS;
  const paid = paidFunds(hasLasted ? { ...row, funds: row.funds ?? row.onchain_funds } : row);
  const isPossible = paid !== null && isPossiblePayment(paid, yesMicros, noMicros);
  // A payment that stays too small, e.g. because of a fee, is booked. Other wrong payments need `ledger adopt`.
  const isSmall = hasLasted && paid !== null && paid > 0 && paid < Math.min(yesMicros, noMicros);
  inFlight.disputedMicros = isPossible || isSmall ? null : paid;
  const isOther = paid !== null && (yesMicros !== redeemYesMicros || noMicros !== redeemNoMicros || !isPossible);
  if (row.market_condition_id !== marketConditionId || isOther) differs(context, inFlight, row);
  if (paid !== null && (isPossible || isSmall || paid === inFlight.adoptedMicros))
    settle(context, inFlight, { yesMicros, noMicros, cashMicros: paid, yesCostMicros: null }, look);
  else observeState(context, inFlight, row.state, look);
}

function observeState(context: Context, inFlight: InFlight, state: RedeemRow['state'], look: RecordPoll): void {
  const { nowMs } = look;
  const { kind } = inFlight.intent;
  const says = RECORD_STATES[state];
  switch (says) {
    case 'unsigned':
      if (context.isOverdue(inFlight, look)) context.expire(inFlight, look);
      else context.sendAgain(inFlight, look);
      break;
    case 'accepted':
    // A settled record may not show its amount yet. The intent stays live until the amount is known and booked.
    case 'settled':
      if (inFlight.intent.state !== 'live') {
        context.intents.move(inFlight, 'accepted', nowMs, `the exchange shows the ${kind} as ${state}`);
        inFlight.tries = 0;
      }
      context.lookLater(inFlight, nowMs, 'landing');
      break;
    default:
      if (says === 'recordExpired' && !context.confirmExpiry(inFlight, look)) break;
      context.intents.move(inFlight, says, nowMs, `the exchange shows the ${kind} as ${state}`);
      context.reportNotDone(inFlight, state, `the ${kind} did not settle: its state is ${state}`);
  }
}

type ConversionAmounts = Pick<BookedConversion, 'yesMicros' | 'noMicros' | 'cashMicros' | 'yesCostMicros'>;

function settle(context: Context, inFlight: InFlight, moved: ConversionAmounts, look: RecordPoll): void {
  const { id: intentId, kind, marketConditionId } = inFlight.intent;
  assert(kind !== 'place' && kind !== 'cancel', `a ${kind} converts nothing`);
  const booked = context.ledger.bookConversion({
    pubkey: must(inFlight.intent.draftPubkey, 'pubkey of a conversion'),
    intentId,
    kind,
    marketConditionId,
    ...moved,
    seenMs: look.nowMs,
  });
  // If the pubkey is already booked, the exchange used it for two conversions, and this one is not booked.
  if (!booked) differs(context, inFlight, { booked_before: inFlight.intent.draftPubkey });
  context.intents.move(inFlight, 'settled', look.nowMs, `the exchange shows the ${kind} as settled`);
  const amounts = booked ? moved : { yesMicros: ZERO, noMicros: ZERO, cashMicros: ZERO };
  context.emit({ kind: `${kind}Done`, intentId, market: marketConditionId, ...amounts });
}

function differs(context: Context, inFlight: InFlight, row: object): void {
  const { kind, id } = inFlight.intent;
  const what = kind === 'redeem' ? 'payment' : 'amount';
  const why = inFlight.disputedMicros === null ? '' : `, with an impossible ${what} that \`ledger adopt\` books,`;
  context.reportDifference(inFlight, `the ${kind} ${id}${why}`, row);
}

export function sign(
  context: Context,
  signer: IntentSigner,
  inFlight: InFlight,
  nowMs: number,
  objectionTo: PlaceObjection = () => null,
): void {
  // Since the draft was stored, the intent may have been withdrawn, or the order of a cancel may have ended.
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
  if (!answer.ok) {
    if (answer.isWithheld !== true) context.refuseToSign(inFlight, nowMs, answer.reason);
    else context.giveUp(inFlight, 'withdrawn', 'withdrawn', nowMs, `not signed: ${answer.reason}`);
    return;
  }
  const change = { signature: answer.signature, submitCount: 1 };
  context.intents.move(inFlight, 'signed', nowMs, 'the signature is stored and can now be sent', change);
  context.queueRequest(inFlight, 'submit', nowMs);
}

export function onSubmit(context: Context, inFlight: InFlight, report: RequestResult): void {
  const { outcome, nowMs } = report;
  const { kind, state, submitCount } = inFlight.intent;
  const isFirst = state === 'signed' && submitCount === 1;
  switch (outcome.kind) {
    case 'answered':
      observeRecord(context, inFlight, report);
      // The answer still shows the order as resting, so it is unknown whether the cancel takes effect.
      if (inFlight.intent.kind === 'cancel' && inFlight.intent.state === 'signed')
        markUncertain(context, inFlight, nowMs, nowMs + FIRST_LOOK_MS, 'cancel accepted, but the order still rests');
      break;
    case 'refused':
      if (outcome.slug === 'throttled' || outcome.slug === 'gringotts_unavailable') {
        context.sendAgain(inFlight, { nowMs });
      } else {
        // A submit may take effect although its answer is an error, so only the record decides.
        markUncertain(context, inFlight, nowMs, nowMs, `${outcome.slug}: ${outcome.message}`);
      }
      break;
    case 'unknown':
      if (outcome.sent) markUncertain(context, inFlight, nowMs, nowMs + FIRST_LOOK_MS, outcome.reason);
      // The submit expired in the queue or was dropped: the order's price is old, or the conversion is not permitted now.
      else if (isFirst && (kind === 'place' || context.findObjection(inFlight, nowMs) !== null))
        context.giveUp(inFlight, 'neverSent', 'unsent', nowMs, outcome.reason);
      else context.sendAgain(inFlight, { nowMs });
  }
}

/** Records that a submit may have taken effect. The intent's record is read at `dueMs`. */
export function markUncertain(context: Context, inFlight: InFlight, nowMs: number, dueMs: number, why: string): void {
  context.intents.move(inFlight, 'uncertain', nowMs, why);
  inFlight.resend = false;
  inFlight.dueMs = dueMs;
}
