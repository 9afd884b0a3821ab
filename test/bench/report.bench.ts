/** The report of a day of 20 markets under three fill models: figures and page, and what the page weighs. */

import { analyse } from '../../src/lab/report/analysis/analyse.js';
import { reportHtml } from '../../src/lab/report/html/report-html.js';
import { makeBracket } from '../lab/report/session.js';
import { type Bench, type BenchRow, sized } from './bench.js';

const TIMES = sized(7, 1);

interface Made {
  readonly seconds: number;
  readonly bytes: number;
  readonly fills: number;
}

function made(markets: number): Made {
  const sessions = makeBracket({ markets, hours: 24 });
  const from = performance.now();
  const analyses = sessions.map(analyse);
  const page = reportHtml({ sessions }, analyses);
  const seconds = (performance.now() - from) / 1000;
  const fills = analyses.reduce((total, { trading }) => total + trading.fills, 0);
  return { seconds, bytes: Buffer.byteLength(page), fills };
}

function rows(markets: number, times: number): readonly BenchRow[] {
  const all = Array.from({ length: times }, () => made(markets)).sort((a, b) => a.seconds - b.seconds);
  const [best, worst] = [all[0], all.at(-1)];
  if (best === undefined || worst === undefined) return [];
  const what = `a day of ${markets} markets, three fill models`;
  return [
    {
      name: `report: ${what}`,
      figure: best.seconds,
      unit: 's',
      spread: `best of ${times}, worst ${worst.seconds.toFixed(2)}; ${best.fills} fills`,
    },
    { name: `report: ${what}, its size`, figure: best.bytes / 1e6, unit: 'MB', spread: '-' },
  ];
}

async function run(): Promise<readonly BenchRow[]> {
  return [...rows(20, TIMES), ...rows(sized(500, 2), sized(2, 1))];
}

export const bench: Bench = { title: 'report: a day of markets', run };
