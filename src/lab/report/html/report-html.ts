/** Builds the HTML page of a report. Only the charts of the page need a script. */

import { assert } from '../../../shared/base/errors.js';
import { utcText } from '../../../shared/base/text.js';
import { outcomeText } from '../../../shared/protocol/outcome.js';
import { chartLicence } from '../../../shell/web-kit/page-script.js';
import type { Bracket } from '../../session/contract.js';
import { type Analysis, bracketVerdict, repeatedModels, sharedWarnings } from '../analysis/analyse.js';
import { type MarketAnalysis, shownInterval } from '../analysis/markets.js';
import { nameModel } from '../analysis/session-figures.js';
import { type ResultSplit, sum, sumSplits, type ValuationBasis } from '../analysis/split.js';
import { findMarkout, type Markout, type MarkoutSide } from '../analysis/trading.js';
import {
  cents,
  count,
  decimal,
  exactGain,
  formatDuration,
  formatGain,
  formatInterval,
  formatMoney,
  formatPercent,
  formatQuantity,
  formatShares,
  signedCents,
  UNKNOWN,
} from '../figures.js';
import { LINES, PAGE_LINES, REPEAT_LINES, type SummaryLine } from '../summary.js';
import { drawingData, equitySection, priceSection } from './charts.js';
import { pageDocument } from './document.js';
import {
  assumptionList,
  assumptionSection,
  type Cell,
  columnTable,
  dataTable,
  type HtmlColumn,
  type HtmlRow,
  html,
  Markup,
  note,
  pageHeading,
  resultTone,
  type ShownText,
  section,
  shorten,
  tone,
} from './parts.js';

/** Builds the content of each session. The page shows one session at a time. */
const perSession = (sessions: readonly ShownText[], content: (session: ShownText) => Markup) =>
  sessions.map((of) => html`<div class="of of-${of.index}"><h3 class="model">${of.name}</h3>${content(of)}</div>`);

/**
 * Builds the page of at least one session, where `analyses[i]` is `analyse(bracket.sessions[i])`. The page is smaller
 * than 5 MB for sessions of any size. Equal sessions give equal pages, to the byte.
 */
export function reportHtml(bracket: Bracket, analyses: readonly Analysis[]): string {
  const sessions = analyses.map((analysis, index) => ({ index, name: shorten(nameModel(analysis), 60), analysis }));
  const first = analyses[0];
  assert(first !== undefined && analyses.length === bracket.sessions.length, 'a report must have a session');
  const { data, packed } = drawingData(bracket.sessions, sessions);
  const middle = Math.floor((sessions.length - 1) / 2);
  const choices = sessions.map(
    ({ index, name }) =>
      html`<input class="choice" type="radio" name="session" id="session-${index}" value="${index}" aria-label="Show ${name}"${index === middle ? new Markup(' checked') : null}>`,
  );
  const sections = [
    heading(first),
    renderVerdict(bracketVerdict(analyses)),
    warningList(sessions),
    repeatSection(sessions),
    figureSection(sessions),
    sessions.length < 2 ? null : chooser(sessions),
    resultSection(sessions),
    equitySection(data, sessions),
    priceSection(data),
    marketSection(sessions),
    markoutSection(sessions),
    requestSection(sessions),
    refusalSection(sessions),
    assumptionSection(perSession(sessions, sessionAssumptions)),
  ];
  return pageDocument({
    title: `${shorten(first.title, 120)} – Twinbook report`,
    sessions: sessions.length,
    body: html`<main>${choices}<div class="page">${sections.filter((part) => part !== null)}${footer(first)}</div></main>`,
    program: 'main',
    data: html`<script type="application/octet-stream" id="data">${packed}</script>\n`,
  });
}

const footer = ({ assumptions }: Analysis): Markup =>
  html`<footer>Twinbook ${assumptions.version}. Times are UTC. A dash means not known or not defined, never zero. <details><summary>Charts over time are drawn by uPlot, under the MIT licence</summary><pre>${new Markup(chartLicence().replaceAll('&', '&amp;').replaceAll('<', '&lt;'))}</pre></details></footer>`;

function heading({ title, kind, fromMs, toMs, coverage, assumptions, equity }: Analysis): Markup {
  const what = kind === 'live' ? 'Live session' : 'Backtest';
  const when =
    fromMs < toMs ? `${utcText(fromMs)} – ${utcText(toMs)} UTC (${formatDuration(toMs - fromMs)})` : 'empty time span';
  const assumed =
    kind === 'live' ? '' : `latency ${assumptions.latency ?? 'none'} · fees ${assumptions.fees ?? 'not known'} · `;
  const given = `${assumed}capital ${formatMoney(equity.capitalMicros)} · configuration ${assumptions.configHash.slice(0, 12)}`;
  return pageHeading(title, `${what} · ${when} · ${formatQuantity(coverage.markets, 'market')}`, given);
}

