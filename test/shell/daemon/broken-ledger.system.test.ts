import { statSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import { exchangeOfFile } from '../../support/cases.js';
import { farProxy } from '../../support/far-proxy.js';
import { type Running, twinbook } from '../../support/processes.js';
import { until } from '../../support/waiting.js';
import { traderAt } from './trader-at.js';

/** A guardian and a console beside it; three orders on each side of four markets. */
const WATCHED = `
guardian: {}
dashboard: { port: 0 }
strategies: [maker.yaml]`;
const LADDER = `
strategy: bands
markets: { max: 4 }
params:
  bands:
    - { min_margin_ticks: 4, avg_margin_ticks: 5, max_margin_ticks: 6, min_shares: "10", avg_shares: "20", max_shares: "30" }
    - { min_margin_ticks: 7, avg_margin_ticks: 8, max_margin_ticks: 9, min_shares: "10", avg_shares: "20", max_shares: "30" }
    - { min_margin_ticks: 10, avg_margin_ticks: 11, max_margin_ticks: 12, min_shares: "10", avg_shares: "20", max_shares: "30" }
`;
const ORDERS = 12;

const place = (url: string) => traderAt(url, WATCHED, { 'maker.yaml': LADDER });

/** Readers that subscribe and request the status until the trader ends, and reconnect. Returns the proof of its end. */
function readersOf(folder: string, trader: Running) {
  let proof = '';
  let isOver = false;
  const read = (command: string) => {
    if (isOver) return;
    const socket = connect(`${folder}/ledger.sqlite.sock`, () => socket.write(`{"command":"${command}"}\n`));
    socket.on('data', (data) => {
      if (data.includes('"proven":true}')) proof = data.toString();
      if (command !== 'subscribe') socket.end();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => void setTimeout(read, 20, command));
  };
  for (const command of ['subscribe', 'subscribe', 'status']) read(command);
  const end = () => {
    isOver = true;
  };
  void trader.exited.then(end);
  onTestFinished(end);
  return async () => proof;
}

async function expectCanceled(trader: Running, why: RegExp): Promise<void> {
  expect(await trader.exited, trader.output()).toBe(1);
  const said = trader.output().split('\n');
  expect(
    said.filter((line) => why.test(line)),
    trader.output(),
  ).toHaveLength(1);
  const proof = said.filter((line) => line.includes('every order was canceled without the ledger'));
  expect(proof, trader.output()).toHaveLength(1);
  expect(trader.output()).not.toContain('bug');
}

describe('a trader whose ledger can no longer be written, while console, guardian and other readers are connected', () => {
  const exchangeUrl = exchangeOfFile('--no-rate-limits');

  it('because another program holds its lock cancels twelve orders at an exchange 300 ms away, proves that none rests, and exits with 1', async () => {
    const at = place(await farProxy(exchangeUrl(), 300));
    const trader = at.start();
    await Promise.all([trader.waitFor(/dashboard http/), trader.waitFor(/trades on/)]);
    const proof = readersOf(at.folder, trader);
    await until(at.resting, (orders) => orders.length >= ORDERS);
    const other = new SqliteDriver(`${at.folder}/ledger.sqlite`);
    other.exec('BEGIN IMMEDIATE');
    await expectCanceled(trader, /the trader stops: the ledger .* failed: database is locked/);
    other.exec('ROLLBACK');
    other.close();
    await until(proof, (text) => /the trader failed \(.*; it canceled everything without its ledger/.test(text));
    expect(await at.resting()).toEqual([]);
  });
});

it('a disk that has room for the name of the stop file alone kills the next start', async () => {
  const { folder, config } = place('http://127.0.0.1:9');
  const kill = twinbook(['kill', '--reason', 'no room', '-c', config], {}, 0);
  await kill.exited;
  expect(kill.output()).toContain('the next trader starts killed');
  expect(statSync(`${folder}/ledger.sqlite.kill`).size).toBe(0);
});
