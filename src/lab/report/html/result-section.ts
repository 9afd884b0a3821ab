/** Sources of the result: a waterfall that is also the table of its exact figures; and its risk. */

import type { Analysis } from '../analysis/analyse.js';
import { shownInterval, shownSharpe } from '../analysis/events.js';
import type { ResultSplit } from '../analysis/total.js';
import {
  count,
  exactGain,
  formatDuration,
  formatGain,
  formatInterval,
  formatMoney,
  formatPercent,
  formatQuantity,
  formatShares,
  ratio,
  signedCents,
  UNKNOWN,
} from '../figures.js';
import { html, type Markup } from './markup.js';
import {
  bar,
  barCell,
  dataTable,
  type Fact,
  type Figure,
  facts,
  perSession,
  resultTone,
  type Shown,
  SPACE,
  section,
  tiles,
  tone,
} from './parts.js';

export const resultSection = (sessions: readonly Shown[]): Markup =>
  section(
    'result',
    'Result',
    'Currency. The parts add up to the result to the last digit.',
    perSession(sessions, ({ analysis }) => html`${headline(analysis)}${SPACE}${waterfall(analysis.result)}`),
  );

function headline(analysis: Analysis): Markup {
  const { result, equity, capital, drawdown, trading, quoting, requests, byEvent, markouts } = analysis;
  const interval = shownInterval(byEvent);
  const row = markouts.find(({ horizon, side }) => horizon === 60_000 && side === 'all');
  const [effective, after60s] = [row?.effectiveMicros ?? null, row?.markoutMicros ?? null];
  const onCapital = `on ${formatMoney(equity.capitalMicros)} of capital`;
  const earned = effective === null ? 'a share' : `of ${signedCents(effective)} ¢ earned at the fill`;
  const fallen = drawdown.maxShare === null ? 'not known' : `${formatPercent(drawdown.maxShare, 2)} of capital`;
  const spent = requests === null ? 'of the time' : `${formatPercent(requests.publicShare)} of the public budget`;
  const tile = (name: string, text: string, note: string, colour = ''): Figure => ({ name, text, note, tone: colour });
  return tiles([
    tile(
      'Result',
      formatGain(result.resultMicros),
      interval === null ? onCapital : `95 %: ${formatInterval(interval)}`,
      resultTone(analysis),
    ),
    tile(
      'Return on capital at work',
      formatPercent(capital.returnOnLockedShare),
      `${formatMoney(capital.meanLockedMicros)} locked on average`,
    ),
    tile('Deepest drawdown', formatMoney(drawdown.maxMicros), fallen),
    tile('Filled of posted', formatPercent(trading.fillRatioShare), formatQuantity(trading.fills, 'fill')),
    after60s === null
      ? { name: 'Markout after 60 s', text: UNKNOWN }
      : tile('Markout after 60 s', `${signedCents(after60s)} ¢`, earned, tone(after60s)),
    tile('Two-sided quotes', formatPercent(quoting.twoSidedShare), spent),
  ]);
}

type Step = readonly [name: string, explains: string, micros: number | null];

function listSteps(result: ResultSplit): readonly Step[] {
  const steps: readonly Step[] = [
    ['Spread earned', 'price of a fill against the middle', result.spreadMicros],
    ['Inventory drift', 'held shares while the middle moved', result.driftMicros],
    ['Fees', 'paid to the exchange', -result.feesMicros],
    ['Merges', 'complete sets against their value', result.mergesMicros],
    ['Settlement', 'from the last middle to the outcome', result.settlementMicros],
  ];
  if (result.undividedMicros === 0 && result.spreadMicros !== null) return steps;
  return [...steps, ['Cannot be divided', 'the middle is not known', result.undividedMicros]];
}

function waterfall(result: ResultSplit): Markup {
  const steps = listSteps(result);
  const ends: number[] = [0];
  for (const [, , micros] of steps) ends.push((ends.at(-1) ?? 0) + (micros ?? 0));
  const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const place = (value: number): number => (high === low ? 0 : (value - low) / (high - low));
  const zero = html`<i class="zero" style="left:${(place(0) * 100).toFixed(2)}%"></i>`;
  const drawn = (from: number, to: number, kind: string) =>
    barCell(zero, from === to ? null : bar(place(from), place(to), kind));
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

/** All six places, those beyond cents in a softer colour. */
function exact(micros: number): Markup {
  const text = exactGain(micros);
  return html`${text.slice(0, -4)}<span class="minor">${text.slice(-4)}</span>`;
}

export const riskSection = (sessions: readonly Shown[]): Markup =>
  section(
    'risk',
    'Capital, inventory and luck',
    'Events are what there are independent samples of: all markets of one event are decided together.',
    perSession(
      sessions,
      ({ analysis }) =>
        html`${facts(riskFacts(analysis))}<p class="note" style="margin-top:12px">${analysis.byEvent.caveat}</p>`,
    ),
  );

function riskFacts({ equity, capital, drawdown, inventory, byEvent, markets }: Analysis): readonly Fact[] {
  const title = markets.find(({ conditionId }) => conditionId === inventory.peakMarket)?.title;
  const peak = formatShares(inventory.peakMicros);
  return [
    ['Capital at the start', formatMoney(equity.capitalMicros)],
    ['Equity at the end', formatMoney(equity.endEquityMicros)],
    ['of it in shares', formatMoney(equity.endHoldingsMicros)],
    ['Capital locked, mean', formatMoney(capital.meanLockedMicros)],
    ['Capital locked, peak', formatMoney(capital.peakLockedMicros)],
    ['Longest time under water', formatDuration(drawdown.longestMs)],
    ['Largest position, shares', peak, title === undefined ? undefined : `in ${title.slice(0, 40)}`],
    [
      'Shares carried into settlement',
      formatShares(inventory.carriedMicros),
      `(${formatPercent(inventory.carriedShare)} of traded)`,
    ],
    ['Events with fills', count(byEvent.events)],
    ['Events won / lost', `${count(byEvent.won)} / ${count(byEvent.lost)}`],
    ['Result per event', formatGain(byEvent.meanMicros), `± ${formatMoney(byEvent.deviationMicros)}`],
    ['Sharpe per event', ratio(shownSharpe(byEvent))],
    ['95 % interval of the result', formatInterval(shownInterval(byEvent))],
  ];
}
