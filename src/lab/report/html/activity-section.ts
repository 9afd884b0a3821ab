/** Requests, refusals and assumptions. */

import type { RequestFigures } from '../analysis/session-figures.js';
import { count, decimal, formatPercent, UNKNOWN } from '../figures.js';
import {
  assumptionList,
  dataTable,
  html,
  type Markup,
  note,
  perSession,
  type Shown,
  section,
  shorten,
} from './parts.js';

export const requestSection = (sessions: readonly Shown[]): Markup =>
  section(
    'requests',
    'Request budget',
    'The venue counts requests in any 60 seconds.',
    perSession(sessions, ({ analysis: { requests: use } }) =>
      use === null ? note('A ledger does not count requests.') : requests(use),
    ),
  );

const BUDGET_HEADS = [
  { title: 'Budget', isText: true },
  { title: 'Requests' },
  { title: 'A minute' },
  { title: 'Limit' },
  { title: 'Used' },
  { title: 'Fullest minute' },
  { title: '429', explains: 'refused: too many requests' },
];

function requests(use: RequestFigures): Markup {
  const row = (name: string, scope: 'public' | 'signed') => {
    const { count: sent, limitPerMinute, peakPerMinute, throttled } = use[scope];
    const rate = use.minutes === 0 ? UNKNOWN : decimal(sent / use.minutes, 1);
    const used = formatPercent(use[`${scope}Share`]);
    const cells = [name, count(sent), rate, count(limitPerMinute), used, count(peakPerMinute), count(throttled)];
    return { cells: cells.map((text) => ({ text })) };
  };
  const scopes = dataTable(BUDGET_HEADS, [row('Public', 'public'), row('Signed', 'signed')], { caption: 'Budget' });
  const endpoints = use.byEndpoint.map(([name, sent]) => [html`<code>${shorten(name, 80)}</code>`, sent] as const);
  return html`${scopes}${endpoints.length === 0 ? null : html`<details><summary>By endpoint</summary>${countTable('Endpoint', 'Requests', endpoints)}</details>`}`;
}

const countTable = (caption: string, title: string, counts: readonly (readonly [name: Markup, times: number])[]) =>
  dataTable(
    [{ title: caption, isText: true }, { title }],
    takeListed(counts).map(([name, times]) => ({ cells: [{ text: name }, { text: count(times) }] })),
    { caption },
  );

/** Long lists are cut; `--json` has the rest. */
const LISTED = 40;
const takeListed = <T>(items: readonly T[]): readonly T[] => items.slice(0, LISTED);
const describeUnlisted = (items: readonly unknown[]): Markup | null =>
  items.length > LISTED ? note(`… and ${count(items.length - LISTED)} more, all in --json.`) : null;

const WHO = { risk: 'risk limit', guard: 'strategy’s guard', exchange: 'exchange' } as const;

export const refusalSection = (sessions: readonly Shown[]): Markup =>
  section(
    'refusals',
    'Refusals',
    'Rejected quotes and orders, and what rejected them.',
    perSession(sessions, ({ analysis: { refusals } }) => {
      if (refusals.length === 0) return note('Nothing was refused.');
      const rows = refusals.map(
        ({ name, by, count: times }) =>
          [html`<code>${shorten(name, 80)}</code> <span class="note">${WHO[by]}</span>`, times] as const,
      );
      return html`${countTable('Refused by', 'Times', rows)}${describeUnlisted(refusals)}`;
    }),
  );

const MAKERS: Readonly<Record<string, string>> = {
  true: 'post only: an order that reaches our price fills nothing',
  false: 'trade: an order that reaches our price fills ours, up to its size',
};

export function sessionAssumptions({ analysis }: Shown): Markup {
  const { assumptions: given, kind, equity } = analysis;
  const isLive = kind === 'live';
  const lines = (texts: readonly string[], length: number): Markup =>
    html`${takeListed(texts).map((line) => html`${shorten(line, length)}<br>`)}${describeUnlisted(texts)}`;
  return assumptionList([
    ['Fill model', given.fillModel ?? (isLive ? 'none: the exchange filled the orders' : 'none')],
    ['Recorded makers', MAKERS[String(given.postsOnly)] ?? 'really traded'],
    ['Latency', given.latency ?? (isLive ? 'none: the real network' : 'none')],
    ['Fees', given.fees ?? (isLive ? 'as they were charged' : 'not known')],
    ['Capital', `${count(equity.capitalMicros / 1_000_000)} of currency, one budget for all markets`],
    ['Version', given.version],
    ['Configuration', html`<code>${given.configHash}</code>`],
    ['Seed', given.seed === null ? 'none' : String(given.seed)],
    ['Data', lines(given.data, 300)],
    ['Remarks', lines(given.remarks, 600)],
  ]);
}
