/** Debian's Chromium, driven by playwright-core, and the tests' helpers for pages. */

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

/** Path of a browser; null without one, which skips its tests. */
export const CHROMIUM =
  [
    process.env['TWINBOOK_CHROMIUM'] ?? '',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ].find((path) => path !== '' && existsSync(path)) ?? null;

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM ?? '',
    // Most containers do not allow the sandbox; only our own page is opened.
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--js-flags=--expose-gc'],
    // The run's variables mark left-over processes; Chromium crashes under the library of faketime.
    env: { ...process.env, LD_PRELOAD: '' } as Record<string, string>,
  });

export interface Look {
  readonly scheme: 'light' | 'dark';
  readonly width: number;
}

export async function contextOf(browser: Browser, { scheme, width }: Look): Promise<BrowserContext> {
  const options = { colorScheme: scheme, viewport: { width, height: 800 }, reducedMotion: 'reduce' } as const;
  const context = await browser.newContext(options);
  // Only the test's own timeout applies.
  context.setDefaultTimeout(0);
  return context;
}

/** The usual look. */
export const DESK: Look = { scheme: 'light', width: 1280 };

/** A tab of its own for one test. */
export async function openTab(browser: Browser) {
  const context = await contextOf(browser, DESK);
  onTestFinished(() => context.close());
  return { context, page: await context.newPage() };
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Violations found by axe, one line each: the rule and the place. The page's policy would block axe. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: `${readFileSync(AXE, 'utf8')};undefined` });
  const found = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => JSON.stringify(violations.flatMap(
      ({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ': ' + failureSummary))))`,
    awaitPromise: true,
  });
  await session.detach();
  return JSON.parse(String(found.result.value));
}
