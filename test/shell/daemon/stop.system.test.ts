/** Every way to stop a trader, with real processes: one that answers, one that hangs, one that is gone. */

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import type { PageState } from '../../../src/shell/console/page-state.js';
import { endInOrder, exchangeOfFile, makerYaml } from '../../support/cases.js';
import { listening } from '../../support/listening.js';
import { openPageSession } from '../../support/page-client.js';
import type { Running } from '../../support/processes.js';
import { marketsOf } from '../../support/venue.js';
import { until, untilTrue } from '../../support/waiting.js';
import { traderAt } from './trader-at.js';

/** A trader without a guardian that could cancel orders for it. */
const ALONE = 'strategies: [maker.yaml]';
/** With console and guardian connected. */
const WATCHED = `${ALONE}\nguardian: {}\ndashboard: { port: 0 }`;

const exchangeUrl = exchangeOfFile('--no-rate-limits');

function place(more = ALONE, files: Readonly<Record<string, string>> = {}) {
  const url = exchangeUrl();
  const at = traderAt(url, more, files);
  const quoting = async (env: Readonly<Record<string, string>> = {}) => {
    const trader = at.start(env);
    await trader.waitFor(/trades on/);
    await untilTrue(() => existsSync(`${at.folder}/credentials.json`));
    await rests();
    return trader;
  };
  const rests = () => until(at.resting, (orders) => orders.length > 0);
  const gone = () => until(at.resting, (orders) => orders.length === 0);
  const mode = async (wanted: string) => (await until(at.ask, ({ account }) => account.mode === wanted)).account.reason;
  return { ...at, url, stopFile: `${at.folder}/ledger.sqlite.kill`, rests, quoting, mode, gone };
}

const NONE_RESTS = /canceled \d+ orders?; two reads show that none rests/;

describe('a trader that listens', () => {
  /** A trader that stop files killed before its start and while it ran, restarted and quoting. */
  async function killedByStopFiles() {
    const at = place();
    writeFileSync(at.stopFile, 'the cable smells\n');
    const first = at.start();
    await first.waitFor(/killed: the cable smells/);
    expect([await at.resting(), (await at.command('unkill', '--reason', 'it was the coffee')).code]).toEqual([[], 0]);
    await at.mode('quoting');
    expect(existsSync(at.stopFile)).toBe(false);
    await at.rests();

    writeFileSync(at.stopFile, '');
    await at.gone();
    expect(await at.mode('killed')).toMatch(/^the stop file .*\.kill exists$/);
    rmSync(at.stopFile);
    await pause(500);
    expect((await at.command('stop')).code).toBe(0);
    expect(await first.exited).toBe(0);
    const second = at.start();
    await second.waitFor(/killed: the stop file/);
    expect((await at.command('unkill', '--reason', 'no coffee')).code).toBe(0);
    await at.rests();
    return { ...at, trader: second };
  }

  it('is killed by a stop file, before its start too, and stays killed when the file is gone; frozen it is killed past it, does not quote on when it wakes, and obeys SIGUSR2 and SIGHUP again', async () => {
    const { trader, ...at } = await killedByStopFiles();
    trader.process.kill('SIGSTOP');
    const killed = await at.command('kill', '--reason', 'it hangs');
    expect(killed.output).toContain(
      `(process ${trader.process.pid}) does not answer; the trader is killed once it runs again`,
    );
    expect(killed.output).toMatch(/^killed: it hangs$/m);
    expect(killed.output).toMatch(NONE_RESTS);
    expect(killed.code).toBe(0);
    expect(await at.resting()).toEqual([]);

    trader.process.kill('SIGCONT');
    expect([await at.mode('killed'), await at.resting()]).toEqual(['it hangs', []]);

    expect((await at.command('unkill', '--reason', 'it is awake')).code).toBe(0);
    await at.rests();
    trader.process.kill('SIGUSR2');
    await at.gone();
    expect(await at.mode('killed')).toBe('signal SIGUSR2');
    expect(readFileSync(at.stopFile, 'utf8')).toBe('signal SIGUSR2\n');
    trader.process.kill('SIGHUP');
    expect(await trader.exited, trader.output()).toBe(0);
  });

  it('is killed by its page, on another port when its own is taken, and shows no password', async () => {
    const { port } = await listening(new Server());
    const at = place(`${ALONE}\ndashboard: { port: ${port} }`);
    const secret = 'correct horse battery';
    const trader = await at.quoting({ TWINBOOK_DASHBOARD_PASSWORD: secret });
    const [, url = ''] = await trader.waitFor(/dashboard (http:\/\/127\.0\.0\.1:\d+\/) \(with your password\)/);
    expect(trader.output()).toContain(`warning: port ${port} (dashboard.port) is in use`);
    const { ask } = await openPageSession(url, secret);
    const shown = async () => (await (await ask('/state')).json()) as PageState;
    const state = await until(shown, ({ orders, markets }) => orders.length > 0 && markets.length === 4);
    expect(state).toMatchObject({ mode: 'quoting', answers: true, venue: 'paper', pid: trader.process.pid });

    const press = (action: string, reason = '') =>
      ask(`/actions/${action}`, { method: 'POST', body: JSON.stringify({ reason }) });
    expect((await press('kill', 'seen on the page')).status).toBe(200);
    await at.gone();
    expect(await at.mode('killed')).toBe('seen on the page');
    expect((await press('unkill', 'all clear')).status).toBe(200);
    // It may still be proving that no order rests.
    await at.mode('quoting');
    await endInOrder(trader, 'SIGINT');
    await expect(ask('/state'), 'the console ends with its trader').rejects.toThrow();
    expect(trader.output() + readFileSync(`${at.folder}/trader.log`, 'utf8')).not.toContain(secret);
  });
});

