import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadTraderConfig } from '../../src/shell/config/load.js';
import { locatePageToken, obtainPageToken } from '../../src/shell/console/page-access.js';
import { trader } from '../shell/config/files.js';
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
  const ask = (env: Readonly<Record<string, string>> = {}) => run(['dashboard', '-c', 'trader.yaml'], { cwd, env });
  return { cwd, ledger, serve, ask, url: `http://127.0.0.1:${port}/` };
}

describe('twinbook dashboard', () => {
  test('prints the address, whose token opens the page', async () => {
    const { serve, ask, url, ledger } = await place();
    await serve();
    const { code, out, err } = await ask();
    expect({ code, out, err }).toEqual({ code: 0, out: `${url}#${obtainPageToken(ledger)}\n`, err: '' });
    const { ask: request } = await openPageSession(url, out.trim().split('#')[1] ?? '');
    expect((await request('/traders')).status).toBe(200);
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
