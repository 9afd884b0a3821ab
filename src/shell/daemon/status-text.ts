/** The running trader as text: its status, the result at the end, and why a market is in its state. */

import { formatDecimal, type Micros, micros } from '../../shared/base/micros.js';
import { plainLine, utcText } from '../../shared/base/text.js';
import type { BudgetStatus, MarketStatus } from '../../shared/protocol/trader-status.js';
import type { Mode } from '../../trader/engine/control/modes.js';
import type { Snapshot } from '../../trader/engine/snapshot.js';
import type { LedgerReader } from '../../trader/ledger/contract.js';
import { duration } from '../runtime/clock.js';

/** Money to two decimals towards zero: a status is read, not booked. */
export function money(value: number | null): string {
  if (value === null) return '?';
  const cents = micros(Math.trunc(value / 10_000) * 10_000);
  const [whole = '0', fraction = ''] = formatDecimal(cents).split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}

export const formatSigned = (value: number | null): string =>
  value !== null && value > 0 ? `+${money(value)}` : money(value);

const formatUse = ({ limit, perMinute, available: left }: BudgetStatus): string =>
  `${Math.max(0, perMinute - left)} of ${limit}`;

function spentText({ spent }: Snapshot): readonly string[] {
  const used = spent.filter(({ lastMinute }) => lastMinute > 0);
  return used.length === 0
    ? []
    : [`for ${used.map(({ purpose, lastMinute }) => `${purpose} ${lastMinute}`).join(', ')}`];
}

function feedText({ name, current, ageMs }: Snapshot['feeds'][number]): string {
  const markets = `${current} ${current === 1 ? 'market' : 'markets'}`;
  return `feed ${name} ${ageMs === null ? 'silent' : `${markets}, ${Math.round(ageMs / 1000)} s old`}`;
}

export function statusLine(snapshot: Snapshot, runningMs: number): string {
  const quoted = snapshot.markets.filter(({ orders }) => orders.length > 0).length;
  const parts = [
    `${duration(runningMs)} ${modeText(snapshot)}`,
    `markets ${quoted} of ${snapshot.markets.length} quoted`,
    `orders ${snapshot.openOrders}${snapshot.unknownOrders > 0 ? ` (${snapshot.unknownOrders} unknown)` : ''}`,
    `fills ${snapshot.fills}`,
    `inventory ${inventory(snapshot)}`,
    `cash ${money(snapshot.cashMicros)}`,
    `result ${formatSigned(snapshot.resultMicros)}`,
    ...snapshot.feeds.map(feedText),
    `requests/min public ${formatUse(snapshot.budgets.public)}, signed ${formatUse(snapshot.budgets.signed)}`,
    ...spentText(snapshot),
    ...(snapshot.wayBack === '' ? [] : [`back up with: twinbook ${snapshot.wayBack}`]),
  ];
  return parts.join(' | ');
}

const TELL_WHY: readonly Mode[] = ['widened', 'reducing', 'paused', 'halted', 'killed'];

const modeText = ({ mode, reason, silent }: Snapshot): string =>
  `${mode}${TELL_WHY.includes(mode) ? `: ${reason}` : ''}${silent ? ' (exchange silent)' : ''}`;

/** Shares held, YES and NO together over all markets. */
function inventory({ markets }: Snapshot): string {
  const sum = (pick: (market: MarketStatus) => Micros) => micros(markets.reduce((total, one) => total + pick(one), 0));
  return `${money(sum((one) => one.yesMicros))} YES ${money(sum((one) => one.noMicros))} NO`;
}

export function resultLines(snapshot: Snapshot, startedWith: Micros | null, runningMs: number): readonly string[] {
  const { equityMicros } = snapshot;
  const session = startedWith === null || equityMicros === null ? null : micros(equityMicros - startedWith);
  const rests = snapshot.proven ? 'nothing rests at the exchange (read twice)' : 'NOT proven that nothing rests';
  const held = snapshot.markets.filter(({ yesMicros, noMicros }) => yesMicros > 0 || noMicros > 0);
  return [
    `session     ${duration(runningMs)}, ${snapshot.fills} fills`,
    `orders      ${rests}`,
    `cash        ${money(snapshot.cashMicros)}`,
    `worth       ${money(snapshot.equityMicros)}`,
    `result      ${formatSigned(session)} this session, ${formatSigned(snapshot.resultMicros)} in all`,
    ...held.map((one) => `holds       ${money(one.yesMicros)} YES ${money(one.noMicros)} NO of "${one.title}"`),
  ];
}

/** Interval of status lines, ms: a day is a few thousand lines. */
const LINE_EVERY_MS = 10_000;
/** The first line comes sooner, so that a person sees progress. */
const FIRST_LINE_AFTER_MS = 2_000;

export interface Output {
  readonly out: (text: string) => void;
  /** Whether so much of `out` is unread that the program pauses its output. */
  readonly isUnread: () => boolean;
}

/** Drops lines while earlier output is unread, so that no reader can stop the trader. */
export class Screen {
  readonly #io: Output;
  #lineMs: number | null = null;
  /** Lines dropped since the last one shown. */
  #dropped = 0;

  constructor(io: Output) {
    this.#io = io;
  }

  /** A fill, a warning. Text of the venue can neither break the line nor control the terminal. */
  say(text: string): void {
    if (this.#io.isUnread()) {
      this.#dropped++;
      return;
    }
    const dropped = this.#dropped === 0 ? [] : [`${this.#dropped} lines were not shown: this output was not read`];
    this.#dropped = 0;
    this.#io.out(`${[...dropped, text].map(plainLine).join('\n')}\n`);
  }

  show(snapshot: Snapshot, runningMs: number): void {
    const due = this.#lineMs === null ? FIRST_LINE_AFTER_MS : this.#lineMs + LINE_EVERY_MS;
    if (runningMs < due || this.#io.isUnread()) return;
    this.#lineMs = runningMs;
    this.say(statusLine(snapshot, runningMs));
  }
}

/** Text about an order or intent that the ledger lacks; empty if none was ever pruned. */
export function prunedText(ledger: Pick<LedgerReader, 'prunedBefore'>): string {
  const beforeMs = ledger.prunedBefore();
  return beforeMs === null ? '' : `; orders without fills were pruned before ${utcText(beforeMs)} UTC`;
}

function explainFeed({ name, view, withheld }: MarketStatus['feeds'][number]): string {
  if (view === null) return `feed ${name}: ${withheld}`;
  const { p, bid, ask, sd, ageMs } = view;
  const price = p === null ? `${bid} to ${ask}` : String(p);
  const age = `${(ageMs / 1000).toFixed(1)} s old`;
  const told = withheld === null ? '' : `; not shown to the strategy: ${withheld}`;
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
    `  placing again after fills: -${hourly(value.fills)}`,
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
    ...market.feeds.map(explainFeed),
    ...worthLines(market),
    ...(market.exchangeRefusal === null ? [] : [market.exchangeRefusal]),
    ...(refusals.length === 0 ? ['no order of it was refused by a guard'] : refusals),
  ];
}
