/** Several API keys from the command line: making, replacing and revoking them, and measuring what the venue counts by. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { PAPER_DEFAULTS, startExchange } from '../../../src/exchange/exchange.js';
import { readProfile } from '../../../src/shell/config/sections/venue.js';
import { venueFile } from '../../../src/shell/config/shipped.js';
import { trader } from '../../shell/config/files.js';
import { folderOf } from '../../support/folders.js';
import { run } from '../run.js';

const profile = readProfile(venueFile('paper'), '/');

async function folderAt(signedLimitPer: 'key' | 'wallet') {
  const exchange = await startExchange({ ...PAPER_DEFAULTS, profile, port: 0, crowd: false, signedLimitPer });
  onTestFinished(() => exchange.close());
  const cwd = folderOf({
    'trader.yaml': trader().replace('profile: paper', `profile: paper, base_url: "${exchange.url}"`),
  });
  const keys = (...argv: string[]) => run(['keys', ...argv], { cwd });
  await keys('create', '--plain-text-key', '--file', 'wallet.json');
  expect(await keys('bootstrap', '-c', 'trader.yaml')).toMatchObject({ code: 0 });
  const stored = (): string[] => {
    const file = JSON.parse(readFileSync(join(cwd, 'credentials.json'), 'utf8')) as { entries: { api_key: string }[] };
    return file.entries.map(({ api_key }) => api_key);
  };
  const bootstrap = async (...words: string[]) => {
    const { out, err, code } = await keys('bootstrap', '-c', 'trader.yaml', '--json', ...words);
    return { code, err, key: code === 0 ? (JSON.parse(out) as { api_key: string }).api_key : '' };
  };
  return { cwd, keys, stored, bootstrap };
}

it('keys are added, replaced and revoked one by one, and no stored secret is lost unasked', async () => {
  const { keys, stored, bootstrap } = await folderAt('key');
  const [first = ''] = stored();
  const { key: second } = await bootstrap('--add');
  expect(stored()).toEqual([first, second]);
  const unasked = await bootstrap();
  expect(unasked).toMatchObject({ code: 2, err: expect.stringContaining('2 API keys are stored already') });
  expect(await bootstrap('--replace', 'key_nobodys')).toMatchObject({ code: 2 });
  expect(stored()).toEqual([first, second]);
  const { key: third } = await bootstrap('--replace', first);
  expect(stored()).toEqual([third, second]);
  const listed = await keys('list', '-c', 'trader.yaml', '--json');
  const here = (JSON.parse(listed.out) as { key_id: string; here: boolean }[]).filter((row) => row.here);
  expect(here.map(({ key_id }) => key_id).sort()).toEqual([second, third].sort());
  expect(await keys('revoke', second, '-c', 'trader.yaml')).toMatchObject({ code: 0 });
  expect(stored()).toEqual([third]);
});

it.each(['key', 'wallet'] as const)('the doctor finds what a venue counts signed requests by: %s', async (by) => {
  const { cwd, bootstrap } = await folderAt(by);
  const doctor = (...words: string[]) => run(['doctor', '-c', 'trader.yaml', '--keys', ...words], { cwd });
  expect((await doctor()).err).toContain('`twinbook keys bootstrap --add` makes another');
  await bootstrap('--add');
  const told = await doctor();
  expect(told.out).toMatch(
    /^asks 14 signed reads, one after another: 12 under key_\w+, two under key_\w+, of 300 a minute\n/,
  );
  const { code, out } = await doctor('--json');
  const fell = by === 'key' ? 1 : 13;
  expect(JSON.parse(out)).toMatchObject({ countedBy: by, declared: 'key', firstFell: 11, secondFell: fell });
  expect(told.code).toBe(code);
  expect(code).toBe(by === 'key' ? 0 : 1);
  if (by === 'wallet') expect(told.out).toContain('write signed_limit_per: wallet under venue');
});
