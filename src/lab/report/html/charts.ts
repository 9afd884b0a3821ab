/** Charts of the page. The charts may omit data, which the page states; the figures come from the whole record. */

import { gzipSync } from 'node:zlib';
import { must } from '../../../shared/base/errors.js';
import type { FillRecord, MarketSession, SessionRecord } from '../../session/contract.js';
import { groupBy, sum } from '../analysis/split.js';
import { count, formatQuantity } from '../figures.js';
import { html, type Markup, note, type ShownText, section, shorten } from './parts.js';

const NO_SCRIPT = html`<noscript><p class="note">The charts over time need scripts, which are off here. The tables have every figure.</p></noscript>`;

const HINT = 'Drag to zoom in, double-click to zoom out.';

export function equitySection(data: DrawingData, sessions: readonly ShownText[]): Markup {
  const isUnknown = sessions.some(({ analysis }) => analysis.trading.fills > 0 && analysis.drawdown.longestMs === null);
  const unknown = note('Where held shares have no price, the equity is not known and no line is drawn.');
  return section(
    'equity',
    'Equity and drawdown',
    'Currency. Shares are valued at the mid price; time without a recording is left blank.',
    html`${NO_SCRIPT}${isUnknown ? unknown : null}<div data-needs-script><div class="chart"><h3>Result over time</h3><div class="plot" id="plot-equity" role="img" aria-label="Result over time"></div></div><div class="chart"><h3>Below the highest point so far <span class="drawn-session"></span></h3><div class="plot" id="plot-drawdown" role="img" aria-label="Drawdown over time"></div></div>${sessionKeys(data)}<p class="readout" id="read-account" aria-live="off">${HINT}</p></div>`,
  );
}

export function priceSection(data: DrawingData): Markup {
  const options = data.markets.map(({ title }, index) => html`<option value="${index}">${title}</option>`);
  const keys = html`<ul class="keys"><li><i class="area"></i>the market’s bid and ask, without our orders</li><li><i style="color:var(--bid)"></i>our bid</li><li><i style="color:var(--ask)"></i>our ask</li><li><i style="color:var(--bid)">▲</i>bought YES or sold NO</li><li><i style="color:var(--ask)">▼</i>sold YES or bought NO</li></ul>`;
  if (data.markets.length === 0)
    return section('price', 'Price, quotes and fills', '', note('There is no market to draw.'));
  return section(
    'price',
    'Price, quotes and fills',
    'YES price of one market, and our position. A larger mark is a larger fill.',
    html`${NO_SCRIPT}<div data-needs-script><div class="tools"><select id="market" aria-label="Market">${options}</select></div><div class="chart"><h3>Price of YES <span class="drawn-session"></span></h3><div class="plot" id="plot-price" role="img" aria-label="Price, quotes and fills over time"></div></div><div class="chart"><h3>Inventory <span>YES minus NO, shares</span></h3><div class="plot" id="plot-held" role="img" aria-label="Inventory over time"></div></div>${keys}<p class="readout" id="read-price" aria-live="off">${HINT}</p></div>${thinning(data)}`,
  );
}

const DASHES = ['dashed', 'dotted'] as const;

function sessionKeys({ sessions, solid }: DrawingData): Markup | null {
  if (sessions.length < 2) return null;
  const keys = sessions.map(
    ({ name }, index) =>
      html`<li><i style="color:var(--s${index % 6});border-top-style:${index === solid ? 'solid' : (DASHES[index % 2] ?? 'dashed')}"></i>${name}</li>`,
  );
  return html`<ul class="keys">${keys}</ul>`;
}

function thinning({ thinned }: DrawingData): Markup | null {
  const { samples, isCoarser, markets, marketsDrawn, fills, fillsDrawn } = thinned;
  if (!isCoarser && marketsDrawn === markets && fillsDrawn === fills) return null;
  const drawn = `${count(marketsDrawn)} of ${formatQuantity(markets, 'market')} and ${count(fillsDrawn)} of ${formatQuantity(fills, 'fill')}`;
  return html`<p class="note" id="thinned">To keep this file small, the charts show ${drawn}, and at most ${count(samples)} samples of each market. Figures and tables use all data.</p>`;
}

/** Maximum characters of packed chart data, so that the page stays below 5 MB. */
const BUDGET = 2_400_000;
/** Minimum number of samples of a chart. If these samples take too much space, the page shows fewer charts. */
const LEAST_SAMPLES = 150;
const MOST_SAMPLES = 2_048;
/** Maximum number of fills that a page's charts show; each fill takes about 30 characters. */
const MOST_FILLS = 30_000;

type DrawingData = ReturnType<typeof drawnWith>;

