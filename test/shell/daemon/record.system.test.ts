/** `twinbook record` as real processes: its files, the result after a kill, and its message about a missing file. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EVENT, type Recording } from '../../../src/recording/contract.js';
import { openRecordings } from '../../../src/recording/recording.js';
import { micros } from '../../../src/shared/base/micros.js';
import { ServiceClient } from '../../../src/shell/client/client.js';
import { run } from '../../cli/run.js';
import { delta, kalshiFile, OPEN_MS, snapshot, writeKalshi } from '../../recording/samples.js';
import { endInOrder, exchangeHere, exchangeOfFile, ran, started, traderYaml } from '../../support/cases.js';
import { times } from '../../support/effort.js';
import { twinbook } from '../../support/processes.js';
import { allRows, asTrader, expectAgreement, marketsOf, paper, profile, Taker } from '../../support/venue.js';
import { traderAt } from './trader-at.js';

/** Four times the usual budget, so that seconds suffice in place of minutes. */
const QUICK_PROFILE = JSON.stringify({
  ...profile,
  rate_limits: { public_per_minute: 1200, signed_per_minute: 1200, bootstrap_per_minute: 10 },
});

/** Number of kills of a recorder. */
const KILLS = times(1, 4);

/** One recorded market, read to its end. */
async function told(recording: Recording) {
  const trades: string[] = [];
  let [levels, firstMs, lastMs] = [0, Number.POSITIVE_INFINITY, 0];
  for await (const chunk of recording.chunks()) {
    for (let at = 0; at < chunk.length; at++) {
      const timeMs = chunk.timeMs[at] ?? 0;
      expect(timeMs).toBeGreaterThanOrEqual(lastMs);
      firstMs = Math.min(firstMs, timeMs);
      lastMs = timeMs;
      if (chunk.kind[at] === EVENT.level) levels += 1;
      if (chunk.kind[at] === EVENT.trade) trades.push(`${chunk.priceMicros[at]} ${chunk.amountMicros[at]}`);
    }
  }
  return { id: recording.market.conditionId, levels, trades, firstMs, lastMs };
}

const allOf = async (folder: string) => Promise.all((await openRecordings([folder])).map(told));

/** The exchange's own record of a market's trades, in YES space, with their seconds. */
async function tradesOf(url: string, market: string): Promise<{ readonly second: number; readonly text: string }[]> {
  const client = new ServiceClient({ profile, baseUrl: url });
  const rows: { second: number; text: string }[] = [];
  for await (const row of client.markets.allTrades(market)) {
    if (row.state === 'failed') continue;
    rows.push({ second: row.timestamp, text: `${row.is_yes ? row.price : 1_000_000 - row.price} ${row.amount}` });
  }
  await client.close();
  return rows;
}