it('a trader that does not listen, because a strategy of its own blocks the process, is canceled past it', async () => {
  const blocking = `
      import { defineStrategy } from 'twinbook/strategy';
      export default defineStrategy({
        name: 'blocks', summary: 'Blocks the process where no time limit of a call can reach.', params: {},
        create: () => ({
          quote() {
            setTimeout(() => { console.log('blocked'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); }, 4000);
            return { fairMicros: null, bids: [], asks: [], keepWithinTicks: 0, keepWithinSizeFraction: 0, note: '', factors: {} };
          },
        }),
      });`;
  const at = place(ALONE.replace('[maker.yaml]', '[maker.yaml, blocks.yaml]'), { 'blocks.js': blocking });
  const [, , , market] = await marketsOf(at.url);
  writeFileSync(`${at.folder}/maker.yaml`, makerYaml('{ max: 3 }'));
  writeFileSync(`${at.folder}/blocks.yaml`, `strategy: ./blocks.js\nmarkets: { ids: ["${market}"] }\n`);
  const trader = await at.quoting();
  await trader.waitFor(/^blocked$/m);
  const canceled = await at.command('cancel-all', '--verify');
  expect(canceled.output).toMatch(NONE_RESTS);
  expect(canceled.code).toBe(0);
  expect(await at.resting()).toEqual([]);
  trader.process.kill('SIGKILL');
});

describe('a trader whose ledger is locked by somebody else', () => {
  it('cancels without it and ends; a kill meanwhile holds for the next start, as does one of a trader that is not there', async () => {
    const at = place(WATCHED);
    const trader = await at.quoting();
    const other = new SqliteDriver(`${at.folder}/ledger.sqlite`);
    other.exec('BEGIN IMMEDIATE');
    await trader.waitFor(/the trader stops: the ledger .* failed: database is locked/);
    const killed = await at.command('kill', '--reason', 'locked out');
    expect(killed.output).toMatch(/^ending: the trader cannot continue .*; the next trader starts killed$/m);
    // Rejected or too late: either way the kill stays.
    expect([2, 3]).toContain((await at.command('unkill', '--reason', 'too early')).code);
    expect(await trader.exited, trader.output()).toBe(1);
    expect(trader.output()).toContain('every order was canceled without the ledger; nothing rests');
    expect(await at.resting()).toEqual([]);
    other.exec('ROLLBACK');
    other.close();
    const next = at.start();
    await next.waitFor(/killed: locked out/);
    expect((await at.command('unkill', '--reason', 'nobody locks it')).code).toBe(0);
    await at.rests();
    await isKilledThoughGone(at, next);
  });

  it('or taken away stops at once, and cancels, while console and guardian are connected', async () => {
    const at = place(WATCHED);
    const trader = await at.quoting();
    rmSync(`${at.folder}/ledger.sqlite`);
    expect(await trader.exited, trader.output()).toBe(1);
    expect(trader.output()).toMatch(/the trader stops: the ledger .* is gone/);
    expect(await at.resting()).toEqual([]);
  });
});

/** A quoting trader that is then gone is killed for its next start; one whose socket is gone obeys the stop file. */
async function isKilledThoughGone(at: ReturnType<typeof place>, trader: Running) {
  trader.process.kill('SIGKILL');
  await trader.exited;
  const killed = await at.command('kill', '--reason', 'enough', '--json');
  const proven = { mode: 'killed', reason: 'enough', resting: 0, verified: true };
  expect(JSON.parse(killed.output.slice(killed.output.indexOf('{')))).toMatchObject(proven);
  expect(killed.code).toBe(0);
  expect(await at.resting()).toEqual([]);
  const next = at.start();
  await next.waitFor(/killed: enough/);
  expect(await at.resting()).toEqual([]);

  expect((await at.command('unkill', '--reason', 'not enough')).code).toBe(0);
  await at.rests();
  rmSync(`${at.folder}/ledger.sqlite.sock`);
  const canceled = await at.command('cancel-all');
  expect(canceled.output).toMatch(NONE_RESTS);
  expect(canceled.code).toBe(0);
  await next.waitFor(/killed: cancel-all: the trader did not answer/);
  expect(await at.resting()).toEqual([]);
  await endInOrder(next);
}
