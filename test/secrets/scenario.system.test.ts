/** A trader's whole life with canary secrets, under failures: no output or file of a process contains one. */

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { importKeyFile } from '../../src/shell/wallet/key-file.js';
import { alteringProxy } from '../support/altering-proxy.js';
import { exchangeAt, folderOf, makerYaml, ran, started, traderYaml } from '../support/cases.js';
import { loadingFirst } from '../support/processes.js';
import { filesBelow, homeAt, leaksIn, leakText, learn } from './evidence.js';
import { allReadings } from './readings.js';
import { SecretSearch } from './search.js';

const canary = (name: string) => `${name}-"${randomBytes(15).toString('base64')}" \\ 100%`;
const PASSPHRASE = canary('passphrase');
const WRONG_PASSPHRASE = canary('wrong');
const PASSWORD = canary('password');
const KEY = randomBytes(32);
const RAISE = join(import.meta.dirname, 'raise.mjs');

/** Files that may hold secrets; no other file may. */
const HOMES = ['wallet.json', 'id.json', 'cut.json', 'imported.json', 'credentials.json', 'guardian-credentials.json'];

/** Sends unexpected input to the control socket. */
const disturb = (socket: string) =>
  new Promise<void>((done) => {
    const connection = connect(socket, () => {
      for (const line of ['{', 'null', `{"command":"${'x'.repeat(5_000)}"}`, '\0\u00ff', '[]'])
        connection.write(`${line}\n`);
      connection.end();
    });
    connection.on('close', () => done()).on('error', () => done());
    connection.resume();
  });

/** The venue behind a proxy that at first corrupts signatures and repeats all known data in its errors. */
async function quotingVenue(url: string, folder: string): Promise<{ readonly url: string; calm(): void }> {
  const secretOf = () => {
    const path = join(folder, 'credentials.json');
    return existsSync(path) ? (homeAt(path)?.texts[0] ?? '') : '';
  };
  const proxy = await alteringProxy(url);
  let [signed, spoils] = [0, true];
  // At first every tenth signed request is corrupted, and the error repeats all data that the venue knows.
  proxy.alter = ({ headers }) =>
    !spoils || headers['svc-signature'] === undefined || ++signed % 10 !== 0
      ? {}
      : { headers: { ...headers, 'svc-signature': 'f'.repeat(64) } };
  proxy.answer = (body, { headers }) =>
    body.replace(/"message":\s*"[^"]*[Ii]nvalid signature[^"]*"/, () => {
      const secret = secretOf();
      const spelled = [secret, Buffer.from(secret).toString('base64'), Buffer.from(secret).toString('hex')];
      return `"message":${JSON.stringify(`Invalid signature under ${spelled.join(' ')} of ${JSON.stringify(headers)}`)}`;
    });
  return {
    url: proxy.url,
    calm: () => (spoils = false),
  };
}

/** Searches all output and files there for every secret. */
async function leaksOf(folder: string, outputs: ReadonlyMap<string, () => string>): Promise<readonly string[]> {
  const search = new SecretSearch();
  for (const text of [PASSPHRASE, WRONG_PASSPHRASE, PASSWORD]) search.add(text.split('-')[0] ?? '', text);
  const homes = filesBelow(folder).filter((path) => HOMES.includes(path.slice(path.lastIndexOf('/') + 1)));
  for (const path of homes) learn(search, homeAt(path) ?? { file: path, keys: [], texts: [] });
  // Three texts, key and key pair, the trader's API secret.
  expect(search.size).toBeGreaterThanOrEqual(6);
  const files = filesBelow(folder).filter((path) => !homes.includes(path) && !path.endsWith('secret.yaml'));
  const names = files.map((path) => path.slice(folder.length + 1));
  for (const kind of [/^ledger\.sqlite$/, /^trader\.log$/, /\.ndjson/, /run\.json/, /\.parquet$/, /report\.html/])
    expect(names).toContainEqual(expect.stringMatching(kind));
  const leaks = [...outputs].flatMap(([name, output]) =>
    leaksIn(name, [{ as: 'output', bytes: Buffer.from(output()) }], search),
  );
  for (const path of files) leaks.push(...leaksIn(path.slice(folder.length + 1), await allReadings(path), search));
  return leaks.map(leakText);
}

