/// <reference lib="dom" />
/** Every kind of report in a browser: accessible in light and dark, and never wider than its window. */

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { analyse } from '../../../src/lab/report/analysis/analyse.js';
import { reportHtml } from '../../../src/lab/report/html/report-html.js';
import { sweepHtml } from '../../../src/lab/sweep/sweep-html.js';
import { CHROMIUM, contextOf, openBrowser, violationsOf } from '../../shell/console/browser.js';
import { madeUp } from '../sweep/made-up.js';
import { makeBracket, makeSession } from './session.js';

const reportOf = (sessions: ReturnType<typeof makeBracket>) => reportHtml({ sessions }, sessions.map(analyse));
const KINDS = [
  ['a bracket of backtests', () => reportOf(makeBracket({ markets: 3, hours: 2 }))],
  ['a live ledger', () => reportOf([{ ...makeSession({ markets: 3, hours: 2 }), kind: 'live', requests: null }])],
  ['a sweep', () => sweepHtml(madeUp({ events: 16, sizes: [3, 3] }))],
] as const;
const LOOKS = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 400 },
] as const;

describe.skipIf(CHROMIUM === null)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => (browser = await openBrowser()));
  afterAll(() => browser?.close());

  test.each(KINDS.flatMap(([kind, make]) => LOOKS.map((look) => [kind, look.scheme, look, make] as const)))(
    'the report of %s, %s, has nothing that axe finds',
    async (_kind, _scheme, look, make) => {
      const context = await contextOf(browser, look);
      const page = await context.newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(error.message));
      await page.setContent(make());
      expect(await violationsOf(page)).toEqual([]);
      const aside = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect([aside, ...errors]).toEqual([0]);
      await context.close();
    },
  );
});