export function renderVerdict({ text, signFlips, points }: ReturnType<typeof bracketVerdict>): Markup | null {
  if (text === '') return null;
  return html`<div class="verdict ${signFlips ? 'flips' : points}" role="note"><p>${signFlips ? html`<strong>The sign flips.</strong> ` : null}${text}</p></div>`;
}

function warningList(sessions: readonly ShownText[]): Markup | null {
  const all = sharedWarnings(sessions.map(({ analysis }) => analysis));
  const item = ({ level, text, models }: (typeof all)[number]): Markup =>
    html`<li class="${level}">${models.length === 0 ? null : html`<b>${models.join(', ')}:</b> `}${shorten(text, 600)}</li>`;
  if (all.length === 0) return null;
  const [open, notes] = [all.filter(({ level }) => level !== 'note'), all.filter(({ level }) => level === 'note')];
  const more = html`<details><summary>${formatQuantity(notes.length, 'note')}</summary><ul class="warnings">${notes.map(item)}</ul></details>`;
  return html`<div id="warnings" role="region" aria-label="Warnings about the figures"><ul class="warnings">${open.map(item)}</ul>${notes.length === 0 ? null : more}</div>`;
}

function repeatSection(sessions: readonly ShownText[]): Markup | null {
  const models = repeatedModels(sessions.map(({ analysis }) => analysis));
  const [first] = models;
  if (first === undefined) return null;
  const figures = models.map(({ repeats }) => repeats);
  const caption = 'Means and deviations of the repeated runs';
  const table = dataTable(modelHeads(sessions), linesOf(REPEAT_LINES, figures), { caption });
  const lead = `${formatQuantity(first.repeats.count, 'run')} of each model. The runs of a model differ in the times of polls and the latency of calls; ± is the deviation between runs. All other figures are from the run with the median result.`;
  return section('repeats', 'Repeats', lead, table);
}

const modelHeads = (sessions: readonly ShownText[]) => [
  { title: 'Fill model', isText: true },
  ...sessions.map(({ name }) => ({ title: name })),
];

/** Returns one table row for each line of figures. The names of figures are indented as in the terminal. */
const linesOf = <T>(lines: readonly SummaryLine<T>[], columns: readonly T[]) =>
  lines.map(([name, figure]) => ({
    cells: [{ text: name.replace(/^ +/, '\u2003') }, ...columns.map((column) => ({ text: figure(column) }))],
  }));

function figureSection(sessions: readonly ShownText[]): Markup {
  const analyses = sessions.map(({ analysis }) => analysis);
  const tones = ['', ...analyses.map(resultTone)];
  const [main, ...others] = linesOf([...LINES, ...PAGE_LINES], analyses);
  const first = main?.cells.map((cell, column) => ({ ...cell, class: tones[column] ?? '' })) ?? [];
  const rows = [{ class: 'main', cells: first }, ...others];
  const caveats = [...new Set(analyses.map(({ byEvent }) => byEvent.caveat))];
  const table = dataTable(modelHeads(sessions), rows, { caption: 'Figures', class: 'bracket' });
  return section('figures', 'Figures', 'Amounts in currency.', html`${table}${caveats.map(note)}`);
}

const chooser = (sessions: readonly ShownText[]): Markup =>
  html`<nav class="chooser" aria-label="Fill model"><span>Shown below:</span>${sessions.map(({ index, name }) => html`<label for="session-${index}">${name}</label>`)}</nav>`;

/** Maximum number of market rows of all sessions together; a row takes about one kilobyte. */
const MAX_ROWS = 1_500;

function marketSection(sessions: readonly ShownText[]): Markup {
  const tables = perSession(sessions, ({ analysis }) => marketTable(analysis, Math.floor(MAX_ROWS / sessions.length)));
  return section('markets', 'Markets', 'Units: currency and shares. Click a heading to sort the table.', tables);
}