describe('twinbook record', () => {
  const exchangeUrl = exchangeOfFile('--no-rate-limits', '--seed', '11');

  function place() {
    const url = exchangeUrl();
    const yaml = traderYaml(url, 'recording: { dir: recordings }\nstrategies: []').replace('paper', './quick.yaml');
    const { folder, config } = traderAt(url, undefined, { 'quick.yaml': QUICK_PROFILE, 'trader.yaml': yaml });
    const recordings = `${folder}/recordings`;
    const verify = async () => {
      const { code, output } = await ran(['data', 'verify', recordings]);
      expect(code, output).toBe(0);
    };
    return { url, words: ['record', '-c', config, '--share', '1'], recordings, verify };
  }

  it('records what the venue shows, each trade once, and ends clean on a signal', async () => {
    const { url, words, recordings, verify } = place();
    const running = started(words);
    await running.waitFor(/recording quick at http:\S+ into \S+\/recordings/);
    await running.waitFor(
      /up to 1200 public and 1200 signed requests a minute, 100 book levels per side, public data only/,
    );
    await running.waitFor(/00:00:05 \| 4 markets open \| 4 recorded, \d+ levels/);
    await running.waitFor(/(?!00:00:0)\d\d:\d\d:\d\d \|.* [1-9]\d* trades/);
    await endInOrder(running, 'SIGINT');
    expect(running.output()).toMatch(
      /recorded \d\d:\d\d:\d\d: 4 recorded, [1-9]\d* levels, [1-9]\d* trades, 0 gaps\n$/,
    );

    const recorded = await allOf(recordings);
    expect(recorded).toHaveLength(4);
    for (const { id, levels, trades, firstMs, lastMs } of recorded) {
      // On a busy machine the first book may be all that was recorded of a quiet market.
      expect(levels).toBeGreaterThan(0);
      const happened = await tradesOf(url, id);
      // The edges are a second wide, because trades have whole seconds.
      const certain = happened.filter(({ second }) => second * 1000 > firstMs + 1000 && second * 1000 < lastMs - 2000);
      const unclaimed = [...trades];
      for (const { text } of certain) {
        expect(unclaimed).toContain(text);
        unclaimed.splice(unclaimed.indexOf(text), 1);
      }
      const possible = happened.map(({ text }) => text);
      for (const text of trades) expect(possible.splice(possible.indexOf(text), 1)).toEqual([text]);
    }
    await verify();
  });

  it('leaves what it had written when it is killed, however often, and goes on after it', async () => {
    const { url, words, recordings, verify } = place();
    // One market: of several, a busy machine may have written only some before the kill.
    const [market] = await marketsOf(url);
    words.push('--market', market ?? '');
    const written = /\d\d:\d\d:\d\d \|.* [1-9]\d* levels/;
    let before = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const running = started(words);
      await running.waitFor(written);
      running.process.kill('SIGKILL');
      await running.exited;
      const levels = (await allOf(recordings)).reduce((sum, one) => sum + one.levels, 0);
      expect(levels).toBeGreaterThan(before);
      before = levels;
    }
    const last = started(words);
    await last.waitFor(written);
    await endInOrder(last);
    await verify();
    const [recording, ...others] = await openRecordings([recordings]);
    expect(others).toEqual([]);
    expect(recording?.summary?.gaps.length).toBeGreaterThanOrEqual(KILLS);
  });

  it('ends with a clear error when the disk is full, and harms nothing that was written', async () => {
    const { words, recordings, verify } = place();
    const running = twinbook(words, {}, 12);
    onTestFinished(() => void running.process.kill('SIGKILL'));
    expect(await running.exited, running.output()).toBe(1);
    expect(running.output()).toMatch(/recordings.*(EFBIG|file too large)/is);
    expect(running.output()).not.toContain('bug in Twinbook');
    expect((await allOf(recordings)).reduce((sum, one) => sum + one.levels, 0)).toBeGreaterThan(20);
    const again = started(words);
    await again.waitFor(/00:00:05 \| 4 markets open/);
    await endInOrder(again, 'SIGINT');
    await verify();
  });

  it('ends when none of the named markets is there', async () => {
    const none = await ran([...place().words, '--market', 'nowhere']);
    expect(none.code).toBe(1);
    expect(none.output).toContain('the venue has no market nowhere');
    expect(none.output).toContain('none of the named markets can be recorded any more');
  });

  it('needs an exchange: an embedded one answers only while its trader runs', async () => {
    const { folder, config } = traderAt(null);
    const alone = await run(['record', '-c', config]);
    expect(alone.code).toBe(1);
    expect(alone.err).toContain('embeds a paper exchange, which answers only while its trader runs');
    expect(alone.err).toContain('twinbook exchange');
    expect(readdirSync(folder)).not.toContain('recordings');
  });

  it.each([
    ['--share', '0', /from 0.05 to 1/],
    ['--depth', '101', /from 1 to 100/],
    ['--minutes', 'x', /whole number/],
  ])('wants a sensible %s, not %s', async (flag, value, told) => {
    const { code, err } = await run(['record', flag, value]);
    expect(code).toBe(2);
    expect(err).toMatch(told);
  });
});

