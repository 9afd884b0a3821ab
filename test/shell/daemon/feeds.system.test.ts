/** A trader that quotes around the user's own values, from a program and from an address, on the paper exchange. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { askTrader } from '../../../src/shell/control/control-client.js';
import type { StatusData } from '../../../src/shell/control/status.js';
import { exchangeHere, folderOf, ran, started, traderYaml } from '../../support/cases.js';
import { until } from '../../support/waiting.js';

/** Where this test runs on another day, so must the program, which inherits no variable that is not named. */
const CLOCK = 'LD_PRELOAD, FAKETIME, FAKETIME_SHARED, DONT_FAKE_MONOTONIC';

/** Says of each market what its line in a file says; while the file is gone it says nothing. */
const MODEL = `
import { readFileSync } from 'node:fs';
setInterval(() => {
  try {
    for (const line of readFileSync('prices.txt', 'utf8').split('\\n').filter(Boolean)) {
      const [market, p] = line.split(' ');
      console.log(JSON.stringify({ market, p: Number(p), sd: 2, at: Date.now() }));
    }
  } catch {}
}, 200);
`;

const FAIR = (feed: string, id: string) => `
strategy: fair-maker
markets: { ids: [${id}] }
params: { feed: ${feed}, jump_pause_s: 0, max_gap_sds: 20, order_shares: "5" }
`;

/** What the trader's log says of a feed when it falls silent, and when it speaks. */
const WORDS = /feed (\w+) (says nothing current|has said nothing|says what things are worth)/g;
const KINDS: Readonly<Record<string, string>> = {
  'says nothing current': 'silent',
  'has said nothing': 'silent',
  'says what things are worth': 'speaks',
};

async function server(answer: RequestListener) {
  const state = { answer };
  const listening = createServer((from, to) => state.answer(from, to));
  await new Promise<void>((done) => listening.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    listening.closeAllConnections();
    listening.close();
  });
  const { port } = listening.address() as AddressInfo;
  return { state, url: `http://127.0.0.1:${port}/` };
}

it('is quoted while it is current, pulled when it is not, and said once each', async () => {
  const url = await exchangeHere('--seed', '3');
  const list = (await (await fetch(`${url}/markets/?state=open&limit=2`)).json()) as {
    data: { condition_id: string }[];
  };
  const [first = '', second = ''] = list.data.map(({ condition_id }) => condition_id);
  const prices = (p: number): string => JSON.stringify([{ market: second, p, sd: 2, at: Date.now() }]);
  const feed = await server((_, to) => void to.end(prices(0.5)));
  const folder = folderOf({
    'trader.yaml': traderYaml(
      url,
      `feeds:
  model: { kind: child, command: ["${process.execPath}", model.mjs], env: [${CLOCK}], max_age_s: 4 }
  desk: { kind: http, url: "${feed.url}", every_ms: 200, timeout_ms: 1000, max_age_s: 4 }
strategies: [first.yaml, second.yaml]`,
    ),
    'first.yaml': FAIR('model', first),
    'second.yaml': FAIR('desk', second),
    'model.mjs': MODEL,
    'prices.txt': `${first} 0.5\n`,
  });
  const config = join(folder, 'trader.yaml');
  const trader = started(['start', '-c', config]);
  const status = (): Promise<StatusData | null> =>
    askTrader({ command: 'status' }, { socket: `${folder}/ledger.sqlite.sock`, timeoutMs: 60_000 }).catch(() => null);
  const marketOf = async (id: string) =>
    (await status())?.markets.find(({ market_condition_id }) => market_condition_id === id);
  const ordersOf = async (id: string): Promise<number | undefined> => (await marketOf(id))?.open_orders;
  const count = (pattern: RegExp): number => [...trader.output().matchAll(pattern)].length;
  // On a busy machine values grow old on their way too: then it falls silent and speaks again without our doing.
  const wordsOf = (feed: string): readonly string[] =>
    [...readFileSync(join(folder, 'trader.log'), 'utf8').matchAll(WORDS)]
      .filter(([, of]) => of === feed)
      .map(([, , word = '']) => KINDS[word] ?? word);
  const rests = (id: string, feed: string) =>
    until(
      () => ordersOf(id),
      (open) => open !== undefined && open > 0 && wordsOf(feed).at(-1) === 'speaks',
    );
  // An order that is moved or was taken does not rest for a moment either, so it waits for the word of the feed, too.
  const isPulled = (id: string, feed: string) =>
    until(
      () => ordersOf(id),
      (open) => open === 0 && wordsOf(feed).at(-1) === 'silent',
    );

  await rests(first, 'model');
  await rests(second, 'desk');
  const explained = await ran(['explain', first, '-c', config]);
  expect(explained.output).toMatch(/feed model: 0\.5 \(sd 2\), \d+\.\d s old/);

  // The address first redirects, then sends garbage, then is slow; the other market is quoted all the while.
  for (const answer of [
    (_, to) => void to.writeHead(302, { location: 'http://192.0.2.1/' }).end(),
    (_, to) => void to.end('garbage'),
    () => undefined,
  ] satisfies RequestListener[]) {
    feed.state.answer = answer;
    await isPulled(second, 'desk');
    await rests(first, 'model');
    feed.state.answer = (_, to) => void to.end(prices(0.5));
    await rests(second, 'desk');
  }

  // The program goes on and says nothing.
  rmSync(join(folder, 'prices.txt'));
  await isPulled(first, 'model');
  const silent = (await status())?.markets.find(({ market_condition_id }) => market_condition_id === first);
  expect(silent?.state).toBe('feed model says nothing current of this market');
  writeFileSync(join(folder, 'prices.txt'), `${first} 0.5\n`);
  await rests(first, 'model');

  trader.process.kill('SIGTERM');
  expect(await trader.exited, trader.output()).toBe(0);
  // Each silence once, and its end once; a clock that is set back meanwhile lets the trader forget what it has said.
  const anew = count(/clock was set back/g);
  for (const [feed, times] of [
    ['model', 1],
    ['desk', 3],
  ] as const) {
    const words = wordsOf(feed);
    expect(trader.output()).toContain(`feed ${feed} says nothing current`);
    expect(words.filter((word) => word === 'silent').length, trader.output()).toBeGreaterThanOrEqual(times);
    const again = words.filter((word, i) => word === words[i - 1]);
    expect(again.length, trader.output()).toBeLessThanOrEqual(anew);
  }
  expect(count(/it leads to 192\.0\.2\.1, which its hosts do not list/g), trader.output()).toBe(1);

  const replay = await ran(['replay', 'last', '-c', config]);
  expect(replay.output).toMatch(/every decision|identical|same/i);
  expect(replay.code).toBe(0);
});