function marketTable({ markets }: Analysis, limit: number): Markup {
  if (markets.length === 0) return note('This session has no market.');
  // Only the markets with the largest gains, losses and turnovers are shown, in the order of the analysis.
  const size = ({ result, turnoverMicros }: MarketAnalysis) => Math.abs(result.resultMicros) + turnoverMicros / 1_000;
  const kept = new Set([...markets].sort((a, b) => size(b) - size(a)).slice(0, limit));
  const left = markets.filter((market) => !kept.has(market));
  const shown = markets.filter((market) => kept.has(market));
  const rows = shown.map(
    (market): HtmlRow => ({ id: market.conditionId, cells: MARKET_COLUMNS.map(({ cell }) => cell(market)) }),
  );
  if (left.length > 0) rows.push(makeRestRow(left));
  const cut = `The table shows the ${count(shown.length)} markets with the largest gains and losses; ${formatQuantity(left.length, 'other')} are summed in the last line. All are in --json.`;
  return html`${dataTable(MARKET_COLUMNS, rows, { caption: 'Markets', sorts: true, class: 'markets' })}${left.length === 0 ? null : note(cut)}`;
}

const figure = <T extends number | null>(value: T, format: (value: T) => string): Cell => ({
  text: format(value),
  value,
});
const column = <Of>(title: string, explains: string, cell: (of: Of) => Cell) => ({ title, explains, cell });
const gain = (micros: number | null): Cell => figure(micros, formatGain);

const RESULT_COLUMNS: readonly HtmlColumn<Pick<MarketAnalysis, 'result' | 'fills'>>[] = [
  column('Result', '', ({ result }) => ({ ...gain(result.resultMicros), class: tone(result.resultMicros) })),
  column('Spread', '', ({ result }) => gain(result.spreadMicros)),
  column('Drift', '', ({ result }) => gain(result.driftMicros)),
  column('Fees', '', ({ result }) => gain(-result.feesMicros)),
  column('Settlement', 'value change from the last mid to the outcome', ({ result }) => gain(result.settlementMicros)),
  column('Fills', '', ({ fills }) => figure(fills, count)),
];

const HELD: Readonly<Partial<Record<ValuationBasis, string>>> = {
  mark: ', held, valued at the mid price',
  cost: ', held, valued at cost',
};

const MARKET_COLUMNS: readonly HtmlColumn<MarketAnalysis>[] = [
  { title: 'Market', isText: true, cell: ({ title }) => ({ text: shorten(title, 80) }) },
  ...RESULT_COLUMNS,
  column('Filled', 'filled fraction of posted shares', (market) => figure(market.fillRatioShare, formatPercent)),
  column('60 s, ¢', 'markout after 60 s, cents a share', (market) => figure(market.markout60sMicros, signedCents)),
  column('Two-sided', 'fraction of the open time with quotes on both sides', ({ twoSidedShare: value }) => ({
    text: formatPercent(value, 0),
    value,
  })),
  column('Peak', 'largest position, shares', (market) => figure(market.peakInventoryMicros, formatShares)),
  {
    title: 'Outcome',
    isText: true,
    cell: ({ outcome, valuedAt }) => ({
      text: `${outcomeText(outcome)}${HELD[valuedAt] ?? ''}`,
      value: outcomeText(outcome),
    }),
  },
  column('Recorded', 'recorded time without gaps', coverageCell),
  { title: 'Event', isText: true, cell: ({ eventTitle }) => ({ text: shorten(eventTitle, 50) }) },
];

function coverageCell({ coverage }: MarketAnalysis): Cell {
  const part = coverage === null || coverage.spanMs === 0 ? null : 1 - coverage.gapMs / coverage.spanMs;
  return { text: formatPercent(part, 2), value: coverage?.gapMs ?? null };
}

/** Returns one row for all markets that are not shown, so that the table's columns still add up to the result. */
function makeRestRow(left: readonly MarketAnalysis[]): HtmlRow {
  const rest = { result: sumSplits(left.map(({ result }) => result)), fills: sum(left.map(({ fills }) => fills)) };
  const cells = RESULT_COLUMNS.map(({ cell }) => cell(rest));
  const none = MARKET_COLUMNS.slice(1 + cells.length).map(() => ({ text: '' }));
  return { cells: [{ text: formatQuantity(left.length, 'other market') }, ...cells, ...none] };
}

const markoutSection = (sessions: readonly ShownText[]): Markup =>
  section(
    'markouts',
    'Markouts',
    'Cents a share, weighted by shares: the mid price some time after a fill, compared with the price of the fill. The effective half-spread was earned at the fill; adverse selection was lost to better informed traders.',
    perSession(sessions, ({ analysis: { markouts } }) =>
      markouts.every(({ fills }) => fills === 0)
        ? note('No mid price is known after any fill: there is no markout.')
        : columnTable(MARKOUT_COLUMNS, markouts, { caption: 'Markouts by horizon and side' }),
    ),
  );

