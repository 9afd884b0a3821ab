/** A trader that quotes around the user's own values, from a program, on the paper exchange. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { TraderStatus } from '../../../src/shared/protocol/trader-status.js';
import { endInOrder, exchangeHere } from '../../support/cases.js';
import { marketsOf } from '../../support/venue.js';
import { until } from '../../support/waiting.js';
import { traderAt } from './trader-at.js';

/** On another date the program needs the same clock; it inherits only named variables. */
const CLOCK = 'LD_PRELOAD, FAKETIME, FAKETIME_SHARED, DONT_FAKE_MONOTONIC';

/** Sends a market's value while a file exists. */
const MODEL = (market: string) => `
import { existsSync } from 'node:fs';
setInterval(() => {
  if (existsSync('speaks')) console.log(JSON.stringify({ market: '${market}', p: 0.5, sd: 2, at: Date.now() }));
}, 200);
`;

const FAIR = (id: string) => `
strategy: fair-maker
markets: { ids: [${id}] }
params: { feed: model, jump_pause_s: 0, max_gap_sds: 20, order_shares: "5" }
`;

/** The trader's log lines about the end and the return of a feed's values. */
const WORDS = /feed model (has no current value|has sent no value|has current values)/g;
const KINDS: Readonly<Record<string, string>> = {
  'has no current value': 'silent',
  'has sent no value': 'silent',
  'has current values': 'speaks',
};

it('is quoted while it is current, pulled when it is not, and said once each', async () => {
  const url = await exchangeHere('--seed', '3');
  const first = (await marketsOf(url))[0] ?? '';
  const feed = `{ kind: child, command: ["${process.execPath}", model.mjs], env: [${CLOCK}], max_age_s: 4 }`;
  const files = { 'first.yaml': FAIR(first), 'model.mjs': MODEL(first), speaks: '' };
  const { folder, command, start, ask } = traderAt(url, `feeds: { model: ${feed} }\nstrategies: [first.yaml]`, files);
  const trader = start();
  const status = (): Promise<TraderStatus | null> => ask().catch(() => null);
  const ordersOf = async () => (await status())?.markets[0]?.orders.length;
  // On a busy machine values may expire in transit: then the feed falls silent and returns without the test's action.
  const words = (): readonly string[] =>
    [...readFileSync(join(folder, 'trader.log'), 'utf8').matchAll(WORDS)].map(([, word = '']) => KINDS[word] ?? word);
  const rests = () => until(ordersOf, (open) => open !== undefined && open > 0 && words().at(-1) === 'speaks');
  // A moved or filled order also has a moment without a resting order, so it waits for the feed's log line too.
  const isPulled = () => until(ordersOf, (open) => open === 0 && words().at(-1) === 'silent');

  await rests();
  expect((await command('explain', first)).output).toMatch(/Feed model: 0\.5 \(sd 2\), \d+\.\d s old/);

  // The program runs on and sends nothing.
  rmSync(join(folder, 'speaks'));
  await isPulled();
  expect((await status())?.markets[0]?.note).toBe('feed model has no current value for this market');
  writeFileSync(join(folder, 'speaks'), '');
  await rests();

  await endInOrder(trader);
  // Each silence and each return once.
  expect(trader.output()).toContain('feed model has no current value');
  expect(words()).toContain('silent');
  expect(
    words().filter((word, i, all) => word === all[i - 1]),
    trader.output(),
  ).toEqual([]);

  const replay = await command('replay', 'last');
  expect(replay.output).toMatch(/every decision|identical|same/i);
  expect(replay.code).toBe(0);
});
