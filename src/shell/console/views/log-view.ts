/** The log: events of the ledger and notices of the trader to this console, and orders that controls refused. */

import type { LedgerReader } from '../../../trader/ledger/contract.js';
import type { ViewQuery } from '../../dashboard/contract.js';
import type { TraderState } from '../trader-state.js';
import { findPage } from './texts.js';

/** The newest events, among which filters look: weeks of them. */
const MOST_EVENTS = 5_000;
const RUNS = 200;
/** A notice that is also an event is shown once: their times may differ by this, ms. */
const SAME_MS = 2_000;

export interface Line {
  readonly time: number;
  readonly severity: string;
  readonly kind: string;
  readonly text: string;
}

/** Newest first, without fills. @param ledger null while it cannot be read @param side a severity; empty for all */
export function logView(
  ledger: LedgerReader | null,
  { notices, markets }: TraderState,
  query: Pick<ViewQuery, 'words' | 'page' | 'side'>,
) {
  const kept = ledger === null ? [] : listEvents(ledger, MOST_EVENTS);
  const known = new Map<string, number[]>();
  for (const { kind, text, time } of kept) {
    const key = `${kind} ${text}`;
    known.set(key, [...(known.get(key) ?? []), time]);
  }
  const told: readonly Line[] = notices
    .filter(({ kind, text, time }) => !known.get(`${kind} ${text}`)?.some((at) => Math.abs(at - time) <= SAME_MS))
    .map(({ time, severity, kind, text }) => ({ time, severity, kind, text }));
  const lines = [...told, ...kept].filter(({ kind, severity }) => kind !== 'fill' && severity.startsWith(query.side));
  return {
    lines: findPage(
      lines.sort((a, b) => b.time - a.time),
      query,
    ),
    refusals: groupRefusals([...markets.values()].flatMap(({ refusals }) => refusals)),
  };
}

/** Newest first. */
export const listEvents = (ledger: LedgerReader, limit: number): readonly Line[] =>
  ledger.events(limit).map(({ timeMs: time, severity, kind, text }) => ({ time, severity, kind, text }));

/** By control, the most frequent first, with the newest reason. */
export function groupRefusals(
  refusals: readonly { readonly name: string; readonly count: number; readonly text: string }[],
) {
  const groups = new Map<string, { readonly control: string; readonly count: number; readonly text: string }>();
  for (const { name, count, text } of refusals)
    groups.set(name, { control: name, count: count + (groups.get(name)?.count ?? 0), text });
  return [...groups.values()].sort((a, b) => b.count - a.count);
}

export type LogView = ReturnType<typeof logView>;

export const runsView = (ledger: LedgerReader, { hello, bye }: TraderState) => ({
  runs: ledger.runs(RUNS).map((run) => ({ ...run, isCurrent: run.id === hello?.run && bye === null })),
});
