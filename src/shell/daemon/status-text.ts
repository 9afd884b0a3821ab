/** Describes the running trader as text: the status line, and the result when the trader ends. */

import { formatDecimal, type Micros, micros } from '../../shared/base/micros.js';
import { plainLine, utcText } from '../../shared/base/text.js';
import type { AccountStatus, BudgetStatus, MarketStatus } from '../../shared/protocol/trader-status.js';
import type { Mode } from '../../trader/engine/control/modes.js';
import type { TraderSnapshot } from '../../trader/engine/snapshot.js';
import type { LedgerReader } from '../../trader/ledger/contract.js';
import { agreementText } from '../../trader/reconcile/differences.js';
import { duration } from '../runtime/clock.js';

/** Formats money with two decimals, rounded towards zero; `?` for an unknown value. */
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

function feedText({ name, current, ageMs }: TraderSnapshot['feeds'][number]): string {
  const markets = `${current} ${current === 1 ? 'market' : 'markets'}`;
  return `feed ${name} ${ageMs === null ? 'silent' : `${markets}, ${Math.round(ageMs / 1000)} s old`}`;
}

/** Formats the status line. Status lines and lines about fills begin with the UTC time. */
export function statusLine(snapshot: TraderSnapshot, nowMs: number): string {
  const quoted = snapshot.markets.filter(({ orders }) => orders.length > 0).length;
  const parts = [
    `${utcText(nowMs).slice(11)} ${modeText(snapshot)}`,
    `markets ${quoted} of ${snapshot.markets.length} quoted`,
    `orders ${snapshot.openOrders}${snapshot.unknownOrders > 0 ? ` (${snapshot.unknownOrders} unknown)` : ''}`,
    `fills ${snapshot.fills}`,
    `inventory ${inventory(snapshot)}`,
    `cash ${money(snapshot.cashMicros)}`,
    `result ${formatSigned(snapshot.resultMicros)}`,
    ...snapshot.feeds.map(feedText),
    `requests/min public ${formatUse(snapshot.budgets.public)}, signed ${formatUse(snapshot.budgets.signed)}`,
    ...(snapshot.wayBack === '' ? [] : [`to resume: twinbook ${snapshot.wayBack}`]),
  ];
  return parts.join(' | ');
}

const TELL_WHY: readonly Mode[] = ['widened', 'reducing', 'paused', 'halted', 'killed'];

const modeText = ({ mode, reason, silent }: TraderSnapshot): string =>
  `${mode}${TELL_WHY.includes(mode) ? `: ${reason}` : ''}${silent ? ' (exchange silent)' : ''}`;

function inventory({ markets }: TraderSnapshot): string {
  const sum = (pick: (market: MarketStatus) => Micros) => micros(markets.reduce((total, one) => total + pick(one), 0));
  return `${money(sum((one) => one.yesMicros))} YES ${money(sum((one) => one.noMicros))} NO`;
}

export function resultLines(snapshot: TraderSnapshot, startedWith: Micros | null, runningMs: number) {
  const { equityMicros } = snapshot;
  const session = startedWith === null || equityMicros === null ? null : micros(equityMicros - startedWith);
  const rests = snapshot.proven ? 'nothing rests at the exchange (read twice)' : 'some orders may rest (not verified)';
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

/** Interval of status lines, ms; this gives 8640 lines a day. */
const LINE_EVERY_MS = 10_000;
/** Time between the start and the first status line, ms; short, so that the operator soon sees progress. */
const FIRST_LINE_AFTER_MS = 2_000;

export interface Output {
  readonly out: (text: string) => void;
  /** Returns whether too much output of `out` is still unread; lines are then dropped. */
  readonly isUnread: () => boolean;
}

/** Prints lines. Drops lines while earlier output is unread, so that a stopped reader cannot block the trader. */
export class Screen {
  readonly #io: Output;
  #lineMs: number | null = null;
  #dropped = 0;

  constructor(io: Output) {
    this.#io = io;
  }

  /** Prints one line. The venue's text is cleaned, so that it can neither break the line nor control the terminal. */
  say(text: string): void {
    if (this.#io.isUnread()) {
      this.#dropped++;
      return;
    }
    const dropped = this.#dropped === 0 ? [] : [`${this.#dropped} lines were dropped: this output was read too slowly`];
    this.#dropped = 0;
    this.#io.out(`${[...dropped, text].map(plainLine).join('\n')}\n`);
  }

  show(snapshot: TraderSnapshot, runningMs: number, nowMs: number): void {
    const due = this.#lineMs === null ? FIRST_LINE_AFTER_MS : this.#lineMs + LINE_EVERY_MS;
    if (runningMs < due || this.#io.isUnread()) return;
    this.#lineMs = runningMs;
    this.say(statusLine(snapshot, nowMs));
  }
}

/** Age from which a comparison of ledger and exchange is shown with its time, ms. */
const OLD_COMPARISON_MS = 600_000;

/** Describes the newest complete comparison of ledger and exchange. */
export function describeAgreement({ reconciled, accepted }: Compared, nowMs: number): string {
  if (reconciled === null) return 'ledger and exchange are not compared yet';
  const text = agreementText(reconciled.differences.length, accepted);
  if (nowMs - reconciled.comparedMs < OLD_COMPARISON_MS) return text;
  return `${text} (compared at ${utcText(reconciled.comparedMs)} UTC)`;
}

type Compared = Pick<AccountStatus, 'reconciled' | 'accepted'>;

/** Explains why an order or intent may be missing in the ledger; empty if the ledger was never pruned. */
export function prunedText(ledger: Pick<LedgerReader, 'prunedBefore'>): string {
  const beforeMs = ledger.prunedBefore();
  return beforeMs === null ? '' : `; orders without fills were pruned before ${utcText(beforeMs)} UTC`;
}
