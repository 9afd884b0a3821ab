/** Every simulation as a point on a line of edge, a row for each strategy: what a mean and its error do not show. */

import { decimal } from '../../report/figures.js';
import { niceScale, type Scale } from '../../report/html/markout-section.js';
import { escapeHtml, html, Markup } from '../../report/html/markup.js';
import type { Standing } from '../contract.js';
import { meanText } from '../describe.js';

export interface EdgeRow {
  readonly standing: Standing;
  readonly edges: readonly number[];
}

/** More points than this are a black bar and a large file. */
export const MOST_POINTS = 1_000;
const WIDTH = 1_080;
const ROW_HEIGHT = 44;
const MARGIN = { left: 170, right: 18, top: 8, bottom: 26 };
/** Longer names are cut. */
const NAME_LENGTH = 22;

export function edgeChart(world: string, rows: readonly EdgeRow[]): Markup {
  const shown = rows.map(({ standing, edges }) => ({ standing, edges: thinEdges(edges) }));
  const scale = niceScale(
    shown.flatMap(({ edges }) => edges),
    8,
  );
  const height = MARGIN.top + shown.length * ROW_HEIGHT + MARGIN.bottom;
  const lines = shown.map((row, index) => rowText(row, MARGIN.top + (index + 0.5) * ROW_HEIGHT, scale));
  const described = shown.map(({ standing: { strategy, edge, belowZero, simulations } }) => {
    return `${strategy} ${meanText(edge)}, ${belowZero} of ${simulations} below 0`;
  });
  return html`<svg viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Edge of each simulation of ${world}. ${described.join('; ')}">${new Markup([...grid(scale, height), ...lines].join(''))}</svg>`;
}

/** Evenly from the lowest to the highest. */
function thinEdges(edges: readonly number[]): readonly number[] {
  const ascending = [...edges].sort((a, b) => a - b);
  if (ascending.length <= MOST_POINTS) return ascending;
  const step = (ascending.length - 1) / (MOST_POINTS - 1);
  return Array.from({ length: MOST_POINTS }, (_, place) => ascending[Math.round(place * step)] ?? 0);
}

function scaleX(value: number, { low, high }: Scale): string {
  return (MARGIN.left + ((value - low) / (high - low)) * (WIDTH - MARGIN.left - MARGIN.right)).toFixed(1);
}

function grid(scale: Scale, height: number): string[] {
  const count = Math.round((scale.high - scale.low) / scale.step);
  const places = Math.max(0, Math.min(4, -Math.floor(Math.log10(scale.step))));
  return Array.from({ length: count + 1 }, (_, index) => {
    const value = scale.low + index * scale.step;
    const isZero = Math.abs(value) < scale.step / 2;
    const x = scaleX(value, scale);
    const label = isZero ? '0' : decimal(value, places);
    return `<line class="${isZero ? 'base' : 'axis'}" x1="${x}" x2="${x}" y1="${MARGIN.top}" y2="${height - MARGIN.bottom}"/><text x="${x}" y="${height - 8}" text-anchor="middle">${label}</text>`;
  });
}

function rowText({ standing: { strategy, edge }, edges }: EdgeRow, y: number, scale: Scale): string {
  const points = edges.map(
    (value) =>
      `<line x1="${scaleX(value, scale)}" x2="${scaleX(value, scale)}" y1="${y - 9}" y2="${y + 5}" stroke-opacity="0.55"/>`,
  );
  const reach = 2 * (edge.standardError ?? 0);
  const name = strategy.length > NAME_LENGTH ? `${strategy.slice(0, NAME_LENGTH - 1)}…` : strategy;
  const mean = `<line x1="${scaleX(edge.mean - reach, scale)}" x2="${scaleX(edge.mean + reach, scale)}" y1="${y + 12}" y2="${y + 12}" stroke-width="2"/><circle cx="${scaleX(edge.mean, scale)}" cy="${y + 12}" r="4"/>`;
  return `<text x="${MARGIN.left - 12}" y="${y}" dy=".32em" text-anchor="end">${escapeHtml(name)}</text><g class="${edge.mean < 0 ? 'ask' : 'bid'}">${points.join('')}</g><g class="all">${mean}</g>`;
}
