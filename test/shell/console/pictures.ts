/// <reference lib="dom" />
/**
 * `npm run lab -- pictures [FOLDER] [--seconds N] [--widths W,W] [--states NAME,NAME] [--views NAME,NAME]`: pictures of
 * every view of the dashboard, and of a report, in light and dark. The compiled trader quotes the simulated crowd for
 * N seconds first. Prints the height of each picture, and the violations that axe finds.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import build from '../../support/build.js';
import { twinbook } from '../../support/processes.js';
import { CHROMIUM, contextOf, openBrowser, violationsOf } from './browser.js';
import { startDemo } from './demo.js';

const ROOT = resolve(import.meta.dirname, '../../..');
const VIEWS = ['overview', 'market', 'orders', 'money', 'risk', 'health', 'alerts', 'log', 'config', 'runs', 'explain'];
const PLAYED = ['-c', join(ROOT, 'config/strategies/belief-maker.yaml'), '--data', join(ROOT, 'data/sample')];
const KELLY = 'belief-maker.kelly_fraction=0.5,1';
const SCHEMES = ['light', 'dark'] as const;
/** Maximum height of a view on a phone, px. */
const TALLEST = 6_000;
const PHONE = 390;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '60' },
    widths: { type: 'string', default: '390,768,1280,1600' },
    states: { type: 'string', default: 'quoting,busy,paused,killed,disconnected' },
    views: { type: 'string', default: VIEWS.join() },
  },
});
const widths = values.widths.split(',').map(Number);

type Demo = Awaited<ReturnType<typeof startDemo>>;

/** Processes that only use a core: with ten of them the machine's load is above ten. */
const LOAD = 10;
const loaders: ChildProcess[] = [];
function endLoad(): void {
  for (const each of loaders.splice(0)) each.kill('SIGKILL');
}

/** Changes from each state to the next; the first needs none. */
const CHANGES: Readonly<Record<string, (demo: Demo) => Promise<unknown>>> = {
  quoting: async () => undefined,
  busy: async () => {
    while (loaders.length < LOAD) loaders.push(spawn(process.execPath, ['-e', 'for (;;);']));
    // The average of the last minute follows slowly.
    await wait(30_000);
  },
  paused: ({ file }) => command('pause', '--reason', 'news', '-c', file),
  killed: ({ file }) => command('kill', '--verify', '--reason', 'odd prices', '-c', file),
  disconnected: async ({ trader }) => {
    trader.process.kill('SIGKILL');
    await trader.exited;
    // The console waits before it declares a silence.
    await wait(8_000);
  },
};

async function command(...args: readonly string[]): Promise<void> {
  const ran = twinbook(args);
  const code = await ran.exited;
  if (code !== 0) throw new Error(`twinbook ${args.join(' ')} ended with ${code}:\n${ran.output()}`);
}

interface Shot {
  readonly page: Page;
  readonly folder: string;
  readonly name: string;
}

async function take({ page, folder, name }: Shot): Promise<void> {
  const { width = 0 } = page.viewportSize() ?? {};
  const { height, aside } = await page.evaluate(() => ({
    height: document.documentElement.scrollHeight,
    aside: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  }));
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  const faults = [
    ...(width === PHONE && height > TALLEST && !name.startsWith('report') ? [`taller than ${TALLEST} px`] : []),
    ...(aside > 0 ? [`${aside} px wider than the window`] : []),
    ...(await violationsOf(page)),
  ];
  console.log([`${name}.png: ${height} px`, ...faults].join('\n  '));
}

/** The page, light or dark, in each width. */
async function openPages(browser: Browser, { url, token }: Demo) {
  const pages: { readonly page: Page; readonly look: string }[] = [];
  for (const scheme of SCHEMES)
    for (const width of widths) {
      const page = await (await contextOf(browser, { scheme, width })).newPage();
      page.on('pageerror', (error) => console.log(`  ${error.message}`));
      await page.goto(`${url}#${token}`);
      await page.locator('#markets a').first().waitFor();
      pages.push({ page, look: `${width}-${scheme}` });
    }
  return pages;
}

/** Search part of the address of a view. @param page at the overview */
async function searchOf(page: Page, view: string): Promise<string> {
  if (view !== 'market' && view !== 'explain') return view === 'overview' ? '' : `?view=${view}`;
  const href = (await page.locator('#markets a[href]').first().getAttribute('href')) ?? '';
  const market = new URL(href, page.url()).searchParams.get('market') ?? '';
  return view === 'market' ? `?market=${market}&span=600000` : `?view=explain&subject=${market}`;
}

async function takeViews(pages: Awaited<ReturnType<typeof openPages>>, folder: string, state: string, url: string) {
  const [first] = pages;
  if (first === undefined) return;
  await first.page.goto(url);
  await first.page.locator('#markets a').first().waitFor();
  for (const view of values.views.split(',')) {
    const search = await searchOf(first.page, view);
    for (const { page, look } of pages) {
      await page.goto(`${url}${search}`);
      await page.locator(`#view-${view}`).waitFor();
      // The data of a view arrives after the state.
      await wait(700);
      await take({ page, folder, name: `${view}-${look}-${state}` });
    }
    await first.page.goto(url);
    await first.page.locator('#markets a').first().waitFor();
  }
}

/** Commands that write a report, with its main chart or table. */
const REPORTS = (demo: Demo) =>
  ({
    backtest: [['backtest', ...PLAYED], '#plot-equity canvas'],
    ledger: [['pnl', '-c', demo.file], '#plot-equity canvas'],
    sweep: [['sweep', ...PLAYED, '--param', KELLY, '--out', join(folder, 'sweep')], 'table'],
  }) as const;

async function takeReports(browser: Browser, folder: string, demo: Demo): Promise<void> {
  for (const [name, [args, shown]] of Object.entries(REPORTS(demo))) {
    const report = join(folder, `${name}.html`);
    await command(...args, '--report', report);
    for (const scheme of SCHEMES)
      for (const width of widths) {
        const page = await browser.newPage({ colorScheme: scheme, viewport: { width, height: 800 } });
        await page.goto(pathToFileURL(report).href);
        await page.locator(shown).first().waitFor();
        await take({ page, folder, name: `report-${name}-${width}-${scheme}` });
        await page.close();
      }
  }
}

if (CHROMIUM === null) throw new Error('no Chromium is installed: apt install chromium');
build();
const folder = resolve(positionals[0] ?? mkdtempSync(join(tmpdir(), 'twinbook-pictures-')));
mkdirSync(folder, { recursive: true });
const place = mkdtempSync(join(tmpdir(), 'twinbook-demo-'));
const demo = await startDemo(place);
const browser = await openBrowser();
try {
  await wait(Number(values.seconds) * 1000);
  const pages = await openPages(browser, demo);
  const wanted = values.states.split(',');
  for (const [state, change] of Object.entries(CHANGES)) {
    if (state !== 'busy' || wanted.includes(state)) await change(demo);
    if (wanted.includes(state)) await takeViews(pages, folder, state, demo.url);
    endLoad();
  }
  await takeReports(browser, folder, demo);
} finally {
  endLoad();
  await browser.close();
  await demo.stop();
  rmSync(place, { recursive: true, force: true });
}
console.log(`The pictures are in ${folder}`);
