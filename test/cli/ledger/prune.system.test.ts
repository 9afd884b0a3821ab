/** `ledger prune` beside a running trader: it continues, agrees with the exchange, and so does the next start. */

import { describe, expect, it, onTestFinished } from 'vitest';
import type { StatusData } from '../../../src/cli/ledger/status.js';
import { micros, parseDecimal, sub } from '../../../src/shared/base/micros.js';
import { openKeyFile } from '../../../src/shell/wallet/key-file.js';
import { openLedger, openReadOnly } from '../../../src/trader/ledger/ledger.js';
import { exchangeHere, folderOf, makerYaml, ran, started, traderYaml } from '../../support/cases.js';
import { allRows, asTrader, marketsOf, paper, profile, Taker } from '../../support/venue.js';
import { until } from '../../support/waiting.js';
import { HOLDER } from '../../trader/ledger/books.js';
import { addCanceled } from '../../trader/ledger/canceled-orders.js';

const ORDERS = 2_000;

/** A trader's folder, an exchange in this process, and commands to the trader. */
async function place() {
  const url = await exchangeHere('--no-rate-limits');
  const folder = folderOf({ 'trader.yaml': traderYaml(url), 'maker.yaml': makerYaml() });
  const file = `${folder}/trader.yaml`;
  const command = (...args: readonly string[]) => ran([...args, '-c', file]);
  const status = async () => JSON.parse((await command('status', '--json')).output) as StatusData;
  const start = async (until: RegExp) => {
    const trader = started(['start', '-c', file]);
    await trader.waitFor(until);
    return trader;
  };
  return { url, folder, command, status, start };
}

it('deletes old orders through the trader, which goes on and agrees with the exchange', async () => {
  const { folder, command, status, start } = await place();
  const count = async (table: string) => {
    const { output } = await command('ledger', 'query', '--json', `select count(*) n from ${table}`);
    return (JSON.parse(output) as readonly { readonly n: number }[])[0]?.n ?? 0;
  };
  const first = await start(/ orders [1-9]/);
  expect((await command('stop')).code).toBe(0);
  await first.exited;
  const ledger = openLedger(`${folder}/ledger.sqlite`, HOLDER);
  const { id } = ledger.runs()[0] ?? { id: '' };
  ledger.transaction(() => {
    for (let i = 0; i < ORDERS; i++) addCanceled(ledger, `old-${i}`, Date.UTC(2001, 0, 1) + i, id);
  });
  ledger.close();

  const second = await start(/ orders [1-9]/);
  expect((await command('ledger', 'prune', '--before', '2002-01-01')).code).toBe(1);
  expect((await command('ledger', 'backup')).code).toBe(0);
  // Orders of 2001 were added after those of the first run: they are pruned once the comparison has passed them.
  const left = await until(
    async () => {
      await command('reconcile');
      expect((await command('ledger', 'prune', '--before', '2002-01-01')).code).toBe(0);
      return (await count("orders where pubkey like 'old-%'")) + (await count("intents where id like '%-old-%'"));
    },
    (rows) => rows === 0,
  );
  expect(left).toBe(0);
  const { fills } = await status();
  expect((await command('reconcile')).code).toBe(0);
  await until(status, (now) => now.mode === 'quoting' && now.fills >= fills);
  expect((await command('stop')).code).toBe(0);
  await second.exited;
  expect((await command('ledger', 'verify')).code).toBe(0);

  const third = await start(/ orders [1-9]/);
  expect((await command('reconcile')).code).toBe(0);
  expect((await status()).mode).toBe('quoting');
  expect((await command('stop')).code).toBe(0);
  await third.exited;
});

const CAPITAL = micros(1_000_000_000);
const STARTING_FUNDS = micros(10_000_000_000);
const FILLS_LOST = 12;

/** A trader killed on a backup that lacks fills, and unlocked as `ledger restore` says. */
async function restored() {
  const { url, folder, command, status, start } = await place();
  const taker = await Taker.join(url, 4);
  onTestFinished(() => taker.end());
  taker.go(await marketsOf(url), 200);
  const fillsOf = async () => (await status()).fills;

  const before = await start(/ fill: /);
  expect((await command('ledger', 'backup')).code).toBe(0);
  const backup = (JSON.parse((await command('ledger', 'backups', '--json')).output) as { path: string }[]).at(-1);
  const known = await fillsOf();
  await until(fillsOf, (fills) => fills >= known + FILLS_LOST);
  await taker.rest();
  expect((await command('stop')).code).toBe(0);
  await before.exited;
  expect((await command('ledger', 'restore', backup?.path ?? '', '--reason', 'disk lost')).code).toBe(0);

  await start(/killed: the ledger was restored/);
  expect((await command('unkill', '--reason', 'looked')).code).toBe(0);
  const differing = await until(status, ({ agreement }) => (agreement?.open ?? 0) > 0);
  return { url, folder, command, status, differing };
}