const NAMES: Readonly<Record<string, string>> = {
  1000: '1 s',
  5000: '5 s',
  30000: '30 s',
  60000: '60 s',
  300000: '5 min',
  settlement: 'settlement',
};

const SIDE_NAMES: Readonly<Record<MarkoutSide, string>> = {
  all: 'all',
  bid: 'our bids',
  ask: 'our asks',
  late: 'late orders that took liquidity',
};

const MARKOUT_COLUMNS: readonly HtmlColumn<Markout>[] = [
  { title: 'After', isText: true, cell: ({ horizon }) => ({ text: NAMES[horizon] ?? `${horizon} ms` }) },
  { title: 'Side', isText: true, cell: ({ side }) => ({ text: SIDE_NAMES[side] }) },
  column('Fills', '', ({ fills }) => ({ text: count(fills) })),
  column('Shares', '', ({ sharesMicros }) => ({ text: formatShares(sharesMicros) })),
  column('Markets', '', ({ markets }) => ({ text: count(markets) })),
  column('Effective half-spread, ¢', '', ({ effectiveMicros }) => ({ text: signedCents(effectiveMicros) })),
  column('Adverse selection, ¢', '', ({ adverseMicros }) => ({ text: signedCents(adverseMicros) })),
  column('Markout, ¢', '', ({ markoutMicros }) => ({ text: signedCents(markoutMicros) })),
  column('Standard error, ¢', 'clustered by market', (row) => ({ text: cents(row.standardErrorMicros) })),
];

const resultSection = (sessions: readonly ShownText[]): Markup =>
  section(
    'result',
    'Result',
    'Currency. The parts add up to the result to the last digit.',
    perSession(
      sessions,
      ({ analysis }) => html`${headline(analysis)}<div style="height:14px"></div>${waterfall(analysis.result)}`,
    ),
  );

function headline(analysis: Analysis): Markup {
  const { result, equity, capital, drawdown, trading, quoting, requests, byEvent, markouts } = analysis;
  const interval = shownInterval(byEvent);
  const row = findMarkout(markouts, 60_000);
  const [effective, after60s] = [row?.effectiveMicros ?? null, row?.markoutMicros ?? null];
  const onCapital = `on ${formatMoney(equity.capitalMicros)} of capital`;
  const earned = effective === null ? 'a share' : `the fill earned ${signedCents(effective)} ¢`;
  const fallen = drawdown.maxShare === null ? 'not known' : `${formatPercent(drawdown.maxShare, 2)} of capital`;
  const spent = requests === null ? 'of the time' : `${formatPercent(requests.publicShare)} of the public budget`;
  const given = interval === null ? onCapital : `95 %: ${formatInterval(interval)}`;
  const locked = `${formatMoney(capital.meanLockedMicros)} locked on average`;
  const tile = (name: string, text: string, said: string, colour = '') =>
    html`<div><dt>${name}</dt><dd class="${colour}">${text}</dd><dd class="note">${said}</dd></div>`;
  return html`<dl class="tiles">${[
    tile('Result', formatGain(result.resultMicros), given, resultTone(analysis)),
    tile('Return on capital at work', formatPercent(capital.returnOnLockedShare), locked),
    tile('Deepest drawdown', formatMoney(drawdown.maxMicros), fallen),
    tile('Filled / posted shares', formatPercent(trading.fillRatioShare), formatQuantity(trading.fills, 'fill')),
    tile('Markout after 60 s, ¢', signedCents(after60s), earned, tone(after60s)),
    tile('Two-sided quotes', formatPercent(quoting.twoSidedShare), spent),
  ]}</dl>`;
}

