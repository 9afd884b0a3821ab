/** The running trader as text: a block for a terminal, single lines for a file, and the result at the end. */

import { formatDecimal } from '../base/decimal.js';
import { type Micros, micros } from '../base/micros.js';
import type { Mode } from '../engine/modes.js';
import type { MarketSnapshot, Snapshot } from '../engine/snapshot.js';
import type { BudgetStatus } from '../scheduler/contract.js';

/** Money to two decimals towards zero: a status is read, not booked. */
function money(value: Micros | null): string {
  if (value === null) return '?';
  const cents = micros(Math.trunc(value / 10_000) * 10_000);
  const [whole = '0', fraction = ''] = formatDecimal(cents).split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}

const signed = (value: Micros | null): string => (value !== null && value > 0 ? `+${money(value)}` : money(value));
const price = (value: Micros | null): string => (value === null ? '-' : formatDecimal(value));

export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

const used = ({ limit, perMinute, left }: BudgetStatus): string => `${Math.max(0, perMinute - left)} of ${limit}`;

/** One line for a file or a pipe. */
export function statusLine(snapshot: Snapshot, runningMs: number): string {
  const quoted = snapshot.markets.filter(({ openOrders }) => openOrders > 0).length;
  const parts = [
    `${duration(runningMs)} ${modeText(snapshot)}`,
    `markets ${quoted} of ${snapshot.markets.length} quoted`,
    `orders ${snapshot.openOrders}${snapshot.unknownOrders > 0 ? ` (${snapshot.unknownOrders} unknown)` : ''}`,
    `fills ${snapshot.fills}`,
    `inventory ${inventory(snapshot)}`,
    `cash ${money(snapshot.cashMicros)}`,
    `result ${signed(snapshot.resultMicros)}`,
    `requests/min public ${used(snapshot.budgets.public)}, signed ${used(snapshot.budgets.signed)}`,
  ];
  return parts.join(' | ');
}

const TELL_WHY: readonly Mode[] = ['widened', 'reducing', 'paused', 'halted', 'killed'];

const modeText = ({ mode, reason, silent }: Snapshot): string =>
  `${mode}${TELL_WHY.includes(mode) ? `: ${reason}` : ''}${silent ? ' (exchange silent)' : ''}`;

/** Shares held, YES and NO together over all markets. */
function inventory({ markets }: Snapshot): string {
  const sum = (pick: (market: MarketSnapshot) => Micros) =>
    micros(markets.reduce((total, one) => total + pick(one), 0));
  return `${money(sum((one) => one.yesMicros))} YES ${money(sum((one) => one.noMicros))} NO`;
}

const COLUMNS = ['market', 'bid', 'fair', 'ask', 'YES', 'NO', 'orders', ''] as const;
const TITLE_WIDTH = 42;
const MAX_ROWS = 20;

/** The block that a terminal shows, at most `width` columns wide. */
export function statusBlock(snapshot: Snapshot, runningMs: number, width: number): readonly string[] {
  const orders = `${snapshot.openOrders} (${snapshot.unknownOrders} unknown)`;
  const head = [
    `${modeText(snapshot)}  ${duration(runningMs)}  orders ${orders}  fills ${snapshot.fills}`,
    `cash ${money(snapshot.cashMicros)}  worth ${money(snapshot.equityMicros)}  result ${signed(snapshot.resultMicros)}`,
    `requests in the last minute: public ${used(snapshot.budgets.public)}, signed ${used(snapshot.budgets.signed)}`,
    '',
  ];
  const rows = snapshot.markets.slice(0, MAX_ROWS).map(marketCells);
  const widths = COLUMNS.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (i === 0 || i === 7 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ');
  const hidden = snapshot.markets.length - rows.length;
  const rest = hidden > 0 ? [`… and ${hidden} more markets`] : [];
  return [...head, line(COLUMNS), ...rows.map(line), ...rest].map((text) => text.trimEnd().slice(0, width));
}

function marketCells(market: MarketSnapshot): readonly string[] {
  const title = market.title.length > TITLE_WIDTH ? `${market.title.slice(0, TITLE_WIDTH - 1)}…` : market.title;
  return [
    title,
    price(market.bidMicros),
    market.fairMicros === null ? '-' : (market.fairMicros / 1_000_000).toFixed(3),
    price(market.askMicros),
    money(market.yesMicros),
    money(market.noMicros),
    String(market.openOrders),
    market.openOrders === 0 || market.fairMicros === null ? market.note : '',
  ];
}

/** What a session came to. */
export function resultLines(snapshot: Snapshot, startedWith: Micros | null, runningMs: number): readonly string[] {
  const before = startedWith ?? null;
  const session = before === null || snapshot.equityMicros === null ? null : micros(snapshot.equityMicros - before);
  const rests = snapshot.proven ? 'nothing rests at the exchange (read twice)' : 'NOT proven that nothing rests';
  const held = snapshot.markets.filter(({ yesMicros, noMicros }) => yesMicros > 0 || noMicros > 0);
  return [
    `session     ${duration(runningMs)}, ${snapshot.fills} fills`,
    `orders      ${rests}`,
    `cash        ${money(snapshot.cashMicros)}`,
    `worth       ${money(snapshot.equityMicros)}`,
    `result      ${signed(session)} this session, ${signed(snapshot.resultMicros)} in all`,
    ...held.map((one) => `holds       ${money(one.yesMicros)} YES ${money(one.noMicros)} NO of "${one.title}"`),
  ];
}
