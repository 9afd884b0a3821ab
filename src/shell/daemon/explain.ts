/** Lines for a person: why an order is in its state, or why a market is not quoted. */

import { formatDecimal } from '../../shared/base/micros.js';
import { utcText } from '../../shared/base/text.js';
import type { MarketStatus } from '../../shared/protocol/trader-status.js';
import type { Snapshot } from '../../trader/engine/snapshot.js';
import type { BookedFill, IntentRow, LedgerReader } from '../../trader/ledger/contract.js';

/** Takes the pubkey of an order or fill, or an intent id; null when the ledger has none. */
export function explainTrading(ledger: LedgerReader, subject: string): readonly string[] | null {
  const fill = ledger.fill(subject);
  if (fill === null) return explainOrder(ledger, subject);
  const order = explainOrder(ledger, fill.orderPubkey) ?? [`its order ${fill.orderPubkey} is not in the ledger`];
  return [...fillLines(fill, ledger), '', ...order];
}

/** Text about an order or intent that the ledger lacks; empty if none was ever pruned. */
export function prunedText(ledger: Pick<LedgerReader, 'prunedBefore'>): string {
  const beforeMs = ledger.prunedBefore();
  return beforeMs === null ? '' : `; orders without fills were pruned before ${utcText(beforeMs)} UTC`;
}

function fillLines(fill: BookedFill, ledger: LedgerReader): readonly string[] {
  const { feeMicros, isMaker, isYes, marketConditionId, orderPubkey, priceMicros, pubkey, seenMs, side } = fill;
  const [timeMs, order, title] = [
    fill.timestampS * 1000,
    ledger.order(orderPubkey),
    ledger.market(marketConditionId)?.title ?? '',
  ];
  const what = `${side} ${formatDecimal(fill.amountMicros)} ${isYes ? 'YES' : 'NO'} at ${formatDecimal(priceMicros)}`;
  const role = isMaker === null ? '' : isMaker ? ', as maker' : ', as taker';
  const fee = feeMicros === null ? 'fee not told' : `fee ${formatDecimal(feeMicros)}`;
  const rested = order === null || isMaker === false ? [] : [`rested ${seconds(timeMs - order.createdMs)} before it`];
  return [
    `fill ${pubkey}: ${what}${role}, ${fee}`,
    `market ${marketConditionId}${title === '' ? '' : `, "${title}"`}`,
    `at ${new Date(timeMs).toISOString()} by the exchange, which names the second; seen ${seconds(seenMs - timeMs)} later`,
    ...rested,
  ];
}

/** The difference of the two clocks may exceed the time between two events. */
const seconds = (ms: number): string => `${(Math.max(0, ms) / 1000).toFixed(1)} s`;

/** Takes an order's pubkey or an intent id; null when the ledger has neither. */
function explainOrder(ledger: LedgerReader, subject: string): readonly string[] | null {
  const order = ledger.order(subject);
  const intent = ledger.intent(order?.intentId ?? subject);
  if (intent === null) return null;
  const state = `state: ${intent.state}${intent.lastReason === '' ? '' : ` (${intent.lastReason})`}`;
  const filled =
    order === null ? [] : [`order ${order.pubkey}: ${order.status}, ${formatDecimal(order.filledMicros)} filled`];
  const by = intent.strategy === '' ? 'the engine' : intent.strategy;
  return [
    intentText(intent),
    state,
    ...filled,
    `strategy: ${by}, configuration ${intent.configHash.slice(0, 12)}`,
    ...reasonLines(intent.reason),
  ];
}

function intentText(intent: IntentRow): string {
  const outcome = intent.isYes === null ? '' : intent.isYes ? ' YES' : ' NO';
  const price = intent.priceMicros === null ? '' : ` at ${formatDecimal(intent.priceMicros)}`;
  const amount = intent.amountMicros === null ? '' : ` ${formatDecimal(intent.amountMicros)}`;
  const side = intent.side === null ? '' : ` ${intent.side}`;
  return `${intent.id}: ${intent.kind}${side}${amount}${outcome}${price} in market ${intent.marketConditionId}`;
}

/** The reason is our own JSON: one line per field. */
function reasonLines(reason: string): readonly string[] {
  const parsed: unknown = JSON.parse(reason);
  if (typeof parsed !== 'object' || parsed === null) return [];
  return Object.entries(parsed).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([inner, figure]) => `  ${inner}: ${String(figure)}`)
      : [`${name.replaceAll('_', ' ')}: ${String(value)}`],
  );
}