/** `shown[i]` describes `sessions[i]`. `packed`: the data as gzip in base64, which `page/main.js` unpacks. */
export function drawingData(sessions: readonly SessionRecord[], shown: readonly ShownText[]) {
  const all = sessions.flatMap(({ markets }) => markets);
  const byMarket = groupBy(all, ({ conditionId }) => conditionId);
  const fillsOf = (markets: readonly MarketSession[]) => sum(markets.map(({ fills }) => fills.length));
  // Markets with the most fills are drawn first.
  const ids = [...byMarket].sort(([, a], [, b]) => fillsOf(b) - fillsOf(a)).map(([id]) => id);
  const guess = Math.floor(BUDGET / ((1 + all.length) * SAMPLE_SIZE));
  let [samples, drawn] = [Math.max(LEAST_SAMPLES, Math.min(MOST_SAMPLES, guess)), ids.length];
  for (;;) {
    const data = drawnWith(sessions, shown, ids.slice(0, drawn), samples);
    const packed = gzipSync(JSON.stringify(data)).toString('base64');
    const size = packed.length;
    if (size <= BUDGET || drawn === 0) return { data, packed };
    // The limits of samples and fills shrink in proportion to the excess, so the loop ends after a few rounds.
    if (samples > LEAST_SAMPLES) samples = Math.max(LEAST_SAMPLES, Math.floor(samples * Math.min(0.7, BUDGET / size)));
    else drawn = Math.floor(drawn * Math.min(0.97, BUDGET / size));
  }
}

/** Approximate number of characters per sample of a market's chart. A good estimate saves rounds of `drawingData`. */
const SAMPLE_SIZE = 5;

function drawnWith(
  sessions: readonly SessionRecord[],
  shown: readonly ShownText[],
  ids: readonly string[],
  samples: number,
) {
  const markets = sessions.map((session) => new Map(session.markets.map((market) => [market.conditionId, market])));
  const all = sessions.flatMap((session) => session.markets);
  const fills = sum(all.map((market) => market.fills.length));
  let fillsDrawn = 0;
  const drawn = ids.map((id) => {
    const found = markets.map((byId) => byId.get(id));
    const title = found.find((market) => market !== undefined)?.title ?? id;
    const series = found.map((market) => {
      if (market === undefined) return null;
      const kept = keptFills(market.fills, MOST_FILLS / Math.max(MOST_FILLS, fills));
      fillsDrawn += kept.length;
      return drawSeries(market, kept, samples);
    });
    return { id, title: shorten(title, 80), sessions: series };
  });
  const live = shown.findIndex(({ analysis }) => analysis.kind === 'live');
  return {
    /** Index of the session with a solid line: the live session, otherwise the middle session. */
    solid: live >= 0 ? live : Math.floor((shown.length - 1) / 2),
    sessions: shown.map(({ name, analysis }, index) => {
      const { account, capitalMicros, toMs } = must(sessions[index], 'a session for each analysis');
      return {
        name,
        capital: capitalMicros,
        // The final equity includes settlements after the last sample.
        end: [toMs, analysis.equity.endEquityMicros] as const,
        times: differences(thin(account.timeMs, MOST_SAMPLES)),
        equity: thin(account.equityMicros, MOST_SAMPLES),
      };
    }),
    markets: drawn,
    thinned: {
      /** Maximum number of samples per series, and whether any series was thinned. */
      samples,
      isCoarser: all.some(({ series }) => series.timeMs.length > samples),
      markets: new Set(all.map(({ conditionId }) => conditionId)).size,
      marketsDrawn: ids.length,
      fills,
      fillsDrawn,
    },
  };
}

function drawSeries({ series }: MarketSession, fills: readonly FillRecord[], samples: number) {
  return {
    step: series.stepMs * strideFor(series.timeMs.length, samples),
    times: differences(thin(series.timeMs, samples)),
    bid: thin(series.bidMicros, samples),
    ask: thin(series.askMicros, samples),
    ourBid: thin(series.ourBidMicros, samples),
    ourAsk: thin(series.ourAskMicros, samples),
    held: thin(series.inventoryMicros, samples),
    fills: fills.map(({ timeMs: time, priceMicros: price, amountMicros: amount, side }) => ({
      time,
      price,
      amount,
      raises: side === 'bid',
    })),
  };
}

/** Returns each time minus the previous one. Equal steps of time compress to almost nothing. */
const differences = (times: readonly number[]) => times.map((time, index) => time - (times[index - 1] ?? 0));

function keptFills(fills: readonly FillRecord[], part: number): readonly FillRecord[] {
  const largest = [...fills].sort((a, b) => b.amountMicros - a.amountMicros).slice(0, Math.ceil(fills.length * part));
  const kept = new Set(largest);
  return fills.filter((fill) => kept.has(fill));
}

const strideFor = (length: number, samples: number): number => Math.max(1, Math.ceil(length / samples));

const thin = <T>(values: readonly T[], samples: number): readonly T[] => {
  const stride = strideFor(values.length, samples);
  // The index is always below the length of `values`.
  return Array.from({ length: Math.ceil(values.length / stride) }, (_, index) => values[index * stride] as T);
};
