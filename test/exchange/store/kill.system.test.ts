import { beforeEach, expect, it } from 'vitest';
import { Random } from '../../../src/shared/base/random.js';
import { exchangeAt } from '../../support/cases.js';
import { times } from '../../support/effort.js';
import { newFolder } from '../../support/folders.js';
import { type Answered, micros, openMarket, send, TestTrader } from '../http/harness.js';

/** Number of kills during work; the environment may ask for more. */
const KILLS = Number(process.env['TWINBOOK_KILLS'] ?? times(2, 10));
const TRADERS = 3;
/** Maximum concurrent calls of each trader. */
const AT_ONCE = 4;
const FUNDS = 10_000_000_000;

let folder: string;
beforeEach(() => (folder = newFolder()));

type Row = Record<string, unknown>;
const FINAL = ['filled', 'canceled', 'partially_filled_canceled'];
const PATHS = { order: '/orders/', split: '/share-splits/', merge: '/share-merges/' } as const;
type Kind = keyof typeof PATHS;

/** The acknowledged state: the furthest progress of each record, by its pubkey. */
class Acknowledged {
  readonly records = new Map<string, { readonly kind: Kind; readonly trader: TestTrader; row: Row }>();
  calls = 0;

  take(kind: Kind, trader: TestTrader, { status, row }: Answered): void {
    this.calls += 1;
    if (status !== 200) return;
    const pubkey = String(row['pubkey']);
    const known = this.records.get(pubkey)?.row;
    // Answers of concurrent calls may arrive in another order than the calls.
    if (known !== undefined && furthest(known) > furthest(row)) return;
    this.records.set(pubkey, { kind, trader, row });
  }
}

/** The progress of a record; it never decreases. */
const furthest = (row: Row): number =>
  micros(row['filled_amount'] ?? 0) * 2 + (FINAL.includes(String(row['status'])) || row['state'] === 'done' ? 1 : 0);

/** Trades without a pause until the exchange is killed. */
async function trade(trader: TestTrader, market: string, acknowledged: Acknowledged, random: Random): Promise<void> {
  for (;;) {
    const dice = random.uniform();
    const cents = 45 + random.below(11);
    const isYes = random.chance(0.5);
    const body = { market_condition_id: market, amount: String(1 + random.below(5)) };
    try {
      if (dice < 0.1) acknowledged.take('split', trader, await trader.complete('/share-splits/', body));
      else if (dice < 0.2) acknowledged.take('merge', trader, await trader.complete('/share-merges/', body));
      else {
        const order = await trader.order(market, isYes, dice < 0.75 ? 'buy' : 'sell', `0.${cents}`, body.amount);
        acknowledged.take('order', trader, order);
        const rests = order.status === 200 && ['open', 'partially_filled'].includes(String(order.row['status']));
        if (rests && random.chance(0.3))
          acknowledged.take('order', trader, await trader.cancel(String(order.row['pubkey'])));
      }
    } catch {
      return; // The exchange was killed during this call, which may have been executed.
    }
  }
}

async function allRows(trader: TestTrader, path: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: unknown = ''; cursor !== null; ) {
    const answer = await trader.get(`${path}?limit=100${cursor === '' ? '' : `&cursor=${String(cursor)}`}`);
    rows.push(...answer.rows);
    cursor = (answer.meta as Row)['next_cursor'];
  }
  return rows;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

const readFunds = (traders: readonly TestTrader[]): Promise<number[]> =>
  Promise.all(
    traders.map(async (trader) => {
      const { row } = await send(trader.base, 'GET', `/paper/accounts/${trader.wallet}/`);
      return micros((row['funds'] as Row)['total']);
    }),
  );

/** Currency and assets at one moment: a merge or split that was accepted before the kill may land between two reads. */
async function readHoldings(traders: readonly TestTrader[]): Promise<{ funds: number[]; assets: readonly Row[] }> {
  for (;;) {
    const before = await readFunds(traders);
    const assets = (await Promise.all(traders.map((one) => one.get('/account/assets/')))).flatMap(({ rows }) => rows);
    const funds = await readFunds(traders);
    if (funds.every((total, at) => total === before[at])) return { funds, assets };
  }
}

/** Currency and complete sets sum to the traders' deposits, and YES equals NO. */
async function checkConservation(traders: readonly TestTrader[]): Promise<void> {
  const { funds, assets } = await readHoldings(traders);
  const shares = (isYes: boolean) =>
    sum(
      assets
        .filter((asset) => (asset['position'] as Row)['is_yes'] === isYes)
        .map((asset) => micros((asset['amounts'] as Row)['total'])),
    );
  expect(shares(true)).toBe(shares(false));
  expect(sum(funds) + shares(true)).toBe(TRADERS * FUNDS);
}

/** Every acknowledged record is unchanged or has progressed. */
async function checkAcknowledged({ records }: Acknowledged): Promise<void> {
  const all = [...records];
  for (let at = 0; at < all.length; at += 20) {
    await Promise.all(
      all.slice(at, at + 20).map(async ([pubkey, { kind, trader, row }]) => {
        const { row: now } = await trader.get(`${PATHS[kind]}${pubkey}/`);
        expect(now['pubkey']).toBe(pubkey);
        expect(furthest(now), JSON.stringify([row, now])).toBeGreaterThanOrEqual(furthest(row));
        if (FINAL.includes(String(row['status']))) expect(now).toEqual(row);
      }),
    );
  }
}

/** Every order was filled by exactly its trades, and no trade is duplicated. */
async function checkFills(trader: TestTrader): Promise<void> {
  const trades = await allRows(trader, '/trades/');
  const orders = await allRows(trader, '/orders/');
  expect(new Set(trades.map((row) => row['pubkey'])).size).toBe(trades.length);
  expect(new Set(orders.map((row) => row['pubkey'])).size).toBe(orders.length);
  const filled = new Map<unknown, number>();
  for (const { order, amount } of trades) {
    const { pubkey } = order as Row;
    filled.set(pubkey, (filled.get(pubkey) ?? 0) + micros(amount));
  }
  for (const order of orders) expect(filled.get(order['pubkey']) ?? 0).toBe(micros(order['filled_amount']));
  expect(trades.length).toBeGreaterThan(KILLS);
}

it(`kill -9 in the middle of heavy traffic loses nothing that was acknowledged and matches nothing twice, ${KILLS} times`, async () => {
  const start = () => exchangeAt('--data-dir', folder, '--no-crowd', '--no-rate-limits');
  let exchange = await start();
  const traders = await Promise.all(Array.from({ length: TRADERS }, () => TestTrader.join(exchange.url)));
  const config = { kind: 'orderbook', maker_fee_rate: '0', taker_fee_rate: '0' };
  const market = await openMarket(exchange.url, { config });
  const acknowledged = new Acknowledged();
  const random = Random.fromSeed(1, 'kills');
  for (let round = 0; round < KILLS; round++) {
    // A different moment in every round: after this number of answered calls.
    const enough = acknowledged.calls + 20 + random.below(100);
    const trading = traders.flatMap((trader) =>
      Array.from({ length: AT_ONCE }, () => trade(trader, market, acknowledged, random)),
    );
    while (acknowledged.calls < enough) await new Promise((resolve) => setImmediate(resolve));
    exchange.running.process.kill('SIGKILL');
    await exchange.running.exited;
    await Promise.all(trading);
    exchange = await start();
    for (const trader of traders) trader.base = exchange.url;
    await checkConservation(traders);
  }
  await checkAcknowledged(acknowledged);
  for (const trader of traders) await checkFills(trader);
  expect(acknowledged.records.size).toBeGreaterThan(10 * KILLS);
});