/** `feed model: 0.62 (sd 0.1), 3.2 s old`. */
function feedText({ name, view, withheld }: MarketStatus['feeds'][number]): string {
  if (view === null) return `feed ${name}: ${withheld}`;
  const { p, bid, ask, sd, ageMs } = view;
  const price = p === null ? `${bid} to ${ask}` : String(p);
  const age = `${(ageMs / 1000).toFixed(1)} s old`;
  const told = withheld === null ? '' : `; not told to the strategy: ${withheld}`;
  return `feed ${name}: ${price}${sd === null ? '' : ` (sd ${sd})`}, ${age}${told}`;
}

/** Terms of the value of quoting it, currency per hour. */
function worthLines({ leftOutBecause, worth }: MarketStatus): readonly string[] {
  const chosen = leftOutBecause === null ? [] : [`looked at, not quoted: ${leftOutBecause}`];
  if (worth === null) return [...chosen, 'worth of quoting it: not known yet'];
  const { value, prices, place, belief } = worth;
  const hourly = (perS: number): string => (perS * 3600).toFixed(4);
  const every =
    value.lookEveryS < 60 ? `${value.lookEveryS.toFixed(0)} s` : `${(value.lookEveryS / 60).toFixed(0)} min`;
  return [
    ...chosen,
    `worth of quoting it: ${hourly(value.net)} an hour, place ${place}`,
    `  fills, after adverse moves and fees: ${hourly(value.edge)} (${(value.fillsPerS * 3600).toFixed(1)} an hour)`,
    `  stale quotes: -${hourly(value.stale)}, with a look every ${every}`,
    `  looks: -${hourly(value.looks)}, at ${prices.look.toPrecision(3)} each`,
    `  moves: -${hourly(value.moves)} (${(value.movesPerS * 3600).toFixed(1)} an hour), at ${prices.request.toPrecision(3)} a signed request`,
    `  placing anew after fills: -${hourly(value.fills)}`,
    `  reserve for its cancels: -${hourly(value.reserve)}`,
    `  currency: -${hourly(value.currency)}, for ${value.currencyBound.toFixed(2)} bound`,
    `  believed: ${belief.fillRatio.toFixed(2)} fills for each expected, ${belief.adversePart.toFixed(2)} of the distance lost after one`,
  ];
}

function marksLines({ markMove }: MarketStatus, { marks }: Snapshot): readonly string[] {
  if (marks === null) return [];
  const { isBelieved, told, precision, recall } = marks;
  const learned = `of ${told.toFixed(0)} moves told ${precision.toFixed(2)} were there, of moves ${recall.toFixed(2)} were told`;
  if (!isBelieved) return [`the venue's marks are not believed: ${learned}`];
  const move = markMove === 0 ? 'of no move since that book' : `of a move of ${markMove.toFixed(4)} since that book`;
  return [`the venue's mark tells ${move}; ${learned}`];
}

export function explainMarket(market: MarketStatus, snapshot: Snapshot, nowMs: number): readonly string[] {
  const price = (value: MarketStatus['bidMicros']) => (value === null ? 'none' : formatDecimal(value));
  const refusals = market.refusals.map(({ name, count, text }) => `refused ${count} times by ${name}, last: ${text}`);
  return [
    `"${market.title}" (${market.conditionId})`,
    `trader: ${snapshot.mode}${snapshot.reason === '' ? '' : `, ${snapshot.reason}`}`,
    ...(snapshot.reduceOnly === null ? [] : [`reduce only: ${snapshot.reduceOnly}`]),
    `strategy ${market.strategies.join(', ') || 'none'} says: ${market.note}`,
    `fair ${price(market.fairMicros)}, our bid ${price(market.bidMicros)}, our ask ${price(market.askMicros)}, ${market.orders.length} orders`,
    `holds ${formatDecimal(market.yesMicros)} YES and ${formatDecimal(market.noMicros)} NO`,
    `book seen ${market.bookSentMs === null ? 'never' : `${Math.round(nowMs - market.bookSentMs)} ms ago`}`,
    ...marksLines(market, snapshot),
    ...market.feeds.map(feedText),
    ...worthLines(market),
    ...(market.exchangeRefusal === null ? [] : [market.exchangeRefusal]),
    ...(refusals.length === 0 ? ['no order of it was refused by a guard'] : refusals),
  ];
}
