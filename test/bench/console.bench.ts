/// <reference lib="dom" />
/**
 * Delay from a frame that leaves the trader to its figures on the screen, through a console and a page in Chromium:
 * sixty markets, all changing twice a second. The browser's cost is that of all its processes, painting without a
 * graphics card.
 */

import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';
import type { MarketStatus } from '../../src/shared/protocol/trader-status.js';
import { CHROMIUM, contextOf, openBrowser } from '../shell/console/browser.js';
import { frameAt, movingMarket, playConsole, SECRET } from '../shell/console/played-console.js';
import { m } from '../trader/ledger/books.js';
import { type Bench, type BenchRow, percentile, sized } from './bench.js';

const MARKETS = sized(60, 6);
const ROUNDS = sized(5, 1);
const SWEEPS = sized(20, 4);
const SWEEP_MS = 500;
/** Time until the last figures are polled and painted, ms. */
const LAST_MS = 1_500;
/** Sweeps before the first round: the browser compiles and lays out. */
const WARM_SWEEPS = sized(10, 2);
const TITLES = Array.from({ length: MARKETS }, (_, i) => `Will number ${i + 1} of sixty come to pass before Friday?`);

/** Pages of the console, with the markets whose prices are timed. */
const VIEWS = [
  { name: 'overview', search: '', watched: ['m0', `m${MARKETS - 1}`] },
  { name: 'market', search: '?market=m0', watched: ['m0'] },
] as const;

type Console = Awaited<ReturnType<typeof playConsole>>;

interface Round {
  /** Delay of each line until it is on the screen, ms. */
  readonly delays: readonly number[];
  /** Share of a core used by all processes of the browser. */
  readonly share: number;
  /** Share of a core used by the page's main thread. */
  readonly pageShare: number;
}

/** Each sweep has its own figures, which identify it on the screen. */
let sweep = 0;

/** In steps that the page shows. */
const priceOf = (): number => 500_000 + 100 * sweep;

async function run(): Promise<readonly BenchRow[]> {
  if (CHROMIUM === null)
    return [
      { name: 'SKIPPED: no Chromium is installed', figure: Number.NaN, unit: '-', spread: 'apt install chromium' },
    ];
  const played = await playConsole();
  const browser = await openBrowser();
  try {
    played.hang();
    const rows: BenchRow[] = [];
    for (const view of VIEWS) rows.push(...(await measure(played, browser, view)));
    return rows;
  } finally {
    await browser.close();
    await played.close();
  }
}

async function measure(played: Console, browser: Browser, view: (typeof VIEWS)[number]): Promise<readonly BenchRow[]> {
  const context = await contextOf(browser, { scheme: 'light', width: 1280 });
  const page = await context.newPage();
  // The compiler of this file names functions with this helper, also in the page.
  await page.addInitScript('globalThis.__name = (made) => made');
  await playSweep(played, () => undefined);
  await page.goto(`${played.url}${view.search}#${encodeURIComponent(SECRET)}`);
  await page
    .locator(view.search === '' ? '#markets a' : '#ladder tr.fair')
    .first()
    .waitFor();
  await page.evaluate(watchScreen, view.watched);
  for (let i = 0; i < WARM_SWEEPS; i++) await playSweep(played, () => undefined);
  const sessions = { all: await browser.newBrowserCDPSession(), one: await context.newCDPSession(page) };
  // Processor time excludes other programs.
  await sessions.one.send('Performance.enable', { timeDomain: 'threadTicks' });
  const rounds: Round[] = [];
  for (let i = 0; i < ROUNDS; i++) rounds.push(await playRound(played, sessions, page, view.watched));
  await context.close();
  return rowsOf(view.name, rounds);
}

/** Runs in the page: records when a price was painted, by the clock of this machine. */
function watchScreen(watched: readonly string[]): void {
  const seen: (readonly [market: string, price: string, ms: number])[] = [];
  Object.assign(window, { seen });
  const priceShown = (market: string): string => {
    const row = document.querySelector(`#markets tr:has(a[href$="market=${market}"]) td:nth-child(4)`);
    return (document.querySelector('#ladder tr.fair td:nth-child(2)') ?? row)?.textContent ?? '';
  };
  const shown = new Map(watched.map((market) => [market, priceShown(market)]));
  const look = () => {
    for (const market of watched) {
      const price = priceShown(market);
      if (price === shown.get(market)) continue;
      shown.set(market, price);
      // A task queued in an animation frame runs after that frame is painted.
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => seen.push([market, price, Date.now()]);
        channel.port2.postMessage(null);
      });
    }
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
}

