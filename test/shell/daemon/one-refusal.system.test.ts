/** One wrong answer of a healthy exchange while orders rest: kill and stop must still cancel them. */

import { describe, expect, it, onTestFailed, onTestFinished } from 'vitest';
import { RESTING_STATUSES } from '../../../src/shared/protocol/states.js';
import type { ServiceClient } from '../../../src/shell/client/client.js';
import { alteringProxy } from '../../support/altering-proxy.js';
import { endInOrder, exchangeAt, exchangeOfFile } from '../../support/cases.js';
import { times } from '../../support/effort.js';
import { asTrader } from '../../support/venue.js';
import { Guarded, until } from '../guardian/trial.js';
import { traderAt } from './trader-at.js';

interface OneAnswer {
  /** Null keeps the exchange's. */
  readonly status: number | null;
  /** Replaces the body; null keeps it. */
  readonly body: string | null;
  /** Replaces the exchange's headers, or adds to them where its status is kept. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A proxy of a healthy exchange. `once` gives this answer to the next signed read, and resolves after it. */
async function misjudgingProxy(target: string) {
  const proxy = await alteringProxy(target);
  const once = ({ status, body, headers }: OneAnswer) =>
    new Promise<void>((done) => {
      proxy.reply = (reply, asked) => {
        if (asked.method !== 'GET' || !Object.keys(asked.headers).some((name) => /-signature$/.test(name))) return {};
        proxy.reply = () => ({});
        done();
        const kept = status === null ? reply.headers : {};
        return { status: status ?? reply.status, body: body ?? reply.body, headers: { ...kept, ...headers } };
      };
    });
  return { url: proxy.url, once };
}

const HTML = { 'content-type': 'text/html' };
const PAGE = '<html><body><h1>429 Too Many Requests</h1></body></html>';
const ERROR = { slug: 'throttled', message: 'Too many requests', details: [] };
const THROTTLED = JSON.stringify({ data: null, meta: null, error: ERROR });
const JSON_TYPE = { 'content-type': 'application/json' };
const page = (waitS: string) => ({ status: 429, body: PAGE, headers: { ...HTML, 'retry-after': waitS } });
const word = (waitS: string) => ({ status: 429, body: THROTTLED, headers: { ...JSON_TYPE, 'retry-after': waitS } });
const NONE_LEFT = { 'x-ratelimit-limit': '1', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4000000000' };

/** Ten minutes are far longer than the wait for any proof here. */
const ANSWERS: readonly (readonly [string, OneAnswer])[] = [
  ["a proxy's page, ten minutes", page('600')],
  ["a proxy's page, twenty seconds", page('20')],
  ["the service's own word, ten minutes", word('600')],
  ["the service's own word, twenty seconds", word('20')],
  ['a success that tells of one request a minute, and none left', { status: null, body: null, headers: NONE_LEFT }],
];

/** All answers in the long tests, otherwise those at these places. */
const pick = (places: readonly number[]) =>
  times(
    ANSWERS.filter((_, at) => places.includes(at)),
    ANSWERS,
  );

const MAKER = `
strategy: bands
markets: { select: { state: open, kind: orderbook }, max: 4 }
params:
  bands:
    - { min_margin_ticks: 2, avg_margin_ticks: 3, max_margin_ticks: 4, min_shares: "10", avg_shares: "20", max_shares: "30" }
`;

/** Not a number while the venue throttles: this reads with the trader's own credentials, within its limits. */
async function restingOf(client: ServiceClient): Promise<number> {
  const { outcome } = await client.call('orders.list', { query: { status: [...RESTING_STATUSES], limit: 100 } });
  return outcome.kind === 'answered' ? outcome.data.length : Number.NaN;
}

const exchangeUrl = exchangeOfFile('--seed', '7', '--no-rate-limits');

/** A trader without a guardian and with resting orders, behind a proxy. */
async function quoting(orders: number, url = exchangeUrl()) {
  const proxy = await misjudgingProxy(url);
  const { folder, command, start } = traderAt(proxy.url, undefined, { 'maker.yaml': MAKER });
  const trader = start();
  await trader.waitFor(/trades on/);
  const client = asTrader(folder, url, proxy.url);
  await until(async () => (await restingOf(client)) >= orders, 'too few orders');
  return { command, proxy, trader, client };
}

describe('after one answer that says to stay away', () => {
  it.each(pick([0, 4]))('%s: a kill is proven all the same, and a stop ends in order', async (_, answer) => {
    const { command, proxy, trader, client } = await quoting(4);
    await proxy.once(answer);
    const killed = await command('kill', '--verify', '--timeout', '30');
    expect(killed, trader.output()).toMatchObject({ code: 0, output: expect.stringContaining('two reads show') });
    expect(await restingOf(client)).toBe(0);
    await endInOrder(trader);
    await client.close();
  });

  it.each(pick([2]))('%s: SIGTERM alone leaves nothing resting', async (_, answer) => {
    const { proxy, trader, client } = await quoting(4);
    await proxy.once(answer);
    await endInOrder(trader);
    expect(await restingOf(client)).toBe(0);
    await client.close();
  });
});

it('a kill says how many orders may rest; with --verify it exits with 5 when the proof does not come in time', async () => {
  const exchange = await exchangeAt('--seed', '7', '--no-rate-limits');
  const { command, client } = await quoting(4, exchange.url);
  exchange.running.process.kill('SIGSTOP');
  const verified = await command('kill', '--verify', '--timeout', '2', '--reason', 'enough');
  expect(verified.code, verified.output).toBe(5);
  const said = JSON.parse((await command('kill', '--reason', 'enough', '--json')).output) as { resting: number };
  expect(said).toMatchObject({ mode: 'killed', reason: 'enough' });
  expect(said.resting).toBeGreaterThanOrEqual(4);
  exchange.running.process.kill('SIGCONT');
  expect((await command('kill', '--verify')).code).toBe(0);
  expect(await restingOf(client)).toBe(0);
  await client.close();
});

it.each(pick([3]))('a guardian whose first request after the death gets %s cancels all the same', async (_, answer) => {
  const proxy = await misjudgingProxy(exchangeUrl());
  const guarded = new Guarded(proxy.url, { guardian: '{ timeout_ms: 6000 }' });
  onTestFailed(() => console.error(`${guarded.process.output()}\n${guarded.log()}`));
  onTestFinished(() => guarded.remove());
  await guarded.quoting(8);
  guarded.stop('killed');
  await guarded.process.exited;
  await proxy.once(answer);
  await until(async () => (await guarded.resting()) === 0, 'orders rest');
});
