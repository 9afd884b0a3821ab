/** Orders, requests and refusals: the trader's activity within its time and budget. */

import type { Analysis } from '../analysis/analyse.js';
import type { RequestFigures } from '../analysis/session-figures.js';
import {
  count,
  decimal,
  formatDuration,
  formatPercent,
  formatShares,
  ratio,
  signedCents,
  UNKNOWN,
} from '../figures.js';
import {
  assumptionList,
  bar,
  barCell,
  dataTable,
  type Fact,
  facts,
  html,
  type Markup,
  note,
  perSession,
  type Shown,
  SPACE,
  section,
  shorten,
} from './parts.js';

export const ordersSection = (sessions: readonly Shown[]): Markup =>
  section(
    'orders',
    'Orders and quotes',
    '',
    perSession(sessions, ({ analysis }) => html`${uptime(analysis)}${SPACE}${facts(orderFacts(analysis))}`),
  );

function orderFacts({ trading }: Analysis): readonly Fact[] {
  const { queue, rested, noticed } = trading;
  const ofQueue = queue.aheadShare === null ? '' : `(${formatPercent(queue.aheadShare)} of the queue)`;
  return [
    ['Orders placed / canceled', `${count(trading.ordersPlaced)} / ${count(trading.ordersCanceled)}`],
    ['Orders with a fill', count(trading.ordersFilled)],
    ['Shares posted', formatShares(trading.postedMicros)],
    [
      'Shares filled while resting',
      formatShares(trading.restingFilledMicros),
      `(${formatPercent(trading.fillRatioShare)})`,
    ],
    ['Shares bought / sold, as YES', `${formatShares(trading.boughtMicros)} / ${formatShares(trading.soldMicros)}`],
    ['Fills as maker / as taker', `${count(trading.makerFills)} / ${count(trading.takerFills)}`],
    ['Shares ahead when joining, mean', formatShares(queue.meanAheadMicros), ofQueue],
    ['Shares ahead, of orders with a fill', formatShares(queue.filledMeanAheadMicros)],
    ['Rested before a fill', spread(rested), '(median, 90 %)'],
    ['A fill was noticed after', spread(noticed), '(median, 90 %)'],
    ['Fills never noticed', count(trading.neverNoticed)],
  ];
}

const spread = ({ median, p90 }: { readonly median: number | null; readonly p90: number | null }): string =>
  median === null ? UNKNOWN : `${formatDuration(median)}, ${formatDuration(p90)}`;

function uptime({ quoting: { twoSidedShare, oneSidedShare, openForMs } }: Analysis): Markup {
  if (twoSidedShare === null || oneSidedShare === null)
    return note(openForMs === 0 ? 'No market was open while the trader ran.' : 'The duration of quotes is unknown.');
  const row = (name: string, part: number, kind: string): BarRow => ({ name, figure: formatPercent(part), part, kind });
  return barTable('Quote uptime, of the time that markets were open', 'Of the time', [
    row('Bid and ask stood', twoSidedShare, 'two'),
    row('One of them', oneSidedShare, 'one'),
    row('Neither', 1 - twoSidedShare - oneSidedShare, ''),
  ]);
}

interface BarRow {
  readonly name: string | Markup;
  readonly figure: string;
  readonly part: number;
  readonly kind?: string;
  /** A mark on the bar, for example a peak. */
  readonly mark?: number;
}

function barTable(caption: string, title: string, rows: readonly BarRow[]): Markup {
  const lines = rows.map(({ name, figure, part, kind = '', mark }) => ({
    cells: [
      { text: name },
      { text: figure },
      barCell(
        bar(0, 1, 'rest'),
        part > 0 ? bar(0, part, kind) : null,
        mark === undefined
          ? null
          : html`<i class="zero" style="left:${(Math.min(1, mark) * 100).toFixed(2)}%;top:-3px;bottom:-3px;width:2px;background:var(--ink)"></i>`,
      ),
    ],
  }));
  return dataTable([{ title: caption, isText: true }, { title }, { title: 'As a bar', isText: true }], lines, {
    caption,
  });
}

export const requestSection = (sessions: readonly Shown[]): Markup =>
  section(
    'requests',
    'Request budget',
    'The venue counts requests in any 60 seconds. The mark on a bar is the fullest minute.',
    perSession(sessions, ({ analysis: { requests: use } }) =>
      use === null ? note('A ledger does not count requests.') : requests(use),
    ),
  );

