/** Markouts: what a share was worth some time after we got it, as a curve with its error and as a table. */

import type { Analysis } from '../analysis/analyse.js';
import type { Markout, MarkoutHorizon, MarkoutSide } from '../analysis/markouts.js';
import { cents, count, formatShares, signedCents } from '../figures.js';
import { html, Markup } from './markup.js';
import { dataTable, note, perSession, type Shown, section } from './parts.js';

export const markoutSection = (sessions: readonly Shown[]): Markup =>
  section(
    'markouts',
    'Markouts',
    'Cents a share, weighted by shares: the middle some time after a fill against its price. It starts at what was earned at the fill; what it falls by was lost to those who knew more.',
    perSession(
      sessions,
      ({ analysis }) =>
        html`${curves(analysis)}<details><summary>All figures</summary>${table(analysis.markouts)}</details>`,
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
const nameHorizon = (horizon: MarkoutHorizon): string => NAMES[horizon] ?? `${horizon} ms`;

function table(markouts: readonly Markout[]): Markup {
  const heads = [
    { title: 'After', isText: true },
    { title: 'Side', isText: true },
    { title: 'Fills' },
    { title: 'Shares' },
    { title: 'Markets' },
    { title: 'Effective half-spread, ¢' },
    { title: 'Adverse selection, ¢' },
    { title: 'Markout, ¢' },
    { title: 'Standard error, ¢', explains: 'clustered by market' },
  ];
  const rows = markouts.map((row) => ({
    cells: [
      { text: nameHorizon(row.horizon) },
      { text: SIDE_NAMES[row.side] },
      { text: count(row.fills) },
      { text: formatShares(row.sharesMicros) },
      { text: count(row.markets) },
      { text: signedCents(row.effectiveMicros) },
      { text: signedCents(row.adverseMicros) },
      { text: signedCents(row.markoutMicros) },
      { text: cents(row.standardErrorMicros) },
    ],
  }));
  return dataTable(heads, rows, { caption: 'Markouts by horizon and side' });
}

const SIDE_NAMES: Readonly<Record<MarkoutSide, string>> = { all: 'all', bid: 'our bids', ask: 'our asks' };

/** One point of a curve, in micros a share. */
interface Point {
  readonly at: string;
  readonly value: number;
  /** Two standard errors. */
  readonly error: number | null;
}

interface Curve {
  readonly side: MarkoutSide;
  readonly points: readonly Point[];
}

/** Settlement stands apart: it is on another scale, and would flatten everything else. */
function curves({ markouts }: Analysis): Markup {
  if (markouts.every(({ fills }) => fills === 0)) return note('No fill has a middle after it: there is no markout.');
  const curvesOf = (isSettled: boolean): readonly Curve[] =>
    ALL_SIDES.map((side) => {
      const rows = markouts.filter((row) => row.side === side && (row.horizon === 'settlement') === isSettled);
      return { side, points: makeCurve(rows, !isSettled) };
    });
  const long = curvesOf(true);
  const settled = long.every(({ points }) => points.length === 0)
    ? note('No market with a fill has a known outcome.')
    : drawing(long, ['settlement']);
  const short = drawing(curvesOf(false), ['at the fill', '1 s', '5 s', '30 s', '60 s', '5 min']);
  return html`<div class="columns markout-charts"><div class="chart"><h3>After the fill <span>bars: two standard errors, by market</span></h3>${short}</div><div class="chart"><h3>At settlement <span>the market’s outcome</span></h3>${settled}</div></div><ul class="keys"><li><i style="color:var(--ink)"></i>all fills</li><li><i style="color:var(--bid)"></i>our bids</li><li><i style="color:var(--ask)"></i>our asks</li></ul>`;
}

const ALL_SIDES: readonly MarkoutSide[] = ['bid', 'ask', 'all'];

function makeCurve(rows: readonly Markout[], fromFill: boolean): readonly Point[] {
  const points = rows.flatMap(({ horizon, markoutMicros: value, standardErrorMicros }): Point[] => {
    const error = standardErrorMicros === null ? null : 2 * standardErrorMicros;
    return value === null ? [] : [{ at: nameHorizon(horizon), value, error }];
  });
  const effective = fromFill ? (rows[0]?.effectiveMicros ?? null) : null;
  return effective === null ? points : [{ at: 'at the fill', value: effective, error: null }, ...points];
}

const [WIDTH, HEIGHT] = [520, 230];
const MARGIN = { left: 52, right: 14, top: 14, bottom: 28 };

/** Room for a scale whose step is 1, 2 or 5 times a power of ten. */
interface Scale {
  readonly low: number;
  readonly high: number;
  readonly step: number;
}

function niceScale(values: readonly number[], ticks = 5): Scale {
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const rough = (high - low || 1) / ticks;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  return { low: Math.floor(low / step) * step, high: Math.max(Math.ceil(high / step) * step, step), step };
}

function drawing(all: readonly Curve[], names: readonly string[]): Markup {
  const values = all.flatMap(({ points }) =>
    points.flatMap(({ value, error }) => [value - (error ?? 0), value + (error ?? 0)]),
  );
  const scale = niceScale(values.map((micros) => micros / 10_000));
  const y = (micros: number): number =>
    MARGIN.top + ((scale.high - micros / 10_000) / (scale.high - scale.low)) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const x = (name: string): number =>
    MARGIN.left + ((names.indexOf(name) + 0.5) / names.length) * (WIDTH - MARGIN.left - MARGIN.right);
  const count = Math.round((scale.high - scale.low) / scale.step);
  const places = Math.max(0, Math.min(4, -Math.floor(Math.log10(scale.step))));
  const grid = Array.from({ length: count + 1 }, (_, index) => {
    const value = scale.low + index * scale.step;
    const at = y(value * 10_000).toFixed(1);
    const isZero = Math.abs(value) < scale.step / 2;
    return `<line class="${isZero ? 'base' : 'axis'}" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${at}" y2="${at}"/><text x="${MARGIN.left - 8}" y="${at}" dy=".32em" text-anchor="end">${isZero ? '0' : value.toFixed(places).replace('-', '−')}</text>`;
  });
  const labels = names.map(
    (name) => `<text x="${x(name).toFixed(1)}" y="${HEIGHT - 8}" text-anchor="middle">${name}</text>`,
  );
  const lines = all.map((curve) => curveText(curve, x, y));
  const described = all.map(
    ({ side, points }) =>
      `${SIDE_NAMES[side]}: ${points.map(({ at, value }) => `${at} ${signedCents(value)}`).join(', ')}`,
  );
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="Cents a share. ${described.join('; ')}">${new Markup([...grid, ...labels, ...lines].join(''))}</svg>`;
}

const OFFSET: Readonly<Record<MarkoutSide, number>> = { bid: -9, all: 0, ask: 9 };

function curveText({ side, points }: Curve, x: (name: string) => number, y: (micros: number) => number): string {
  const at = (point: Point): [string, string] => [(x(point.at) + OFFSET[side]).toFixed(1), y(point.value).toFixed(1)];
  const dots = points.map((point) => {
    const [left, top] = at(point);
    const error =
      point.error === null
        ? ''
        : `<line class="err" x1="${left}" x2="${left}" y1="${y(point.value - point.error).toFixed(1)}" y2="${y(point.value + point.error).toFixed(1)}"/>`;
    return `${error}<circle cx="${left}" cy="${top}" r="${side === 'all' ? 3.6 : 2.6}"/>`;
  });
  return `<g class="${side}"><polyline points="${points.map((point) => at(point).join(',')).join(' ')}"/>${dots.join('')}</g>`;
}
