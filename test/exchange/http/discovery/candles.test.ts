import { describe, expect, it } from 'vitest';
import { must } from '../../../../src/shared/base/errors.js';
import { parseDecimal } from '../../../../src/shared/base/micros.js';
import { control, openMarket, TestTrader } from '../harness.js';
import { sharedExchange } from '../shared-exchange.js';
import { pass, read, walk } from './walk.js';

const ONE = 1_000_000;
const micros = (text: unknown): number => must(parseDecimal(String(text)), `decimal ${text}`);

interface Print {
  readonly second: number;
  readonly yesPrice: number;
  readonly funds: number;
}

const { url: base } = await sharedExchange();
const market = await openMarket(base);
const [maker, taker] = [await TestTrader.join(base), await TestTrader.join(base)];
const startS = maker.nowS();
const steps = [0, 7, 400, 290, 1, 3_000, 30, 1_700, 90, 12_000, 5, 299, 300];
for (const [n, gapS] of steps.entries()) {
  if (gapS > 0) await pass(base, gapS, maker, taker);
  const price = `0.${30 + ((n * 17) % 40)}`;
  await maker.order(market, true, 'buy', price, '10');
  // The taker buys NO against it: its outcome is NO, its price 1 − p.
  await taker.order(market, false, 'buy', String((ONE - micros(price)) / ONE), String(3 + n));
  if (n + 3 < 10) await maker.order(market, false, 'buy', String((ONE - micros(price)) / ONE), '2');
}
const endS = maker.nowS() + 1;

/** Every public trade, oldest first, in YES space. */
async function prints(): Promise<Print[]> {
  const rows = await walk(base, `/markets/${market}/trades/`, 100);
  return rows.reverse().map((row) => {
    const [price, amount] = [micros(row['price']), micros(row['amount'])];
    const yesPrice = row['is_yes'] === true ? price : ONE - price;
    const yes = Math.floor((yesPrice * amount) / ONE);
    return { second: Number(row['timestamp']), yesPrice, funds: row['is_yes'] === true ? yes : amount - yes };
  });
}

function plainBars(all: readonly Print[], lengthS: number, isYes: boolean) {
  const starts = [...new Set(all.map(({ second }) => second - (second % lengthS)))];
  return starts.map((timestamp) => {
    const own = all.filter(({ second }) => second >= timestamp && second < timestamp + lengthS);
    const values = own.map(({ yesPrice }) => (isYes ? yesPrice : ONE - yesPrice));
    const volume = own.reduce((sum, { funds }) => sum + funds, 0);
    const prices = [values[0], Math.max(...values), Math.min(...values), values.at(-1)];
    return { timestamp, prices, volume };
  });
}

const candles = (query: string, id = market) => read(base, `/markets/${id}/candles/?${query}`);

describe('candles', () => {
  it.each([
    ['5m', 300, true],
    ['5m', 300, false],
    ['30m', 1_800, true],
    ['30m', 1_800, false],
  ] as const)('of %s are what a recount of the public trades gives, oldest first', async (interval, lengthS, isYes) => {
    const from = startS - (startS % 1_800);
    const answer = await candles(`start_time=${from}&end_time=${endS}&interval=${interval}&is_yes=${isYes}`);
    expect([answer.status, answer.meta]).toEqual([200, { is_yes: isYes }]);
    const bars = answer.rows.map((row) => {
      const prices = ['open', 'high', 'low', 'close'].map((name) => micros(row[name]));
      expect(row['is_yes']).toBe(isYes);
      return { timestamp: row['timestamp'], prices, volume: micros(row['volume']) };
    });
    expect(bars).toEqual(plainBars(await prints(), lengthS, isYes));
    expect(bars.length).toBeGreaterThan(3);
  });

  it('of a margin market follow its reference price, without volume', async () => {
    const rates = { max_leverage_yes: '3', max_leverage_no: '3', opening_fee: '0', closing_fee: '0' };
    const config = { kind: 'hyperliquid', annual_fee_rate: '0', ...rates };
    const id = await openMarket(base, { config, reference_price: '0.4' });
    for (const price of ['0.45', '0.2', '0.3']) await control(base, `/markets/${id}/reference-price/`, { price });
    const { rows } = await candles(`start_time=${startS}&end_time=${endS + 3600}&interval=30m&is_yes=false`, id);
    const lows = rows.map((row) => micros(row['low']));
    expect([micros(rows[0]?.['open']), Math.min(...lows), micros(rows.at(-1)?.['close'])]).toEqual([
      550_000, 550_000, 700_000,
    ]);
    expect(rows.map((row) => row['volume'])).toEqual(rows.map(() => '0'));
  });
});
