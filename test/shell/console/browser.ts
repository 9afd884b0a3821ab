/** Debian's Chromium, driven by playwright-core, and what its tests need of a page. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** Where a browser may be; null where none is installed, so its tests are skipped. */
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
    // A sandbox needs what containers mostly do not allow; nothing but our own page is opened.
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--js-flags=--expose-gc'],
    // The mark of the run finds what is left running; Chromium crashes under the library of faketime.
    env: { ...process.env, LD_PRELOAD: '' } as Record<string, string>,
  });

export interface Look {
  readonly scheme: 'light' | 'dark';
  readonly width: 400 | 1280;
}

export async function contextOf(browser: Browser, { scheme, width }: Look): Promise<BrowserContext> {
  const options = { colorScheme: scheme, viewport: { width, height: 800 }, reducedMotion: 'reduce' } as const;
  const context = await browser.newContext(options);
  // Only the limit of a test ends a wait in vain.
  context.setDefaultTimeout(0);
  return context;
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What axe finds wrong, one line each: the rule, and where. The page's own policy would not let axe in. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  const { readFileSync } = await import('node:fs');
  await session.send('Runtime.evaluate', { expression: `${readFileSync(AXE, 'utf8')};undefined` });
  const found = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => JSON.stringify(violations.flatMap(
      ({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ': ' + failureSummary))))`,
    awaitPromise: true,
  });
  await session.detach();
  return JSON.parse(String(found.result.value));
}
