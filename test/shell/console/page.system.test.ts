/// <reference lib="dom" />
/** The page in a browser: every view, light and dark, desktop and phone, by keyboard, with hostile titles. */

import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Dialog, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ControlQuestion } from '../../../src/shell/control/control-protocol.js';
import { IS_LONG, times } from '../../support/effort.js';
import { untilTrue } from '../../support/waiting.js';
import { m } from '../../trader/ledger/books.js';
import { CHROMIUM, contextOf, DESK, type Look, openBrowser, openTab, violationsOf } from './browser.js';
import { answersOf, playFast } from './play-fast.js';
import { frameAt, HOSTILE, LOST_DAY, playConsole, SECRET, UNQUOTED, VIEW_SECRET } from './played-console.js';
import { ACCOUNT } from './state-of-markets.js';

const LOOKS: readonly Look[] = [
  DESK,
  { scheme: 'dark', width: 400 },
  { scheme: 'dark', width: 1280 },
  { scheme: 'light', width: 400 },
];

/** Address of each view, and an element that shows that it is complete. */
const VIEWS: readonly (readonly [name: string, search: string, shown: string])[] = [
  ['overview', '', '#markets a'],
  ['market', '?market=m1', '#plot-net canvas'],
  ['orders', '?view=orders', '#fill-list a'],
  ['money', '?view=money', '#plot-equity canvas'],
  ['risk', '?view=risk', '#risk-limits i'],
  ['health', '?view=health', '#health-requests td.number'],
  ['alerts', '?view=alerts', '#alerts-recent td'],
  ['log', '?view=log', '#log-lines tr.loud'],
  ['config', '?view=config', '#config-settings td.text'],
  ['runs', '?view=runs', '#runs-list td.code'],
  ['explain', '?view=explain&subject=fill-1', '#explain-tree details'],
  ['explained market', '?view=explain&subject=m1', '#explain-tree details'],
];

/** A reason, not an option. */
const REASON = '--json';

/** Parts of the labels that are not the same on every page. */
const STANDS_FOR: Readonly<Record<string, string>> = {
  'its title': 'Will it rain in Reykjavík on Friday?',
  'its state': `${UNQUOTED.slice(0, 60)}…`,
  'the day': LOST_DAY,
  'the report': ' UTC backtest',
};

