/** One wrong answer of a healthy exchange while orders rest: kill and stop must still cancel them. */

import { describe, expect, it, type TestContext } from 'vitest';
import { RESTING_STATUSES } from '../../../src/shared/protocol/states.js';
import type { ServiceClient } from '../../../src/shell/client/client.js';
import { alteringProxy } from '../../support/altering-proxy.js';
import { endInOrder, exchangeAt, exchangeOfFile, folderOf, ran, started, traderYaml } from '../../support/cases.js';
import { times } from '../../support/effort.js';
import { asTrader } from '../../support/venue.js';
import { Guarded, until } from '../guardian/trial.js';

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
const THROTTLED = JSON.stringify({
  data: null,
  meta: null,
  error: { slug: 'throttled', message: 'Too many requests', details: [] },
});
const JSON_TYPE = { 'content-type': 'application/json' };
/** Far longer than the wait for any proof here. */
const LONG = '600';

const ANSWERS: readonly (readonly [string, OneAnswer])[] = [
  ["a proxy's page, ten minutes", { status: 429, body: PAGE, headers: { ...HTML, 'retry-after': LONG } }],
  ["a proxy's page, twenty seconds", { status: 429, body: PAGE, headers: { ...HTML, 'retry-after': '20' } }],
  [
    "the service's own word, ten minutes",
    { status: 429, body: THROTTLED, headers: { ...JSON_TYPE, 'retry-after': LONG } },
  ],
  [
    "the service's own word, twenty seconds",
    { status: 429, body: THROTTLED, headers: { ...JSON_TYPE, 'retry-after': '20' } },
  ],
  [
    'a success that tells of one request a minute, and none left',
    {
      status: null,
      body: null,
      headers: { 'x-ratelimit-limit': '1', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4000000000' },
    },
  ],
];

/** A proxy's page and a success; a stop by a signal also gets the service's own error. */
const TWO_KINDS = ANSWERS.filter((_, at) => [0, 4].includes(at));

const MAKER = `
strategy: bands
markets: { select: { state: open, kind: orderbook }, max: 4 }
params:
  bands:
    - { min_margin_ticks: 2, avg_margin_ticks: 3, max_margin_ticks: 4, min_shares: "10", avg_shares: "20", max_shares: "30" }
`;

/** Not a number while the venue throttles: this reads with the trader's own credentials, within its limits. */
async function restingOf(client: ServiceClient): Promise<number> {
  const query = { status: [...RESTING_STATUSES], limit: 100 };
  const { outcome } = await client.call('orders.list', { query });
  return outcome.kind === 'answered' ? outcome.data.length : Number.NaN;
}

const exchangeUrl = exchangeOfFile('--seed', '7', '--no-rate-limits');

/** A trader without a guardian and with resting orders, behind a proxy. */
async function quoting(orders: number, url = exchangeUrl()) {
  const proxy = await misjudgingProxy(url);
  const yaml = traderYaml(proxy.url);
  const folder = folderOf({ 'trader.yaml': yaml, 'maker.yaml': MAKER });
  const trader = started(['start', '-c', `${folder}/trader.yaml`]);
  await trader.waitFor(/trades on/);
  const client = asTrader(folder, url, proxy.url);
  await until(async () => (await restingOf(client)) >= orders, 'too few orders');
  return { folder, proxy, trader, client };
}

describe('after one answer that says to stay away', () => {
  it.each(times(TWO_KINDS, ANSWERS))(
    '%s: a kill is proven all the same, and a stop ends in order',
    async (_, answer) => {
      const { folder, proxy, trader, client } = await quoting(4);
      await proxy.once(answer);
      const killed = await ran(['kill', '--verify', '--timeout', '30', '-c', `${folder}/trader.yaml`]);
      expect(killed, trader.output()).toMatchObject({ code: 0, output: expect.stringContaining('two reads show') });
      expect(await restingOf(client)).toBe(0);
      await endInOrder(trader);
      await client.close();
    },
  );

  it.each(times(ANSWERS.slice(2, 3), ANSWERS.slice(0, 3)))(
    '%s: SIGTERM alone leaves nothing resting',
    async (_, answer) => {
      const { proxy, trader, client } = await quoting(4);
      await proxy.once(answer);
      await endInOrder(trader);
      expect(await restingOf(client)).toBe(0);
      await client.close();
    },
  );
});

describe('a kill', () => {
  it('says how many orders may rest; with --verify it exits with 5 when the proof does not come in time', async () => {
    const exchange = await exchangeAt('--seed', '7', '--no-rate-limits');
    const { folder, client } = await quoting(4, exchange.url);
    const at = ['-c', `${folder}/trader.yaml`];
    exchange.running.process.kill('SIGSTOP');
    const verified = await ran(['kill', '--verify', '--timeout', '2', '--reason', 'enough', ...at]);
    expect(verified.code, verified.output).toBe(5);
    const said = JSON.parse((await ran(['kill', '--reason', 'enough', '--json', ...at])).output) as { resting: number };
    expect(said).toMatchObject({ mode: 'killed', reason: 'enough' });
    expect(said.resting).toBeGreaterThanOrEqual(4);
    exchange.running.process.kill('SIGCONT');
    expect((await ran(['kill', '--verify', ...at])).code).toBe(0);
    expect(await restingOf(client)).toBe(0);
    await client.close();
  });
});

describe('with a guardian', () => {
  async function guardedAt({ onTestFailed, onTestFinished }: TestContext) {
    const proxy = await misjudgingProxy(exchangeUrl());
    const guarded = new Guarded(proxy.url, { guardian: '{ timeout_ms: 6000 }' });
    onTestFailed(() => console.error(`${guarded.process.output()}\n${guarded.log()}`));
    onTestFinished(() => guarded.remove());
    return { guarded, proxy };
  }

  const nothingRests = (guarded: Guarded) => until(async () => (await guarded.resting()) === 0, 'orders rest');

  it.for(ANSWERS.slice(0, 1))('%s, to the trader: nothing rests after a kill', async ([, answer], test) => {
    const { guarded, proxy } = await guardedAt(test);
    await guarded.quoting(8);
    await proxy.once(answer);
    expect((await ran(['kill', '-c', guarded.config])).code).toBe(0);
    await nothingRests(guarded);
  });

  it.for(times(ANSWERS.slice(3, 4), ANSWERS))(
    '%s, to its own first request after the trader died: it cancels all the same',
    async ([, answer], test) => {
      const { guarded, proxy } = await guardedAt(test);
      await guarded.quoting(8);
      guarded.stop('killed');
      await guarded.process.exited;
      await proxy.once(answer);
      await nothingRests(guarded);
    },
  );
});