function requests(use: RequestFigures): Markup {
  const row = (name: string, scope: 'public' | 'signed'): BarRow => {
    const { count: sent, limitPerMinute, peakPerMinute } = use[scope];
    const rate = use.minutes === 0 ? UNKNOWN : decimal(sent / use.minutes, 1);
    const part = use[`${scope}Share`];
    return {
      name: `${name}: ${rate} a minute of ${count(limitPerMinute)}, fullest minute ${count(peakPerMinute)}`,
      figure: formatPercent(part),
      part: part ?? 0,
      kind: (part ?? 0) > 0.9 ? 'one' : 'two',
      mark: use[`${scope}PeakShare`] ?? 0,
    };
  };
  const scopes = barTable('Budget', 'Used', [row('Public', 'public'), row('Signed', 'signed')]);
  const endpoints = countedRows(use.byEndpoint.map(([name, sent]) => [html`<code>${shorten(name, 80)}</code>`, sent]));
  const spent = facts([
    ['Requests a fill', ratio(use.perFill)],
    ['Value a request, cents', signedCents(use.valueMicros)],
    ['Never left in time', count(use.unsent)],
    ['Answered with 429', count(use.public.throttled + use.signed.throttled)],
  ]);
  return html`${scopes}${SPACE}${spent}${endpoints.length === 0 ? null : html`<details><summary>By endpoint</summary>${barTable('Endpoint', 'Requests', endpoints)}</details>`}`;
}

/** Each relative to the largest. */
function countedRows(counts: readonly (readonly [name: Markup, times: number])[]): readonly BarRow[] {
  const most = Math.max(1, ...counts.map(([, times]) => times));
  return takeListed(counts).map(([name, times]) => ({ name, figure: count(times), part: times / most }));
}

/** Long lists are cut; `--json` has the rest. */
const LISTED = 40;
const takeListed = <T>(items: readonly T[]): readonly T[] => items.slice(0, LISTED);
const describeUnlisted = (items: readonly unknown[]): Markup | null =>
  items.length > LISTED ? note(`… and ${count(items.length - LISTED)} more, all in --json.`) : null;

const WHO = { risk: 'risk limit', guard: 'strategy’s guard', exchange: 'exchange' } as const;

/** Reasons that differ in their figures alone are one row, the most frequent first. */
function groupRefusals(refusals: Analysis['refusals']): Analysis['refusals'] {
  const groups = new Map<string, Analysis['refusals'][number]>();
  for (const refusal of refusals) {
    const name = refusal.name.replace(/\d+(?:\.\d+)?/g, '…');
    const before = groups.get(`${refusal.by} ${name}`);
    groups.set(`${refusal.by} ${name}`, { ...refusal, name, count: refusal.count + (before?.count ?? 0) });
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}

export const refusalSection = (sessions: readonly Shown[]): Markup =>
  section(
    'refusals',
    'Refusals',
    'Quotes and orders that were not let through, and by whom.',
    perSession(sessions, ({ analysis: { refusals } }) => {
      if (refusals.length === 0) return note('Nothing was refused.');
      const grouped = groupRefusals(refusals);
      const rows = countedRows(
        grouped.map(({ name, by, count: times }) => [
          html`<code>${shorten(name, 80)}</code> <span class="note">${WHO[by]}</span>`,
          times,
        ]),
      );
      return html`${barTable('Refused by', 'Times', rows)}${describeUnlisted(grouped)}`;
    }),
  );

const MAKERS: Readonly<Record<string, string>> = {
  true: 'post only: an order that reaches our price fills nothing',
  false: 'trade: an order that reaches our price fills ours, up to its size',
};

export function sessionAssumptions({ analysis }: Shown): Markup {
  const { assumptions: given, coverage, kind, equity } = analysis;
  const isLive = kind === 'live';
  const covered =
    coverage.coveredShare === null
      ? 'not known'
      : `${formatPercent(coverage.coveredShare, 3)} of ${formatDuration(coverage.spanMs)} of market time, ${count(coverage.gaps)} gaps`;
  const lines = (texts: readonly string[], length: number): Markup =>
    html`${takeListed(texts).map((line) => html`${shorten(line, length)}<br>`)}${describeUnlisted(texts)}`;
  return assumptionList([
    ['Fill model', given.fillModel ?? (isLive ? 'none: the exchange filled the orders' : 'none')],
    ['Recorded makers', MAKERS[String(given.postsOnly)] ?? 'really traded'],
    ['Latency', given.latency ?? (isLive ? 'none: the real network' : 'none')],
    ['Fees', given.fees ?? (isLive ? 'as they were charged' : 'not known')],
    ['Capital', `${count(equity.capitalMicros / 1_000_000)} of currency, one budget for all markets`],
    ['Recorded', covered],
    [
      'Recorded events',
      `${count(coverage.events)}, of them ${count(coverage.trades)} trades; ${count(coverage.skipped)} left out`,
    ],
    [
      'Markets',
      `${count(coverage.markets)}; quoted ${count(coverage.marketsQuoted)}, traded ${count(coverage.marketsTraded)}, without outcome ${count(coverage.marketsWithoutOutcome)}`,
    ],
    ['Version', given.version],
    ['Configuration', html`<code>${given.configHash}</code>`],
    ['Seed', given.seed === null ? 'none' : String(given.seed)],
    ['Data', lines(given.data, 300)],
    ['Remarks', lines(given.remarks, 600)],
  ]);
}