describe('recording inside start', () => {
  const recording = 'recording: { enabled: true, dir: recordings }';

  it('holds the books that the trader saw without its own orders, and these as rows of their own', async () => {
    const url = await exchangeHere('--no-rate-limits', '--no-crowd');
    await paper(url, '/markets/', { title: 'Nobody but us?' });
    const [market] = await marketsOf(url);
    const { folder, start } = traderAt(url, `${recording}\nstrategies: [mine.yaml]`, {
      'mine.yaml': 'strategy: ./mine.js\nmarkets: { max: 4 }\n',
      // Moves every second, so that orders come and go between, before and after polls.
      'mine.js': `
        import { defineStrategy } from 'twinbook/strategy';
        const level = (priceMicros) => ({ priceMicros, amountMicros: 10000000 });
        export default defineStrategy({ name: 'mine', summary: 'Moves.', params: {}, create: () => ({ quote(view) {
          const step = Math.floor(view.nowMs / 1000) % 5;
          return { bids: [level(400000 + step * 10000)], asks: [level(600000 + step * 10000)], fairMicros: 500000, keepWithinTicks: 0, keepWithinSizeFraction: 0, note: '', factors: {} };
        } }) });
      `,
    });
    const trader = start();
    await trader.waitFor(/quoting \| markets 1 of 1 quoted/);
    const client = asTrader(folder, url);
    while ((await allRows(client, 'orders.list')).length <= 4) await pause(100);
    await client.close();
    await endInOrder(trader);
    expect(await allOf(`${folder}/recordings`)).toMatchObject([{ id: market, levels: 0, trades: [] }]);
    const sql = 'select count(distinct pubkey) as orders from own';
    const { output } = await ran(['data', 'query', sql, `${folder}/recordings`, '--json']);
    expect(Number(/"orders":\s*"?(\d+)/.exec(output)?.[1]), output).toBeGreaterThan(4);
  });

  it('does not keep a trader from trading when neither it nor the journal can be made; it can be recorded beside it', async () => {
    const more = `${recording}\njournal: { dir: taken }\nstrategies: [maker.yaml]`;
    const { folder, config, start } = traderAt(null, more, { recordings: 'a file', taken: 'a file' });
    const trader = start();
    await trader.waitFor(/warning: this run has no journal and cannot be replayed: .*taken/);
    await trader.waitFor(/warning: no recording is made: .*recordings/);
    await trader.waitFor(/quoting \| markets 4/);
    const beside = started(['record', '-c', config, '--out', `${folder}/out`]);
    await beside.waitFor(/with the account’s orders and trades/);
    await beside.waitFor(/00:00:05 \| 4 markets open/);
    await endInOrder(beside, 'SIGINT');
    await trader.waitFor(/fill: /);
    await endInOrder(trader);
  });
});

/**
 * Times of the changes: fast at first, so that the file can be cut within them; then slow, because the market ends with
 * the readable part, and a trader that starts on a busy machine must still find it.
 */
const changeMs = (i: number): number => OPEN_MS + (i < 8_000 ? 2 * i : 16_000 + 100 * (i - 8_000));

/** Cut in the middle: about half of the small changes, deep below a book around 0.42, can be read. */
function cutRecording(): string {
  const set = writeKalshi([
    snapshot(OPEN_MS, [['0.4000', '100.00']], [['0.5600', '100.00']]),
    ...Array.from({ length: 20_000 }, (_, i) => delta(changeMs(i), 'yes', '0.3000', `${i % 97}.25`)),
  ]);
  const whole = readFileSync(kalshiFile(set));
  writeFileSync(kalshiFile(set), whole.subarray(0, whole.length / 2));
  return set;
}

const CUT = /\S+ndjson\.gz: the file is cut or damaged \(.+\): only its readable part is used/;

it('a trader quotes on what can be read of a recording that was cut, and says on its screen what is wrong with it', async () => {
  const trader = traderYaml(null).replace('seed: 3', `market_data: ["${cutRecording()}"], speed: 2`);
  const { config, command } = traderAt(null, undefined, { 'trader.yaml': trader });
  const running = started(['start', '-v', '-c', config]);
  await running.waitFor(CUT);
  await running.waitFor(/quoting \| markets 1 of 1 quoted \| orders [1-9]/);
  expect((await command('stop')).output).toBe('stopped; no order is left open\n');
  expect(await running.exited).toBe(0);
});

it('a trader in several markets merges pairs, redeems what resolves or is canceled, and books all of it', async () => {
  const url = await exchangeHere('--no-rate-limits');
  const yaml = traderYaml(url).replace('min_shares: "5"', 'min_shares: "1"');
  const { folder, start, status } = traderAt(url, undefined, { 'trader.yaml': yaml });
  const trader = start();
  const taker = await Taker.join(url, 1);
  // Slow enough that the trader's own request budget lasts.
  taker.go(await marketsOf(url), 250);
  await trader.waitFor(/merged complete sets in "[^"]+" for [\d.]+[\s\S]*merged complete sets in/);
  await taker.end();

  // Two markets with shares, even after a merge in progress: one is resolved, one canceled.
  const held = (await status()).markets.filter(({ yes, no }) => yes !== no);
  expect(held.length).toBeGreaterThanOrEqual(2);
  for (const [index, { market_condition_id: id, title }] of held.slice(0, 2).entries()) {
    await paper(url, `/markets/${id}/resolve/`, { is_yes: index === 0 ? true : null });
    await trader.waitFor(new RegExp(`redeemed in "${title.replaceAll(/[.*+?^$()[\]{}|]/g, '\\$&')}" for [\\d.]+`));
  }
  await endInOrder(trader);
  await expectAgreement(folder, url, micros(1_000_000_000));
});
