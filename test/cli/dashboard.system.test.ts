import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { loadTraderConfig } from '../../src/shell/config/load.js';
import { locatePageToken, obtainPageToken } from '../../src/shell/console/page-access.js';
import { trader } from '../shell/config/files.js';
import { CHROMIUM, openBrowser } from '../shell/console/browser.js';
import { consoleOf } from '../shell/console/told-trader.js';
import { folderOf } from '../support/folders.js';
import { freePort } from '../support/listening.js';
import { openPageSession } from '../support/page-client.js';
import { run } from './run.js';

const PASSWORD = 'a password of more than thirty-two';

async function place(lines = 'start: false') {
  const port = await freePort();
  const cwd = folderOf({ 'trader.yaml': trader(`dashboard: { port: ${port}, ${lines} }`) });
  const ledger = join(cwd, 'twinbook.sqlite');
  const serve = async (secret = obtainPageToken(ledger)) => {
    await consoleOf({ config: loadTraderConfig('trader.yaml', { cwd, env: {} }), secret });
  };
  const ask = (env: Readonly<Record<string, string>> = {}, ...more: readonly string[]) =>
    run(['dashboard', '-c', 'trader.yaml', ...more], { cwd, env });
  return { cwd, ledger, serve, ask, url: `http://127.0.0.1:${port}/` };
}

/** A program that records its arguments in place of a browser. */
function fakeBrowser(cwd: string) {
  const args = join(cwd, 'opened');
  writeFileSync(join(cwd, 'xdg-open'), `#!/bin/sh\nprintf '%s' "$*" > '${args}.new'\nmv '${args}.new' '${args}'\n`, {
    mode: 0o755,
  });
  return { args, env: { DISPLAY: ':0', PATH: `${cwd}:/usr/bin:/bin` } };
}

describe('twinbook dashboard', () => {
  test('prints the address, whose token opens the page, and opens it where a browser can be opened', async () => {
    const { cwd, serve, ask, url, ledger } = await place();
    await serve();
    const printed = await ask();
    expect(printed).toEqual({ code: 0, out: `${url}#${obtainPageToken(ledger)}\n`, err: '' });
    const { ask: request } = await openPageSession(url, printed.out.trim().split('#')[1] ?? '');
    expect((await request('/traders')).status).toBe(200);
    const { code, out, err } = await ask({ DISPLAY: ':0', PATH: cwd });
    expect([code, out.startsWith(url)]).toEqual([0, true]);
    expect(err).toMatch(/^warning: no browser was opened \(.*ENOENT\); open the address yourself\n$/);
    const { args, env } = fakeBrowser(cwd);
    expect((await ask(env, '--no-open')).code).toBe(0);
    expect(existsSync(args)).toBe(false);
    expect((await ask(env)).code).toBe(0);
    await vi.waitFor(() => expect(existsSync(args)).toBe(true));
    // The token is in a private file, and in no argument of a process.
    const file = readFileSync(args, 'utf8');
    expect(file).toBe(`${ledger}.page-open.html`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain(`location.replace("${url}#${obtainPageToken(ledger)}")`);
  });

  test.skipIf(CHROMIUM === null)('leads a browser through that file into the page', async () => {
    const { cwd, serve, ask, url, ledger } = await place();
    await serve();
    expect((await ask(fakeBrowser(cwd).env)).code).toBe(0);
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    await page.goto(`file://${ledger}.page-open.html`);
    await page.locator('#main').waitFor();
    expect(page.url()).toBe(url);
  });

  test('prints no password', async () => {
    const { serve, ask, url } = await place();
    await serve(PASSWORD);
    const { code, out, err } = await ask({ TWINBOOK_DASHBOARD_PASSWORD: PASSWORD });
    expect({ code, out, err }).toEqual({ code: 0, out: `${url}\n`, err: 'Type the password on that page.\n' });
  });

  test('prints no token for another program at the address', async () => {
    const { serve, ask, ledger } = await place();
    await serve(PASSWORD);
    const token = obtainPageToken(ledger);
    const { code, out, err } = await ask();
    expect([code, out]).toEqual([4, '']);
    expect(err).toContain('does not prove that it knows the token');
    expect(err).not.toContain(token);
  });

  const nothing = () => undefined;
  const drawOpen = (ledger: string) => {
    obtainPageToken(ledger);
    chmodSync(locatePageToken(ledger), 0o644);
  };
  test.each<[string, string, (ledger: string) => unknown, number, string]>([
    ['no trader runs', 'start: true', nothing, 3, 'no trader is running'],
    ['no console answers', 'start: false', obtainPageToken, 3, 'no dashboard answers at http://127.0.0.1:'],
    ['none is configured', 'enabled: false', nothing, 4, 'dashboard.enabled is false'],
    ['no token was drawn', 'start: false', nothing, 1, '.page-token does not exist'],
    ['others can read the token', 'start: false', drawOpen, 4, 'has mode 0644; it must be 0600'],
  ])('says so where %s', async (_, lines, prepare, code, words) => {
    const { ask, ledger } = await place(lines);
    prepare(ledger);
    const refused = await ask();
    expect([refused.code, refused.out]).toEqual([code, '']);
    expect(refused.err).toContain(words);
  });
});