it('no secret stands in anything that was written, whatever went wrong', async () => {
  const { url, running: exchange } = await exchangeAt('--seed', '3', '--no-rate-limits');
  const folder = folderOf({ 'maker.yaml': makerYaml('{ max: 2 }') });
  const [file, wallet, temporary] = [join(folder, 'trader.yaml'), join(folder, 'wallet.json'), join(folder, 'tmp')];
  mkdirSync(temporary);
  // A quickly sealed key, and a plain key beside it for the import.
  const id = join(folder, 'id.json');
  writeFileSync(id, KEY.toString('hex'), { mode: 0o600 });
  writeFileSync(join(folder, 'cut.json'), JSON.stringify([...KEY]).slice(0, -20), { mode: 0o600 });
  importKeyFile(id, { path: wallet, passphrase: PASSPHRASE, scrypt: { n: 2 ** 12, r: 8, p: 1 } });

  const venue = await quotingVenue(url, folder);
  // On a busy machine a restart may take longer than a guardian waits.
  const companions = 'guardian: { resume_after_alarm: true }\ndashboard: {}';
  const whole = `recording: { enabled: true, dir: recordings }\n${companions}`;
  writeFileSync(file, traderYaml(venue.url, `strategies: [maker.yaml]\n${whole}`));
  writeFileSync(join(folder, 'secret.yaml'), `${traderYaml(venue.url)}passphrase: ${JSON.stringify(PASSPHRASE)}\n`);

  const outputs = new Map<string, () => string>([['exchange', exchange.output]]);
  const env = {
    ...{ TWINBOOK_WALLET_PASSPHRASE: PASSPHRASE, TWINBOOK_DASHBOARD_PASSWORD: PASSWORD, RAISED_SECRET: PASSPHRASE },
    ...{ TMPDIR: temporary, HOME: folder, TWINBOOK_DEBUG: '1' },
  };
  const begin = (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const running = started(args, { ...env, ...more });
    outputs.set(`${outputs.size} ${args.slice(0, 2).join(' ')}`, running.output);
    return running;
  };
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const run = async (line: string, more: Readonly<Record<string, string>> = {}) => {
    const ended = await ran(line.split(' '), { ...env, ...more });
    outputs.set(`${outputs.size} ${line}`, () => ended.output);
    return ended;
  };
  const trade = (more: Readonly<Record<string, string>> = {}) => begin(['start', '-c', file], more);

  // A user's mistakes.
  const mistakes = await Promise.all([
    run(`keys show -c ${file}`, { TWINBOOK_WALLET_PASSPHRASE: WRONG_PASSPHRASE }),
    run(`keys import --from ${join(folder, 'cut.json')} --to ${join(folder, 'never.json')}`),
    run(`config check -c ${join(folder, 'secret.yaml')}`),
    run(`config check -c ${file}`, { TWINBOOK__WALLET__PASSPHRASE: PASSPHRASE }),
    run(`keys show -c ${file}`, { TWINBOOK_API_SECRET: PASSWORD }),
    run(`start -c ${file}`, { TWINBOOK_API_SECRET: PASSWORD }),
  ]);
  expect(mistakes.map(({ code }) => code)).toEqual([4, 4, 4, 4, 0, 4]);

  // One process is killed, one ends with an internal error, one is stopped.
  const first = trade();
  await first.waitFor(/twinbook .* trades on/);
  // Only the client could add it to the journal, and it removes it.
  const journal = () => filesBelow(join(folder, 'runs')).filter((path) => path.endsWith('.ndjson'));
  const heard = () =>
    journal()
      .map((path) => readFileSync(path, 'utf8'))
      .join('');
  await vi.waitFor(() => expect(heard()).toContain('Invalid signature under [redacted] [redacted]'), 60_000);
  // Repeatedly rejected lists would prevent the start.
  venue.calm();
  await first.waitFor(/fill: /);
  await disturb(join(folder, 'ledger.sqlite.sock'));
  const asked = await Promise.all([
    run(`status -c ${file} --json`),
    run(`doctor -c ${file} --json`),
    run(`config show -c ${file}`, { TWINBOOK__VENUE__BASE_URL: 'http://127.0.0.1:1' }),
    run(`keys list -c ${file}`),
  ]);
  for (const { code, output } of asked) expect([0, 1], output).toContain(code);
  first.process.kill('SIGKILL');
  await first.exited;

  const second = trade(loadingFirst(RAISE));
  await second.waitFor(/quoting \|/);
  second.process.kill('SIGWINCH');
  expect(await second.exited).toBe(1);
  expect(second.output()).toMatch(/boom: \[redacted\]\S{0,3} \[redacted\]\n/);
  expect(readFileSync(join(folder, 'trader.log'), 'utf8')).toMatch(/caused by: Error: cause: \[redacted\]/);

  const third = trade();
  await third.waitFor(/quoting \|/);
  third.process.kill('SIGTERM');
  await third.exited;

  // Commands that process the run afterwards.
  const [newest = ''] = readdirSync(join(folder, 'runs')).sort().reverse();
  const afterwards = await Promise.all([
    run(`replay ${newest} -c ${file}`),
    run(`pnl -c ${file} --report ${join(folder, 'report.html')}`),
    run(`orders -c ${file} --json`),
    run(`fills -c ${file} --json`),
    run(`drafts --all -c ${file} --json`),
  ]);
  for (const { code, output } of afterwards) expect([0, 6], output).toContain(code);

  expect(await leaksOf(folder, outputs)).toEqual([]);
});
