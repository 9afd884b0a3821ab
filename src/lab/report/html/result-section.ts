/** Where the result came from: a waterfall that is also the table of its exact figures. */

import type { Analysis, ResultSplit } from '../analysis/contract.js';
import { shownInterval, shownSharpe } from '../analysis/events.js';
import {
  count,
  exactGain,
  formatDuration,
  formatGain,
  formatMoney,
  formatPercent,
  formatQuantity,
  formatShares,
  ratio,
  signedCents,
  UNKNOWN,
} from '../figures.js';
import { html, type Markup } from './markup.js';
import { bar, type Figure, facts, perSession, resultTone, type Shown, section, tiles, tone } from './parts.js';

export const resultSection = (sessions: readonly Shown[]): Markup =>
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
  const { result, equity, capital, drawdown, trading, quoting, requests, byEvent } = analysis;
  const interval = shownInterval(byEvent);
  return tiles([
    {
      name: 'Result',
      text: formatGain(result.resultMicros),
      tone: resultTone(analysis),
      note:
        interval === null
          ? `on ${formatMoney(equity.capitalMicros)} of capital`
          : `95 %: ${formatGain(interval[0])} … ${formatGain(interval[1])}`,
    },
    {
      name: 'Return on capital at work',
      text: formatPercent(capital.returnOnLockedShare),
      note: `${formatMoney(capital.meanLockedMicros)} locked on average`,
    },
    {
      name: 'Deepest drawdown',
      text: formatMoney(drawdown.maxMicros),
      note: drawdown.maxShare === null ? 'not known' : `${formatPercent(drawdown.maxShare, 2)} of capital`,
    },
    {
      name: 'Filled of posted',
      text: formatPercent(trading.fillRatioShare),
      note: `${formatQuantity(trading.fills, 'fill')}`,
    },
    markoutTile(analysis),
    {
      name: 'Two-sided quotes',
      text: formatPercent(quoting.twoSidedShare),
      note: requests === null ? 'of the time' : `${formatPercent(requests.publicShare)} of the public budget`,
    },
  ]);
}

function markoutTile({ markouts }: Analysis): Figure {
  const name = 'Markout after 60 s';
  const row = markouts.find(({ horizon, side }) => horizon === 60_000 && side === 'all');
  if (row === undefined || row.markoutMicros === null) return { name, text: UNKNOWN };
  const note = row.effectiveMicros === null ? 'a share' : `of ${signedCents(row.effectiveMicros)} ¢ earned at the fill`;
  return { name, text: `${signedCents(row.markoutMicros)} ¢`, note, tone: tone(row.markoutMicros) };
}

interface Step {
  readonly name: string;
  readonly explains: string;
  readonly micros: number | null;
}

function listSteps(result: ResultSplit): readonly Step[] {
  const steps = [
    { name: 'Spread earned', explains: 'price of a fill against the middle', micros: result.spreadMicros },
    { name: 'Inventory drift', explains: 'held shares while the middle moved', micros: result.driftMicros },
    { name: 'Fees', explains: 'paid to the exchange', micros: -result.feesMicros },
    { name: 'Merges', explains: 'complete sets against their value', micros: result.mergesMicros },
    { name: 'Settlement', explains: 'from the last middle to the outcome', micros: result.settlementMicros },
  ];
  if (result.undividedMicros === 0 && result.spreadMicros !== null) return steps;
  return [...steps, { name: 'Cannot be divided', explains: 'the middle is not known', micros: result.undividedMicros }];
}

export function waterfall(result: ResultSplit): Markup {
  const steps = listSteps(result);
  const ends: number[] = [0];
  for (const { micros } of steps) ends.push((ends.at(-1) ?? 0) + (micros ?? 0));
  const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const place = (value: number): number => (high === low ? 0 : (value - low) / (high - low));
  const zero = html`<i class="zero" style="left:${(place(0) * 100).toFixed(2)}%"></i>`;
  const rows = steps.map(({ name, explains, micros }, index) => {
    const drawn =
      micros === null || micros === 0 ? null : bar(place(ends[index] ?? 0), place(ends[index + 1] ?? 0), tone(micros));
    return html`<tr><th scope="row" class="text">${name} <span class="note wide">${explains}</span></th><td class="num ${tone(micros)}">${micros === null ? 'not known' : exact(micros)}</td><td class="bars"><span class="cell">${zero}${drawn}</span></td></tr>`;
  });
  const total = html`<tr class="total"><th scope="row" class="text">Result</th><td class="num">${exact(result.resultMicros)}</td><td class="bars"><span class="cell">${zero}${result.resultMicros === 0 ? null : bar(place(0), place(result.resultMicros), 'ink')}</span></td></tr>`;
  return html`<div class="scroll"><table class="split"><caption>How the result is made up, in currency</caption><thead><tr><th scope="col" class="text">Part</th><th scope="col" class="num">Amount</th><th scope="col" class="text">From zero to the result</th></tr></thead><tbody>${rows}${total}</tbody></table></div>`;
}

/** All six places, those beyond cents in a softer colour. */
export function exact(micros: number): Markup {
  const text = exactGain(micros);
  return html`${text.slice(0, -4)}<span class="minor">${text.slice(-4)}</span>`;
}

export function riskSection(sessions: readonly Shown[]): Markup {
  return section(
    'risk',
    'Capital, inventory and luck',
    'Events are what there are independent samples of: all markets of one event are decided together.',
    perSession(
      sessions,
      ({ analysis }) =>
        html`${facts(riskFacts(analysis))}<p class="note" style="margin-top:12px">${analysis.byEvent.caveat}</p>`,
    ),
  );
}

function riskFacts({ equity, capital, drawdown, inventory, byEvent, markets }: Analysis) {
  const title = markets.find(({ conditionId }) => conditionId === inventory.peakMarket)?.title;
  const interval = shownInterval(byEvent);
  return [
    { name: 'Capital at the start', text: formatMoney(equity.capitalMicros) },
    { name: 'Equity at the end', text: formatMoney(equity.endEquityMicros) },
    { name: 'of it in shares', text: formatMoney(equity.endHoldingsMicros) },
    { name: 'Capital locked, mean', text: formatMoney(capital.meanLockedMicros) },
    { name: 'Capital locked, peak', text: formatMoney(capital.peakLockedMicros) },
    { name: 'Longest time under water', text: formatDuration(drawdown.longestMs) },
    {
      name: 'Largest position, shares',
      text: formatShares(inventory.peakMicros),
      ...(title === undefined ? {} : { note: `in ${title.slice(0, 40)}` }),
    },
    { name: 'Position half undone after', text: formatDuration(inventory.halfLifeMs), note: '(median)' },
    {
      name: 'Shares carried into settlement',
      text: formatShares(inventory.carriedMicros),
      note: `(${formatPercent(inventory.carriedShare)} of traded)`,
    },
    { name: 'Events with fills', text: count(byEvent.events) },
    { name: 'Events won / lost', text: `${count(byEvent.won)} / ${count(byEvent.lost)}` },
    {
      name: 'Result per event',
      text: formatGain(byEvent.meanMicros),
      note: `± ${formatMoney(byEvent.deviationMicros)}`,
    },
    { name: 'Sharpe per event', text: ratio(shownSharpe(byEvent)) },
    {
      name: '95 % interval of the result',
      text: interval === null ? UNKNOWN : `${formatGain(interval[0])} … ${formatGain(interval[1])}`,
    },
  ];
}