/** Shares by outcome, as `positions --json` and `/account/assets/` show them. */
async function holdings(folder: string, url: string, positions: string) {
  const client = asTrader(folder, url);
  const assets = await allRows(client, 'account.assets');
  await client.close();
  const rows = JSON.parse(positions) as { market_condition_id: string; is_yes: boolean; shares: string }[];
  const ours = rows.map((row) => `${row.market_condition_id} ${row.is_yes} ${parseDecimal(row.shares)}`).sort();
  const held = assets.filter(({ amounts }) => amounts.total > 0);
  const theirs = held.map(({ position: at, amounts }) => `${at.market.condition_id} ${at.is_yes} ${amounts.total}`);
  return { ours, theirs: theirs.sort() };
}

describe('after a restored backup', () => {
  it('adopt books shares and cash of the exchange, and everything is traded as before', async () => {
    const { url, folder, command, status } = await restored();
    const named = await until(status, ({ way_back }) => way_back !== '');
    expect(named.way_back).toBe('ledger adopt --reason TEXT');
    expect((await command('ledger', 'adopt')).code).toBe(2);
    // Shares may be in transit during the comparison.
    const isDone = ({ code }: { readonly code: number | null }) => code === 0;
    const adopt = (reason: string) => until(() => command('ledger', 'adopt', '--reason', reason), isDone);
    const adopted = await adopt('restored on Friday');
    expect(adopted.output).toMatch(
      /(YES|NO) of ".*": [\d.-]+ in the ledger before, [\d.-]+ now; records of the exchange change/,
    );
    const compared = await command('reconcile');
    expect(compared.code).toBe(0);
    expect(compared.output).toMatch(/^ledger and exchange agree\n$/m);
    expect((await adopt('once more')).output).toContain('nothing was booked');
    await until(status, ({ mode, way_back }) => mode === 'quoting' && way_back === '');
    expect((await command('stop')).code).toBe(0);

    const { ours, theirs } = await holdings(folder, url, (await command('positions', '--json')).output);
    expect(ours).toEqual(theirs);
    const ledger = openReadOnly(`${folder}/ledger.sqlite`);
    onTestFinished(() => ledger.close());
    expect([ledger.verify(), ledger.adopted()]).toEqual([[], 0]);
    await paper(url, '/clock/', { advance_s: profile.draft_lifetime_s + 1 });
    const { address } = openKeyFile({ path: `${folder}/wallet.json`, passphrase: null });
    const { funds } = (await paper(url, `/accounts/${address}/`)) as { funds: { total: string } };
    expect(sub(ledger.cash(), CAPITAL)).toBe(sub(parseDecimal(funds.total) ?? CAPITAL, STARTING_FUNDS));
    expect(ledger.events(1_000).filter(({ text }) => text === 'adopt: restored on Friday')).toHaveLength(1);
  });

  it('resume leaves the differences out, and every surface goes on to say so', async () => {
    const { command, status } = await restored();
    expect((await command('resume', '--reason', 'looked at it')).code).toBe(0);
    const sentence = /agree except for [1-9]\d* accepted differences? since 20\d\d-.* UTC \(looked at it\)/;
    const compared = await until(
      async () => {
        const seen = await command('reconcile');
        // A difference that only a second comparison confirms is accepted as well.
        if (seen.code === 6) await command('resume', '--reason', 'looked at it');
        return seen;
      },
      ({ code }) => code !== 6,
    );
    expect(compared.code).toBe(7);
    expect(compared.output).toMatch(sentence);
    const { agreement, way_back } = await status();
    expect(agreement).toMatchObject({ text: expect.stringMatching(sentence), open: 0 });
    expect(way_back).toBe('ledger adopt --reason TEXT');
    // Without orders there is no fill after the last comparison that a stopped trader would not have booked.
    const pauseUntilPulled = async () => {
      expect((await command('pause')).code).toBe(0);
      await until(status, ({ open_orders, unknown_orders }) => open_orders + unknown_orders === 0);
    };
    await pauseUntilPulled();
    await until(
      async () => {
        const seen = await command('reconcile');
        // A difference that changed after the comparison was not accepted with the others.
        if (seen.code === 6) {
          await command('resume', '--reason', 'looked at it');
          await pauseUntilPulled();
        }
        return seen;
      },
      ({ code }) => code === 7,
    );
    expect((await command('stop')).code).toBe(0);
    await until(
      () => command('reconcile'),
      ({ code }) => code === 7,
    );
    expect((await command('status')).output.replaceAll(/\s+/g, ' ')).toMatch(sentence);
  });
});
