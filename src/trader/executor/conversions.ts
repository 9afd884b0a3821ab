/** What the record of a merge or redeem means for its intent, and its booking when it is settled. */

import { must } from '../../shared/base/errors.js';
import type { Micros } from '../../shared/base/micros.js';
import type { ConversionRow, RedeemRow } from '../../shared/protocol/records.js';
import type { ExecutorContext, Look } from './context.js';
import type { InFlightIntent } from './in-flight-intents.js';
import { RECORD_STATES } from './lifecycle.js';
import { landingWaitMs } from './pace.js';

export function observeMerge(desk: ExecutorContext, track: InFlightIntent, row: ConversionRow, look: Look): void {
  const amountMicros = must(track.intent.amountMicros, 'amount of a merge');
  const isOurs = row.market_condition_id === track.intent.marketConditionId && row.amount === amountMicros;
  if (!isOurs) differs(desk, track, row);
  if (row.state === 'done' && row.onchain_amount !== null) {
    if (row.onchain_amount !== amountMicros) differs(desk, track, row);
    settle(desk, track, { yes: amountMicros, no: amountMicros, cash: row.onchain_amount }, look);
  } else {
    observeState(desk, track, row.state, look);
  }
}

export function observeRedeem(desk: ExecutorContext, track: InFlightIntent, row: RedeemRow, look: Look): void {
  const { marketConditionId, redeemYesMicros, redeemNoMicros } = track.intent;
  if (row.market_condition_id !== marketConditionId) differs(desk, track, row);
  if ((row.state === 'done' || row.state === 'completed') && row.onchain_funds !== null) {
    // The exchange gives up all shares there are; what the record says goes before what we expected.
    const yes = row.yes_shares ?? must(redeemYesMicros, 'YES shares of a redeem');
    const no = row.no_shares ?? must(redeemNoMicros, 'NO shares of a redeem');
    if (yes !== redeemYesMicros || no !== redeemNoMicros) differs(desk, track, row);
    settle(desk, track, { yes, no, cash: row.onchain_funds }, look);
  } else {
    observeState(desk, track, row.state, look);
  }
}

function observeState(desk: ExecutorContext, track: InFlightIntent, state: RedeemRow['state'], look: Look): void {
  const { nowMs } = look;
  const { kind } = track.intent;
  const says = RECORD_STATES[state];
  switch (says) {
    case 'unsigned':
      desk.sendAgain(track, look);
      break;
    case 'accepted':
    // Settled without its figure: nothing is booked until the record names it.
    case 'settled':
      if (track.intent.state !== 'live') {
        desk.tracks.move(track, 'accepted', nowMs, `the exchange shows it ${state}`);
        track.tries = 0;
      }
      desk.lookLater(track, nowMs, landingWaitMs(track.tries));
      break;
    default:
      if (says === 'recordExpired' && !desk.believesExpiry(track, look)) break;
      desk.tracks.move(track, says, nowMs, `the exchange shows it ${state}`);
      desk.notDone(track, state, `the ${kind} did not settle: it ${state}`);
  }
}

function settle(
  desk: ExecutorContext,
  track: InFlightIntent,
  moved: { yes: Micros; no: Micros; cash: Micros },
  look: Look,
): void {
  const { id: intentId, kind, marketConditionId } = track.intent;
  const conversion = kind === 'merge' ? 'merge' : 'redeem';
  const booked = desk.ledger.bookConversion({
    pubkey: must(track.intent.draftPubkey, 'pubkey of a conversion'),
    intentId,
    kind: conversion,
    marketConditionId,
    yesMicros: moved.yes,
    noMicros: moved.no,
    cashMicros: moved.cash,
    seenMs: look.nowMs,
  });
  // The exchange gave one pubkey to two conversions: its second settlement is nowhere in this ledger.
  if (!booked) differs(desk, track, { booked_before: track.intent.draftPubkey });
  desk.tracks.move(track, 'settled', look.nowMs, 'the exchange shows it settled');
  desk.tell({ kind: `${conversion}Done`, intentId, market: marketConditionId, cashMicros: moved.cash });
}

const differs = (desk: ExecutorContext, track: InFlightIntent, row: object): void =>
  desk.differs(track, `the ${track.intent.kind} ${track.intent.id}`, row);
