/** Frames of the charts that scripts draw; without scripts the page says so. */

import { count, formatQuantity } from '../figures.js';
import type { DrawingData } from './drawing-data.js';
import { html, type Markup } from './markup.js';
import { type Shown, section } from './parts.js';

const NO_SCRIPT = html`<noscript><p class="note">The charts over time need scripts, which are off here. The tables have every figure.</p></noscript>`;

const HINT = 'Drag to zoom in, double-click to zoom out.';

export const equitySection = (data: DrawingData, sessions: readonly Shown[]): Markup =>
  section(
    'equity',
    'Equity and drawdown',
    'Currency. Shares are valued at the middle; time without a recording is left blank.',
    html`${NO_SCRIPT}${unknownEquity(sessions)}<div data-needs-script><div class="chart"><h3>Result over time</h3><div class="plot" id="plot-equity" role="img" aria-label="Result over time"></div></div><div class="chart"><h3>Below the highest point so far <span class="drawn-session"></span></h3><div class="plot" id="plot-drawdown" role="img" aria-label="Drawdown over time"></div></div><div class="chart"><h3>Capital locked <span class="drawn-session"></span></h3><div class="plot" id="plot-locked" role="img" aria-label="Capital locked over time"></div></div>${sessionKeys(data)}<p class="readout" id="read-account" aria-live="off">${HINT}</p></div>`,
  );

export function priceSection(data: DrawingData): Markup {
  const options = data.markets.map(({ title }, index) => html`<option value="${index}">${title}</option>`);
  const keys = html`<ul class="keys"><li><i class="area"></i>the market’s bid to ask, without us</li><li><i style="color:var(--bid)"></i>our bid</li><li><i style="color:var(--ask)"></i>our ask</li><li><i style="color:var(--bid)">▲</i>bought YES or sold NO</li><li><i style="color:var(--ask)">▼</i>sold YES or bought NO</li></ul>`;
  if (data.markets.length === 0)
    return section('price', 'Price, quotes and fills', '', html`<p class="note">There is no market to draw.</p>`);
  return section(
    'price',
    'Price, quotes and fills',
    'YES price of one market, and our position. A larger mark is a larger fill.',
    html`${NO_SCRIPT}<div data-needs-script><div class="tools"><select id="market" aria-label="Market">${options}</select></div><div class="chart"><h3>Price of YES <span class="drawn-session"></span></h3><div class="plot" id="plot-price" role="img" aria-label="Price, quotes and fills over time"></div></div><div class="chart"><h3>Inventory <span>YES minus NO, shares</span></h3><div class="plot" id="plot-held" role="img" aria-label="Inventory over time"></div></div>${keys}<p class="readout" id="read-price" aria-live="off">${HINT}</p></div>${thinning(data)}`,
  );
}

function unknownEquity(sessions: readonly Shown[]): Markup | null {
  const unknown = sessions.some(({ analysis }) => analysis.trading.fills > 0 && analysis.drawdown.longestMs === null);
  if (!unknown) return null;
  return html`<p class="note">Where held shares have no price, the equity is not known and no line is drawn.</p>`;
}

const DASHES = ['dashed', 'dotted'] as const;

/** One session needs no key. */
function sessionKeys({ sessions, solid }: DrawingData): Markup | null {
  if (sessions.length < 2) return null;
  const keys = sessions.map(
    ({ name }, index) =>
      html`<li><i style="color:var(--s${index % 6});border-top-style:${index === solid ? 'solid' : (DASHES[index % 2] ?? 'dashed')}"></i>${name}</li>`,
  );
  return html`<ul class="keys">${keys}</ul>`;
}

/** Reports left-out data. */
function thinning({ thinned }: DrawingData): Markup | null {
  const said = [
    thinned.isCoarser ? `Lines are drawn from at most ${count(thinned.samples)} samples a market.` : '',
    thinned.marketsDrawn < thinned.markets
      ? `${count(thinned.marketsDrawn)} of ${formatQuantity(thinned.markets, 'market')} can be drawn, those with the most fills.`
      : '',
    thinned.fillsDrawn < thinned.fills
      ? `${count(thinned.fillsDrawn)} of ${formatQuantity(thinned.fills, 'fill')} are drawn, the largest of each market.`
      : '',
  ].filter((sentence) => sentence !== '');
  return said.length === 0
    ? null
    : html`<p class="note" id="thinned">To keep this file small: ${said.join(' ')} Figures and tables are made from everything.</p>`;
}