/** @param told called for each line when it is sent */
async function playSweep(played: Console, told: (market: string, price: string, ms: number) => void): Promise<void> {
  sweep++;
  const beganMs = performance.now();
  const nowMs = Date.now();
  const { account } = frameAt(nowMs);
  const markets = TITLES.map((title, i) => figuresOf(`m${i}`, title, nowMs));
  const known = markets.map(({ conditionId }) => conditionId);
  const price = (priceOf() / 1e6).toFixed(6).replace(/0+$/, '');
  for (const id of known) told(id, price, Date.now());
  played.tell({ type: 'frame', time: Date.now(), account, markets, known });
  await wait(beganMs + SWEEP_MS - performance.now());
}

/** Ten levels a side, two orders. */
function figuresOf(id: string, title: string, timeMs: number): MarketStatus {
  const levels = (way: 1 | -1) =>
    Array.from({ length: 10 }, (_, i) => [m(priceOf() + way * (i + 1) * 10_000), m(7_000_000)] as const);
  return { ...movingMarket(id, title, timeMs), fairMicros: m(priceOf()), bids: levels(-1), asks: levels(1) };
}

async function playRound(played: Console, sessions: Sessions, page: Page, watched: readonly string[]): Promise<Round> {
  const left: { readonly market: string; readonly price: string; readonly ms: number }[] = [];
  const before = await costsOf(sessions);
  await page.evaluate(() => Object.assign(window, { before: (window as unknown as Seen).seen.splice(0) }));
  const beganMs = performance.now();
  for (let i = 0; i < SWEEPS; i++)
    await playSweep(played, (market, price, ms) => {
      if (watched.includes(market)) left.push({ market, price, ms });
    });
  const after = await costsOf(sessions);
  const tookS = (performance.now() - beganMs) / 1000;
  // The last figures are painted after the round.
  await wait(LAST_MS);
  const seen = await page.evaluate(() => (window as unknown as Seen).seen);
  const delays = left.map(({ market, price, ms }) => {
    // A newer figure replaces an older one that was never painted.
    const painted = seen.find((one) => one[0] === market && Number(one[1]) >= Number(price));
    return painted === undefined ? Number.POSITIVE_INFINITY : painted[2] - ms;
  });
  return {
    delays: delays.sort((a, b) => a - b),
    share: (100 * (after.allS - before.allS)) / tookS,
    pageShare: (100 * (after.pageS - before.pageS)) / tookS,
  };
}

interface Sessions {
  /** The session of the browser. */
  readonly all: CDPSession;
  /** The session of the page, which counts from the page's start. */
  readonly one: CDPSession;
}

interface Seen {
  readonly seen: (readonly [market: string, price: string, ms: number])[];
}

/** Processor time, s. */
async function costsOf({ all, one }: Sessions): Promise<{ allS: number; pageS: number }> {
  const { processInfo } = await all.send('SystemInfo.getProcessInfo');
  const { metrics } = await one.send('Performance.getMetrics');
  const pageS = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  return { allS: processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0), pageS };
}

function rowsOf(name: string, rounds: readonly Round[]): readonly BenchRow[] {
  const all = rounds.flatMap(({ delays }) => delays).sort((a, b) => a - b);
  const row = (what: string, figure: number, unit: string, of: readonly number[], more = ''): BenchRow => ({
    name: `${name}: ${what}`,
    figure,
    unit,
    spread: `${Math.min(...of).toFixed(1)} to ${Math.max(...of).toFixed(1)} in ${rounds.length} rounds${more}`,
  });
  const sorted = (of: readonly number[]) => of.toSorted((a, b) => a - b);
  const shares = Object.entries({ p50: 0.5, p95: 0.95, p99: 0.99 });
  const sharesOf = rounds.map(({ share }) => share);
  const pageShares = rounds.map(({ pageShare }) => pageShare);
  return [
    ...shares.map(([label, share]) => {
      const each = rounds.map(({ delays }) => percentile(delays, share));
      return row(`frame to pixels, ${label}`, percentile(all, share), 'ms', each, `, ${all.length} frames`);
    }),
    row('all processes of the browser', percentile(sorted(sharesOf), 0.5), '% of a core', sharesOf),
    row('the page’s main thread', percentile(sorted(pageShares), 0.5), '% of a core', pageShares),
  ];
}

export const bench: Bench = { title: `console: ${MARKETS} markets at 2 Hz, from a frame to pixels`, run };
