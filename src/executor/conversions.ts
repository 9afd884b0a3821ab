/** What the record of a merge or redeem means for its intent, and its booking when it is settled. */

import { must } from '../base/errors.js';
import type { Micros } from '../base/micros.js';
import type { ConversionRow, RedeemRow } from '../protocol/records.js';
import type { Desk, Look } from './desk.js';
import { landingWaitMs } from './pace.js';
import type { Track } from './tracks.js';

export function observeMerge(desk: Desk, track: Track, row: ConversionRow, look: Look): void {
  const amountMicros = must(track.intent.amountMicros, 'amount of a merge');
  if (row.market_condition_id !== track.intent.marketConditionId || row.amount !== amountMicros) {
    tellDifference(desk, track, row);
  }
  if (row.state === 'done' && row.onchain_amount !== null) {
    if (row.onchain_amount !== amountMicros) tellDifference(desk, track, row);
    settle(desk, track, { yes: amountMicros, no: amountMicros, cash: row.onchain_amount }, look);
  } else {
    observeState(desk, track, row.state, look);
  }
}

export function observeRedeem(desk: Desk, track: Track, row: RedeemRow, look: Look): void {
  const { marketConditionId, redeemYesMicros, redeemNoMicros } = track.intent;
  if (row.market_condition_id !== marketConditionId) tellDifference(desk, track, row);
  if ((row.state === 'done' || row.state === 'completed') && row.onchain_funds !== null) {
    // The exchange gives up all shares there are; what the record says goes before what we expected.
    const yes = row.yes_shares ?? must(redeemYesMicros, 'YES shares of a redeem');
    const no = row.no_shares ?? must(redeemNoMicros, 'NO shares of a redeem');
    if (yes !== redeemYesMicros || no !== redeemNoMicros) tellDifference(desk, track, row);
    settle(desk, track, { yes, no, cash: row.onchain_funds }, look);
  } else {
    observeState(desk, track, row.state, look);
  }
}

function observeState(desk: Desk, track: Track, state: RedeemRow['state'], look: Look): void {
  const { nowMs } = look;
  switch (state) {
    case 'waiting_to_sign':
      desk.sendAgain(track, look);
      break;
    case 'created':
    case 'in_process':
    // Settled without its figure: nothing is booked until the record names it.
    case 'done':
    case 'completed':
      if (track.intent.state !== 'live') {
        desk.tracks.move(track, 'accepted', nowMs, `the exchange shows it ${state}`);
        track.tries = 0;
      }
      desk.lookLater(track, nowMs, landingWaitMs(track.tries));
      break;
    case 'failed':
      desk.tracks.move(track, 'recordFailed', nowMs, 'the exchange shows it failed');
      desk.notDone(track, 'failed', `the ${track.intent.kind} did not settle`);
      break;
    case 'expired':
      if (!desk.believesExpiry(track, look)) break;
      desk.tracks.move(track, 'recordExpired', nowMs, 'the exchange shows it expired');
      desk.notDone(track, 'expired', `the draft of the ${track.intent.kind} expired`);
  }
}

function settle(desk: Desk, track: Track, moved: { yes: Micros; no: Micros; cash: Micros }, look: Look): void {
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
  if (!booked) tellDifference(desk, track, { booked_before: track.intent.draftPubkey });
  desk.tracks.move(track, 'settled', look.nowMs, 'the exchange shows it settled');
  desk.tell({ kind: `${conversion}Done`, intentId, market: marketConditionId, cashMicros: moved.cash });
}

function tellDifference(desk: Desk, track: Track, row: object): void {
  if (track.differsTold) return;
  track.differsTold = true;
  const text = `the ${track.intent.kind} ${track.intent.id} is not what was asked for: ${JSON.stringify(row)}`;
  desk.trouble('record_differs', track.intent.marketConditionId, text);
}
