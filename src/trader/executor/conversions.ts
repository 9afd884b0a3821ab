/** Effect of a merge, split or redeem record on its intent, and its booking when settled. */

import { assert, must } from '../../shared/base/errors.js';
import { type Micros, mul, sub, ZERO } from '../../shared/base/micros.js';
import type { ConversionRow, RedeemRow } from '../../shared/protocol/records.js';
import type { IntentRow } from '../ledger/contract.js';
import type { ExecutorContext, Look } from './context.js';
import type { InFlightIntent } from './in-flight-intents.js';
import { RECORD_STATES } from './lifecycle.js';
import { landingWaitMs } from './pace.js';

/** Of a merge or split. */
export function observeSets(context: ExecutorContext, inFlight: InFlightIntent, row: ConversionRow, look: Look): void {
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

/** Gives up the requested amount and receives the landed one. */
function movedSets({ kind, priceMicros }: IntentRow, amount: Micros, landed: Micros): Moved {
  if (kind === 'merge') return { yes: amount, no: amount, cash: landed, yesCost: null };
  const came = sub(ZERO, landed);
  const yesCost = mul(must(priceMicros, 'YES price of a split'), amount, 'floor');
  return { yes: came, no: came, cash: sub(ZERO, amount), yesCost };
}

export function observeRedeem(context: ExecutorContext, inFlight: InFlightIntent, row: RedeemRow, look: Look): void {
  const { marketConditionId, redeemYesMicros, redeemNoMicros } = inFlight.intent;
  if (row.market_condition_id !== marketConditionId) differs(context, inFlight, row);
  if ((row.state === 'done' || row.state === 'completed') && row.onchain_funds !== null) {
    // A redeem gives up all shares; the record's figures replace the expected ones.
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
    // Settled without its amount: booked once the record has it.
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

/** Shares given up and currency received; negative in the other direction. */
interface Moved {
  readonly yes: Micros;
  readonly no: Micros;
  readonly cash: Micros;
  /** Part of a split's currency that its YES shares cost. */
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
  // The exchange gave one pubkey to two conversions: the second settlement is missing in this ledger.
  if (!booked) differs(context, inFlight, { booked_before: inFlight.intent.draftPubkey });
  context.intents.move(inFlight, 'settled', look.nowMs, 'the exchange shows it settled');
  context.emit({ kind: `${kind}Done`, intentId, market: marketConditionId, cashMicros: moved.cash });
}

const differs = (context: ExecutorContext, inFlight: InFlightIntent, row: object): void =>
  context.reportDifference(inFlight, `the ${inFlight.intent.kind} ${inFlight.intent.id}`, row);