function waterfall(result: ResultSplit): Markup {
  const steps: (readonly [name: string, explains: string, micros: number | null])[] = [
    ['Spread earned', 'distance of fill prices from the mid price', result.spreadMicros],
    ['Inventory drift', 'value change of held shares while the mid price moved', result.driftMicros],
    ['Fees', 'paid to the exchange', -result.feesMicros],
    ['Merges', 'currency for complete sets beyond their value', result.mergesMicros],
    ['Settlement', 'value change from the last mid price to the outcome', result.settlementMicros],
  ];
  if (result.undividedMicros !== 0 || result.spreadMicros === null)
    steps.push(['Cannot be divided', 'the mid price is not known, or shares were adopted', result.undividedMicros]);
  const ends: number[] = [0];
  for (const [, , micros] of steps) ends.push((ends.at(-1) ?? 0) + (micros ?? 0));
  const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const place = (value: number): number => (high === low ? 0 : (100 * (value - low)) / (high - low));
  const drawn = (from: number, to: number, kind: string) => {
    const [left, right] = [place(Math.min(from, to)), place(Math.max(from, to))];
    const bar = html`<i class="bar ${kind}" style="left:${left.toFixed(2)}%;width:${(right - left).toFixed(2)}%"></i>`;
    const zero = html`<i class="zero" style="left:${place(0).toFixed(2)}%"></i>`;
    return { text: html`<span class="cell">${zero}${from === to ? null : bar}</span>`, class: 'bars' };
  };
  const rows = steps.map(([name, explains, micros], index) => ({
    cells: [
      { text: html`${name} <span class="note wide">${explains}</span>` },
      { text: micros === null ? 'not known' : exact(micros), class: tone(micros) },
      drawn(ends[index] ?? 0, ends[index + 1] ?? 0, tone(micros)),
    ],
  }));
  const total = {
    class: 'total',
    cells: [{ text: 'Result' }, { text: exact(result.resultMicros) }, drawn(0, result.resultMicros, 'ink')],
  };
  const heads = [
    { title: 'Part', isText: true },
    { title: 'Amount' },
    { title: 'From zero to the result', isText: true },
  ];
  return dataTable(heads, [...rows, total], { caption: 'How the result is made up, in currency', class: 'split' });
}

/** Formats currency with all six decimal places; the last four have a softer colour. */
function exact(micros: number): Markup {
  const text = exactGain(micros);
  return html`${text.slice(0, -4)}<span class="minor">${text.slice(-4)}</span>`;
}

function requestSection(sessions: readonly ShownText[]): Markup {
  const tables = perSession(sessions, ({ analysis: { requests: use } }) =>
    use === null ? note('A ledger does not count requests.') : requests(use),
  );
  return section('requests', 'Request budget', 'The venue counts requests in any 60 seconds.', tables);
}

const BUDGET_HEADS = [
  { title: 'Budget', isText: true },
  ...['Requests', 'A minute', 'Limit', 'Used', 'Fullest minute'].map((title) => ({ title })),
  { title: '429', explains: 'refused: too many requests' },
];

function requests(use: NonNullable<Analysis['requests']>): Markup {
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

/** Maximum number of rows of a list on the page; `--json` has all rows. */
const LISTED = 40;
const takeListed = <T>(items: readonly T[]): readonly T[] => items.slice(0, LISTED);
const describeUnlisted = (items: readonly unknown[]): Markup | null =>
  items.length > LISTED ? note(`… and ${count(items.length - LISTED)} more, all in --json.`) : null;

const WHO = { risk: 'risk limit', guard: 'strategy’s guard', exchange: 'exchange' } as const;

function refusalSection(sessions: readonly ShownText[]): Markup {
  const parts = perSession(sessions, ({ analysis: { refusals } }) => {
    if (refusals.length === 0) return note('Nothing was refused.');
    const rows = refusals.map(({ name, by, count: times }) => {
      return [html`<code>${shorten(name, 80)}</code> <span class="note">${WHO[by]}</span>`, times] as const;
    });
    return html`${countTable('Refused by', 'Times', rows)}${describeUnlisted(refusals)}`;
  });
  return section('refusals', 'Refusals', 'Rejected quotes and orders, and the source of each rejection.', parts);
}

const MAKERS: Readonly<Record<string, string>> = {
  true: 'post only: a recorded order that reaches our price fills no order',
  false: 'trade: a recorded order that reaches our price fills ours, up to its size',
};

function sessionAssumptions({ analysis }: ShownText): Markup {
  const { assumptions: given, kind, equity } = analysis;
  const isLive = kind === 'live';
  const lines = (texts: readonly string[], length: number): Markup =>
    html`${takeListed(texts).map((line) => html`${shorten(line, length)}<br>`)}${describeUnlisted(texts)}`;
  return assumptionList([
    ['Fill model', given.fillModel ?? (isLive ? 'none: the exchange filled the orders' : 'none')],
    ['Recorded makers', MAKERS[String(given.postsOnly)] ?? 'really traded'],
    ['Latency', given.latency ?? (isLive ? 'not simulated: real network' : 'none')],
    ['Fees', given.fees ?? (isLive ? 'fees charged by the exchange' : 'not known')],
    ['Capital', `${count(equity.capitalMicros / 1_000_000)} of currency, shared by all markets`],
    ['Version', given.version],
    ['Configuration', html`<code>${given.configHash}</code>`],
    ['Seed', given.seed === null ? 'none' : String(given.seed)],
    ['Data', lines(given.data, 300)],
    ['Remarks', lines(given.remarks, 600)],
  ]);
}