/** Performs a task from the overview, and compares its clicks, with those that confirm, to the documented number. */
async function perform(page: Page, task: string): Promise<void> {
  const [, row = ''] = readFileSync('docs/reference.md', 'utf8').split(`\n| ${task} | `);
  const [way = '', documented] = row.split(' |');
  let [clicks, confirmed] = [0, 0];
  const confirm = (dialog: Dialog) => {
    confirmed++;
    void dialog.accept();
  };
  page.on('dialog', confirm);
  for (const [, label, other = ''] of way.matchAll(/`([^`]+)`|\*([^*]+)\*/g)) {
    if (label === 'OK') {
      await untilTrue(() => confirmed > 0);
    } else if (other === 'a reason') {
      await page.locator('#why:focus').waitFor();
      await page.keyboard.type(REASON);
      await page.keyboard.press('Enter');
    } else {
      const how = { name: label ?? STANDS_FOR[other] ?? other, exact: label !== undefined };
      await page.getByRole('button', how).or(page.getByRole('link', how)).first().click();
      clicks++;
    }
  }
  page.off('dialog', confirm);
  expect(clicks + confirmed).toBe(Number(documented));
}

describe.skipIf(CHROMIUM === null)('the page in a browser', () => {
  let played: Awaited<ReturnType<typeof playConsole>>;
  let browser: Browser;
  const contexts = new Map<Look, Promise<BrowserContext>>();
  const errors: string[] = [];

  beforeAll(async () => {
    played = await playConsole();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await played?.close();
  });

  /** One page per look, which visits all views. */
  async function pageIn(look: Look): Promise<Page> {
    const context = contexts.get(look) ?? contextOf(browser, look);
    contexts.set(look, context);
    const [known] = (await context).pages();
    if (known !== undefined) return known;
    const page = await (await context).newPage();
    page.on('console', (message) => {
      // The browser logs the answer to a refused press.
      if (message.type() === 'error' && !message.text().includes('409 (Conflict)')) errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`${played.url}#${encodeURIComponent(SECRET)}`);
    // A navigation before the page has saved its proof would require the password again.
    await page.locator('#markets a').first().waitFor();
    return page;
  }

  async function openView(look: Look, search: string, shown: string): Promise<Page> {
    const page = await pageIn(look);
    await page.goto(`${played.url}${search}`);
    await page.locator(shown).first().waitFor();
    return page;
  }

  const cases = VIEWS.flatMap(([name, search, shown], i) =>
    LOOKS.filter((_, j) => IS_LONG || j === i % LOOKS.length).map(
      (look) => [name, look.scheme, look.width, search, shown, look] as const,
    ),
  );

  test.each(cases)('%s, %s, %i wide, says nothing that axe would mend', async (_, __, width, search, shown, look) => {
    const page = await openView(look, search, shown);
    expect(await violationsOf(page)).toEqual([]);
    // Wide tables scroll inside; the page never scrolls sideways.
    const room = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(room).toBe(0);
    // On a phone rows are cards, and no part of them is off screen.
    const outside = await page.evaluate(() =>
      Array.from(document.querySelectorAll('.view:not([hidden]) .cards'), (one) => one.scrollWidth - one.clientWidth),
    );
    if (width === 400) expect(outside.filter((wider) => wider > 0)).toEqual([]);
    expect(errors).toEqual([]);
  });

  /** Requests to the trader since this call. */
  function listenToTrader(from = played) {
    const before = from.asked.length;
    return () => from.asked.slice(before);
  }

  /** Two presses within three seconds; on a busy machine it may be later ones. */
  const killTwice = (page: Page, asked: () => readonly ControlQuestion[]) =>
    untilTrue(async () => {
      await page.locator('button[data-action=kill]').click();
      return asked().some(({ command }) => command === 'kill');
    });

  const BY = { reason: 'operator, on the page' };
  const config = (action: string, reason = '') => ({
    command: 'config',
    action,
    reason,
    hash: '',
    file: action === 'apply' ? expect.stringMatching(/trader\.yaml$/) : '',
    dryRun: action === 'diff',
  });

  test.each([
    ['pause', 'pause: done', [{ command: 'pause', ...BY }]],
    ['kill', 'kill: done', [{ command: 'kill', ...BY }]],
    ['flatten', 'flatten: done', [{ command: 'flatten' }]],
    ['pause one market', 'pause-market: done, for this market only', [{ command: 'pause', ...BY, market: 'm1' }]],
    [
      'change a setting',
      'apply: risk.max_loss_day: 50 → 60 (looser)',
      [config('diff'), config('apply'), config('diff'), config('apply', REASON)],
    ],
    ['roll it back', 'rollback: risk.max_loss_day: 50 → 60 (looser)', [config('rollback', REASON)]],
    ['find why a market is not quoted', UNQUOTED, []],
    ['find yesterday’s loss and its cause', '−10.08−10.000.080.00214.00', []],
  ] as const)('%s takes the documented clicks', async (task, shown, requests) => {
    const page = await openView(DESK, '', '#markets a');
    const asked = listenToTrader();
    await perform(page, task);
    await page.locator('#said, #money-day tr, #explain-tree li', { hasText: shown }).first().waitFor();
    expect(asked()).toEqual(requests);
  });

  // On a busy machine it takes minutes.
  test.runIf(IS_LONG)('a backtest of the configuration takes the documented clicks, in a tab of its own', async () => {
    const page = await openView(DESK, '', '#markets a');
    const [tab] = await Promise.all([page.waitForEvent('popup'), perform(page, 'backtest the configuration')]);
    await tab.locator('h1').waitFor();
    expect(await tab.title()).toBe('touch – Twinbook report');
    await tab.close();
  });

  test('the actions of a market are reached and pressed by keyboard alone', async () => {
    const page = await openView(DESK, '?market=m1', '#plot-net canvas');
    const asked = listenToTrader();
    /** Presses Tab until that button, or the field of that id, has the focus. */
    const tabTo = async (name: string) => {
      for (let i = 0; i < 100; i++) {
        await page.keyboard.press('Tab');
        const at = await page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent);
        if (at === name) return;
      }
      throw new Error(`Tab does not reach ${name}`);
    };
    await tabTo('why');
    await page.keyboard.type('news');
    await tabTo('Pause this market');
    await page.keyboard.press('Enter');
    await page.getByText('pause-market: done').waitFor();
    // The button with the focus is outlined.
    const focus = await page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outline);
    expect(focus).toContain('solid 3px');
    await tabTo('Flatten this market');
    for (const answer of ['dismiss', 'accept'] as const) {
      const answered = page.waitForEvent('dialog').then((dialog) => dialog[answer]());
      await Promise.all([answered, page.keyboard.press('Enter')]);
    }
    await page.getByText('flatten-market: done').waitFor();
    expect(asked()).toEqual([
      { command: 'pause', reason: 'news', market: 'm1' },
      { command: 'flatten', market: 'm1' },
    ]);
  });

  test('a chart shows prices, our quotes and fills, and the same in tables', async () => {
    const page = await openView(DESK, '?market=m1&span=3600000', '#plot-net canvas');
    await page.locator('details.table summary').click();
    await page.locator('#chart-fills a').first().waitFor();
    const fills = page.locator('#chart-fills tr');
    expect(await fills.count()).toBe(3);
    expect(await page.locator('#chart-rows tr').count()).toBeGreaterThan(30);
    const colours = await page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>('#plot-price canvas');
      const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      const found = new Set<number>();
      for (let i = 0; i < pixels.length; i += 4)
        if (pixels[i + 3] === 255)
          found.add(((pixels[i] ?? 0) << 16) + ((pixels[i + 1] ?? 0) << 8) + (pixels[i + 2] ?? 0));
      return [...found];
    });
    // Our bid and ask, and the fair value, in the colours of the light theme.
    expect([0x1c6cb0, 0xa8500f, 0x0c6a57].filter((colour) => !colours.includes(colour))).toEqual([]);
    // The first fill is older than ten minutes.
    await page.locator('#view-market select').selectOption('600000');
    await untilTrue(async () => (await fills.count()) < 3);
    expect(await page.locator('#plot-price canvas').count()).toBe(1);
    expect(page.url()).toContain('span=600000');
  });

  test('titles of the exchange are text, whatever they say', async () => {
    const page = await openView(DESK, '?market=m2', '#plot-net canvas');
    expect(await page.locator('#view-market-title').textContent()).toBe(HOSTILE.replace('\u202e', ''));
    await openView(DESK, '?view=log&filter=onerror', '#log-lines tr.loud');
    expect(await page.locator('#log-lines tr').count()).toBe(1);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).not.toBe('taken');
    expect(errors).toEqual([]);
  });

  test('fills are saved as a file with the documented clicks, and hold no formula', async () => {
    const page = await openView(DESK, '', '#markets a');
    const [file] = await Promise.all([page.waitForEvent('download'), perform(page, 'save CSV')]);
    expect(file.suggestedFilename()).toBe('fills.csv');
    const text = readFileSync(await file.path(), 'utf8');
    expect(text.split('\n')).toHaveLength(7);
    expect(text).toContain('Will it rain in Reykjavík on Friday?,sell,YES,0.62,5');
    expect(errors).toEqual([]);
  });

  test('says how the files differ when it is asked', async () => {
    const page = await openView(DESK, '?view=config', '#config-settings td.text');
    await page.locator('#compare').click();
    await page.locator('#config-diff', { hasText: 'max_loss_day' }).waitFor();
  });

  test('many pages of one browser leave room for what is pressed', async () => {
    const { context, page } = await openTab(browser);
    let last = page;
    for (let i = 0; i < 7; i++) {
      last = i === 0 ? page : await context.newPage();
      await last.goto(`${played.url}#${encodeURIComponent(SECRET)}`);
      await last.locator('#markets a').first().waitFor();
    }
    await killTwice(last, listenToTrader());
  });

  test('a page that is not visible asks rarely, and at once when it is shown again', async () => {
    const { page } = await openTab(browser);
    await page.clock.install();
    await page.goto(`${played.url}#${encodeURIComponent(SECRET)}`);
    await page.locator('#markets a').first().waitFor();
    const turn = (isHidden: boolean) =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
        document.dispatchEvent(new Event('visibilitychange'));
      }, isHidden);
    // From here on timers wait for `runFor`.
    await page.clock.pauseAt(Date.now() + 60_000);
    let asked = 0;
    page.on('request', (request) => request.url().includes('/state') && asked++);
    await turn(true);
    await untilTrue(() => asked > 0);
    asked = 0;
    for (let second = 0; second < 28; second++) {
      await page.clock.runFor(1_000);
      // Gives an answer in flight the time to arrive.
      await page.evaluate(async () => (await fetch('/')).text());
    }
    expect(asked).toBeLessThan(3);
    asked = 0;
    await turn(false);
    await untilTrue(() => asked > 0);
  });

  test('a wrong token opens nothing but the way to type another, and never leaves the page', async () => {
    const { page } = await openTab(browser);
    const sent: string[] = [];
    page.on('request', (request) =>
      sent.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData()}`),
    );
    await page.clock.install();
    await page.goto(`${played.url}#wrong-token`);
    await page.locator('#login').waitFor();
    await page.clock.runFor(5_000);
    expect(sent.filter((one) => one.includes('wrong-token'))).toEqual([]);
    expect(sent.filter((one) => one.includes('/session/greeting'))).toHaveLength(1);
    expect(sent.filter((one) => one.includes('"proof"'))).toEqual([]);
    expect(await page.locator('#banner').textContent()).toMatch(/^Wrong password or token, or another program answers/);
    expect(await page.locator('#main').isVisible()).toBe(false);
    expect(await page.locator('#mode').textContent()).toBe('…');
    expect(page.url()).toBe(played.url);
    expect(await violationsOf(page)).toEqual([]);
    await page.locator('#secret').fill(SECRET);
    await page.keyboard.press('Enter');
    await page.locator('#main').waitFor();
  });

  test('a reader without a role to act has no button', async () => {
    const { page } = await openTab(browser);
    await page.goto(`${played.url}#${encodeURIComponent(VIEW_SECRET)}`);
    await page.locator('#markets a').first().waitFor();
    expect(await page.locator('button[data-action]:visible').count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
  });

  test('several traders are listed with one that is dead, looked at one by one, and killed together', async () => {
    const several = await playConsole(true);
    const { context, page } = await openTab(browser);
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`${several.url}#${encodeURIComponent(SECRET)}`);
    await page.locator('#trader-list a').first().waitFor();
    await page.locator('#mode', { hasText: /^2 traders, 1 trader does not answer$/ }).waitFor();
    expect(page.url()).toBe(`${several.url}?view=traders`);
    expect(await page.locator('#trader-list').textContent()).toMatch(
      /quoting.*second.*NOT RUNNING.*no trader is running/,
    );
    expect(await page.locator('button[data-action]:visible').allTextContents()).toEqual(['Pause all', 'KILL all']);
    expect(await violationsOf(page)).toEqual([]);
    await page.locator('#trader-list a').first().click();
    await page.locator('#markets a').first().waitFor();
    expect(page.url()).toBe(`${several.url}?trader=trader`);
    await page.locator('#markets a').first().click();
    await page.locator('#plot-net canvas').waitFor();
    // Until the other trader's state arrives, the buttons act on what is shown.
    const asked = listenToTrader(several);
    const isLate = (url: URL) => url.search.includes('trader=second');
    await page.route(isLate, (request) => request.abort());
    const question = page.waitForEvent('dialog').then(async (dialog) => {
      await dialog.accept();
      return dialog.message();
    });
    await page.locator('#trader-name').selectOption('second');
    await page.getByText('Flatten this market').click();
    expect(await question).toContain('\n\nTrader: trader\nMarket: Will it rain in Reykjavík on Friday?');
    await page.getByText('flatten-market of trader: done').waitFor();
    expect(asked()).toEqual([{ command: 'flatten', market: 'm1' }]);
    await page.unroute(isLate);
    await page.locator('#mode.stopped', { hasText: /^not running$/ }).waitFor();
    expect(await page.locator('#banner').textContent()).toContain(
      'The data shown is from the ledger. KILL still works',
    );
    expect(await page.locator('#figures').textContent()).toContain('Open orders–');
    expect(page.url()).toBe(`${several.url}?trader=second`);
    await page.locator('#trader-name').selectOption('');
    await page.locator('#view-traders').waitFor();
    // A command for all and one for this trader are different.
    await killTwice(page, () => (several.isOtherStopped() ? several.asked : []));
    // Before its console ends, which would change the page.
    await context.close();
    expect(errors).toEqual([]);
    await several.close();
  });

  test('each day with a result is a cell of the calendar that leads to its markets', async () => {
    const page = await openView({ scheme: 'dark', width: 400 }, '?view=money', '#calendar a');
    const booked = await page.locator('#money-days tr').evaluateAll((rows) =>
      rows.map((row) => {
        const [day, net] = Array.from(row.children, (cell) => cell.textContent ?? '');
        return [Number(day?.slice(-2)), net, net?.startsWith('+') ? 'good' : 'bad'].join();
      }),
    );
    const cells = await page.locator('#calendar td:has(a)').evaluateAll((all) =>
      all.map((cell) => {
        const link = cell.querySelector('a');
        const date = new Date(new URL(link?.href ?? '').searchParams.get('at') ?? '');
        const day = [Number(cell.querySelector('small')?.textContent), link?.textContent, cell.className].join();
        return { day, isInItsColumn: (date.getUTCDay() + 6) % 7 === (cell as HTMLTableCellElement).cellIndex };
      }),
    );
    expect(booked.length).toBeGreaterThan(1);
    expect(cells.map(({ day }) => day).sort()).toEqual(booked.sort());
    expect(cells.filter(({ isInItsColumn }) => !isInItsColumn)).toEqual([]);
    await page.locator('#calendar a').last().focus();
    await page.keyboard.press('Enter');
    await page.locator('#money-day a').first().waitFor();
    expect(await page.locator('#money-days tr').count()).toBe(1);
  });

  test(
    'a page that is open for a day keeps nothing of it',
    async () => {
      const { context, page } = await openTab(browser);
      await page.goto(`${played.url}?market=m1#${encodeURIComponent(SECRET)}`);
      await page.locator('#plot-net canvas').waitFor();
      await page.addInitScript(playFast, await answersOf(played.url));
      await page.reload();
      const session = await context.newCDPSession(page);
      await session.send('Performance.enable');
      const after = async (frames: number) => {
        await page.evaluate((count) => {
          document.documentElement.dataset['playTo'] = String(count);
        }, frames);
        const stands = (count: number) => Number(document.documentElement.dataset['stands'] ?? 0) >= count;
        await page.waitForFunction(stands, frames, { polling: 250 });
        for (let i = 0; i < 3; i++) await session.send('HeapProfiler.collectGarbage');
        const { metrics } = await session.send('Performance.getMetrics');
        const of = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
        return { heap: of('JSHeapUsedSize'), nodes: of('Nodes'), listeners: of('JSEventListeners') };
      };
      // The minimum of several: the browser's own temporary objects do not count.
      const least = async (...frames: readonly number[]) => {
        const looks: Awaited<ReturnType<typeof after>>[] = [];
        for (const count of frames) looks.push(await after(count));
        const of = (name: 'heap' | 'nodes' | 'listeners') => Math.min(...looks.map((look) => look[name]));
        return { heap: of('heap'), nodes: of('nodes'), listeners: of('listeners') };
      };
      const early = await least(...times([60, 90, 120], [300, 400, 500]));
      const late = await least(...times([340, 370, 400], [172_600, 172_700, 172_800]));
      expect(await page.locator('#plot-net canvas').count()).toBe(1);
      if (IS_LONG) console.log(`a page open for a day: ${JSON.stringify({ early, late })}`);
      // In its first minutes the heap grows by compiled code.
      for (const name of times(['nodes', 'listeners'] as const, ['heap', 'nodes', 'listeners'] as const))
        expect([name, late[name] <= early[name] * times(1.1, 1.05)]).toEqual([name, true]);
    },
    times(300_000, 10_800_000),
  );

  test('a killed trader offers cancel-all and the way back, with its proof, and marks old prices', async () => {
    const killed = await playConsole();
    killed.hang();
    const nowMs = Date.now();
    const [first, second] = frameAt(nowMs).markets;
    if (first === undefined || second === undefined) throw new Error('there are two markets');
    const mode = { mode: 'killed', reason: 'odd prices', wayBack: 'unkill --reason TEXT', openOrders: 0 };
    killed.tell({
      ...frameAt(nowMs),
      account: { ...ACCOUNT, ...mode, proven: true, provenMs: nowMs - 60_000, cashMicros: m(12_345_678_901) },
      markets: [{ ...first, bookSeenMs: nowMs - 45_000 }, second],
    });
    const { context, page } = await openTab(browser);
    await page.goto(`${killed.url}#${encodeURIComponent(SECRET)}`);
    await page.locator('#mode.stopped', { hasText: 'killed' }).waitFor();
    const labels = await page.locator('button[data-action]:visible').allTextContents();
    expect(labels).toEqual(['Cancel all', 'Lift the kill']);
    expect(await page.locator('#proof').textContent()).toMatch(/^No order rests: confirmed twice at \d\d:\d\d:\d\d\.$/);
    expect(await page.locator('#banner').textContent()).toMatch(/^Prices of 1 of 2 markets are up to \d+ s old/);
    expect(await page.locator('#markets tr.old').count()).toBe(1);
    expect(await page.locator('#markets tr td:last-child').allTextContents()).toEqual(['killed', 'killed']);
    expect(await page.locator('[title="12345.678901"]').textContent()).toBe('12,345.68');
    const asked = listenToTrader(killed);
    await perform(page, 'lift the kill');
    await page.getByText('unkill: done').waitFor();
    expect(asked()).toEqual([{ command: 'unkill', reason: REASON }]);
    await context.close();
    await killed.close();
  });

  test('an exchange and a trader that do not answer are shown so, and what is shown as old', async () => {
    const page = await openView(DESK, '', '#markets a');
    expect(await page.locator('#mode').getAttribute('class')).toBe('quoting');
    played.hang();
    played.tell({ ...frameAt(Date.now()), account: { ...ACCOUNT, silent: true } });
    // Not in the color of success.
    await page.locator('#mode.stopped', { hasText: 'quoting, the exchange does not answer' }).waitFor();
    played.tell(frameAt(Date.now() - 172_800_000));
    await page.locator('#mode.quoting').waitFor();
    await page.locator('#banner', { hasText: /^The trader does not answer/ }).waitFor();
    // A time before today has its date.
    expect(await page.locator('#banner').textContent()).toMatch(
      /The data shown is from \d+ \w+ (?:\d{4} )?\d\d:\d\d:\d\d\. KILL still works\. Guardian: watching/,
    );
    expect(await page.locator('#figures').textContent()).toMatch(/ledger and exchange agree, \d+ \w+ (?:\d{4} )?\d\d:/);
    expect(await page.locator('#mode').textContent()).toBe('not answering');
    expect(await page.locator('#markets tr').count()).toBe(2);
    expect(await violationsOf(page)).toEqual([]);
  });
});
