/** A trader that quotes around the user's own values, from a program, on the paper exchange. */

import { rmSync, writeFileSync } from 'node:fs';
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

const SILENT = 'feed model has no current value for this market';

it('is quoted while it is current, and pulled when it is not', async () => {
  const url = await exchangeHere('--seed', '3');
  const first = (await marketsOf(url))[0]?.condition_id ?? '';
  const feed = `{ kind: child, command: ["${process.execPath}", model.mjs], env: [${CLOCK}], max_age_s: 4 }`;
  const files = { 'first.yaml': FAIR(first), 'model.mjs': MODEL(first), speaks: '' };
  const more = `feeds: { model: ${feed} }\nstrategies: [first.yaml]`;
  const { folder, command, start, ask } = traderAt(url, more, files);
  const trader = start();
  const status = (): Promise<TraderStatus | null> => ask().catch(() => null);
  const seen = async () => (await status())?.markets[0];
  const rests = () => until(seen, (market) => market !== undefined && market.orders.length > 0);
  // A moved or filled order also has a moment without a resting order, so this waits for the note too.
  const isPulled = () => until(seen, (market) => market?.orders.length === 0 && market.note === SILENT);

  await rests();
  const explained = await command('explain', first);
  expect(explained.output).toMatch(/Feed model: 0\.5 \(sd 2\), \d+\.\d s old/);

  // The program runs on and sends nothing.
  rmSync(join(folder, 'speaks'));
  await isPulled();
  writeFileSync(join(folder, 'speaks'), '');
  await rests();

  await endInOrder(trader);
  expect(trader.output()).toContain('feed model has no current value');
  const replay = await command('replay', 'last');
  expect(replay.output).toMatch(/every decision|identical|same/i);
  expect(replay.code).toBe(0);
});
