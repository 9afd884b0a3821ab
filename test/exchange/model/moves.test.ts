import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningExchange } from '../../../src/exchange/exchange.js';
import { type Answered, control, openMarket, send, startTestExchange, TestTrader } from '../http/harness.js';
import { type Kind, Watcher } from './watcher.js';

const LANDING_S = 100;
const DRAFT_S = 1000;

let exchange: RunningExchange;
let base: string;
let trader: TestTrader;
let other: TestTrader;
let watcher: Watcher;
let market: string;

// Only the controls move time far enough for anything to be due.
beforeAll(async () => {
  exchange = await startTestExchange({ landingMs: LANDING_S * 1000, draftLifetimeS: DRAFT_S });
  base = exchange.url;
  trader = await TestTrader.join(base);
  other = await TestTrader.join(base);
  watcher = new Watcher(trader);
  market = await openMarket(base);
});
afterAll(() => exchange.close());

async function pass(seconds: number): Promise<void> {
  await control(base, '/clock/', { advance_s: seconds });
  for (const someone of [trader, other]) someone.clockShiftS += seconds;
  await watcher.look();
}

async function draft(kind: Kind, body: object): Promise<Answered> {
  const made = await trader.post(kind, body);
  expect(made.status).toBe(201);
  await watcher.look();
  return made;
}

async function submit(kind: Kind, made: Answered): Promise<Answered> {
  const answer = await trader.submit(kind, made);
  await watcher.look();
  return answer;
}

/** Sets for whoever needs some. */
async function split(id: string, size: string): Promise<void> {
  await submit('/share-splits/', await draft('/share-splits/', { market_condition_id: id, amount: size }));
  await pass(LANDING_S);
}

const pubkey = (answer: Answered): string => String(answer.row['pubkey']);
const order = (fields: object = {}) => ({
  market_condition_id: market,
  is_yes: true,
  side: 'buy',
  order_type: 'limit',
  price: '0.4',
  amount: '10',
  ...fields,
});
const amount = (text: string) => ({ market_condition_id: market, amount: text });
/** Somebody buys NO from the buyer of YES. */
const meet = (price: string, size: string) => other.order(market, false, 'buy', price, size);

async function locked(): Promise<string> {
  const { row } = await send(base, 'GET', `/paper/accounts/${trader.wallet}/`);
  return (row['funds'] as { locked: string }).locked;
}

async function lockedShares(): Promise<string[]> {
  const { rows } = await trader.get(`/account/assets/?market_condition_id=${market}`);
  return rows.map((row) => (row['amounts'] as { locked: string }).locked);
}

describe('the life of an order', () => {
  it('goes from draft over open and partially filled to filled', async () => {
    const made = await draft('/orders/', order());
    await submit('/orders/', made);
    await meet('0.6', '4');
    await watcher.look();
    await meet('0.6', '6');
    await watcher.look();
    expect(watcher.life(pubkey(made))).toEqual(['waiting_to_sign', 'open', 'partially_filled', 'filled']);
    expect(await locked()).toBe('0');
  });

  it('ends with a cancel, with or without a fill', async () => {
    for (const [fills, life] of [
      [0, ['waiting_to_sign', 'open', 'canceled']],
      [1, ['waiting_to_sign', 'open', 'partially_filled', 'partially_filled_canceled']],
    ] as const) {
      const made = await draft('/orders/', order());
      await submit('/orders/', made);
      for (let fill = 0; fill < fills; fill++) await meet('0.6', '4');
      await watcher.look();
      await trader.cancel(pubkey(made));
      await watcher.look();
      expect(watcher.life(pubkey(made))).toEqual(life);
      expect(await locked()).toBe('0');
    }
  });

  it('can be over with the answer to its submit', async () => {
    for (const [asked, body, end] of [
      ['3', order({ price: '0.5', amount: '3' }), 'filled'],
      [
        '1',
        { ...order({ order_type: 'market', funds: '5' }), price: undefined, amount: undefined },
        'partially_filled_canceled',
      ],
      [null, { ...order({ order_type: 'market', funds: '5' }), price: undefined, amount: undefined }, 'canceled'],
    ] as const) {
      if (asked !== null) await meet('0.5', asked);
      const made = await draft('/orders/', body);
      expect((await submit('/orders/', made)).row['status']).toBe(end);
      expect(watcher.life(pubkey(made))).toEqual(['waiting_to_sign', end]);
      expect(await locked()).toBe('0');
    }
  });

  it('ends unsigned when its time is over on the exchange’s clock, and never locks anything', async () => {
    const made = await draft('/orders/', order());
    expect(await locked()).toBe('0');
    await pass(DRAFT_S - 30);
    expect(watcher.life(pubkey(made))).toEqual(['waiting_to_sign']);
    await pass(30);
    expect(watcher.life(pubkey(made))).toEqual(['waiting_to_sign', 'expired']);
    expect(await locked()).toBe('0');
  });

  it('fails when another order has used up the currency since its draft', async () => {
    const all = order({ amount: '20000' });
    const [one, two] = [await draft('/orders/', all), await draft('/orders/', all)];
    await submit('/orders/', two);
    expect(await submit('/orders/', one)).toMatchObject({ status: 400, slug: 'order_insufficient_funds' });
    expect(watcher.life(pubkey(two))).toEqual(['waiting_to_sign', 'open']);
    expect(watcher.life(pubkey(one))).toEqual(['waiting_to_sign', 'failed']);
    await trader.cancel(pubkey(two));
    await watcher.look();
    expect(await locked()).toBe('0');
  });

  it('fails when the market has closed since its draft; what rests is canceled', async () => {
    const resting = await draft('/orders/', order());
    await submit('/orders/', resting);
    const made = await draft('/orders/', order());
    await control(base, `/markets/${market}/state/`, { state: 'interrupted' });
    await watcher.look();
    await submit('/orders/', made);
    expect(watcher.life(pubkey(resting))).toEqual(['waiting_to_sign', 'open', 'canceled']);
    expect(watcher.life(pubkey(made))).toEqual(['waiting_to_sign', 'failed']);
    expect(await locked()).toBe('0');
    await control(base, `/markets/${market}/state/`, { state: 'open' });
  });
});

describe.each(['/share-splits/', '/share-merges/'] as const)('the life of one of %s', (kind) => {
  const holds = async () => (kind === '/share-splits/' ? [await locked()] : await lockedShares());
  const all = (text: string) => (kind === '/share-splits/' ? [text] : [text, text]);

  it('goes from draft over landing to done', async () => {
    const made = await draft(kind, amount('2'));
    expect(await holds()).toEqual(all('2'));
    await submit(kind, made);
    await pass(LANDING_S - 30);
    expect(watcher.life(pubkey(made))).toEqual(['waiting_to_sign', 'in_process']);
    expect(await holds()).toEqual(all('2'));
    await pass(30);
    expect(watcher.life(pubkey(made))).toEqual(['waiting_to_sign', 'in_process', 'done']);
    expect(await locked()).toBe('0');
    expect((await lockedShares()).every((text) => text === '0')).toBe(true);
  });

  it('expires with its draft, and its lock with it', async () => {
    await split(market, '1');
    const made = await draft(kind, amount('1'));
    await pass(DRAFT_S - 30);
    expect(watcher.life(pubkey(made))).toEqual(['waiting_to_sign']);
    expect(await holds()).toEqual(all('1'));
    await pass(30);
    expect(watcher.life(pubkey(made))).toEqual(['waiting_to_sign', 'expired']);
    expect([await locked(), ...(await lockedShares())].every((text) => text === '0')).toBe(true);
  });

  it('is submitted on a paused market, and fails when that is paused still at its landing', async () => {
    const made = await draft(kind, amount('1'));
    await control(base, `/markets/${market}/state/`, { paused: true });
    await submit(kind, made);
    expect(watcher.life(pubkey(made))).toEqual(['waiting_to_sign', 'in_process']);
    expect(await holds()).toEqual(all('1'));
    await pass(LANDING_S);
    expect(watcher.life(pubkey(made))).toEqual(['waiting_to_sign', 'in_process', 'failed']);
    expect([await locked(), ...(await lockedShares())].every((text) => text === '0')).toBe(true);
    await control(base, `/markets/${market}/state/`, { paused: false });
  });

  it('fails when its market is settled meanwhile', async () => {
    const own = await openMarket(base);
    if (kind === '/share-merges/') {
      await split(own, '1');
    }
    const made = await draft(kind, { market_condition_id: own, amount: '1' });
    await submit(kind, made);
    await control(base, `/markets/${own}/resolve/`, { is_yes: false });
    await pass(LANDING_S);
    expect(watcher.life(pubkey(made))).toEqual(['waiting_to_sign', 'in_process', 'failed']);
  });
});

describe('the life of a redeem', () => {
  it('waits for its signature, expires or is completed at once, and pays once', async () => {
    await split(market, '5');
    await control(base, `/markets/${market}/resolve/`, { is_yes: null });
    const late = await draft('/redeems/', { market_condition_id: market });
    const [held] = await lockedShares();
    expect(held).not.toBe('0');
    const again = await draft('/redeems/', { market_condition_id: market });
    expect(again.row).toEqual(late.row);
    await pass(DRAFT_S);
    expect(watcher.life(pubkey(late))).toEqual(['waiting_to_sign', 'expired']);
    expect(await lockedShares()).toEqual(['0', '0']);
    const made = await draft('/redeems/', { market_condition_id: market });
    const answer = await submit('/redeems/', made);
    expect(answer.row).toMatchObject({ state: 'completed', onchain_funds: answer.row['funds'] });
    expect(watcher.life(pubkey(made))).toEqual(['waiting_to_sign', 'completed']);
    expect(await lockedShares()).toEqual([]);
  });
});

describe('all of these lives together', () => {
  it('have made every move there is', () => {
    expect([...watcher.moves].sort()).toEqual(
      [
        ...['waiting_to_sign', 'waiting_to_sign → open', 'waiting_to_sign → filled', 'waiting_to_sign → canceled'],
        ...['waiting_to_sign → partially_filled_canceled', 'waiting_to_sign → expired', 'waiting_to_sign → failed'],
        ...['open → partially_filled', 'open → canceled', 'partially_filled → filled'],
        ...['partially_filled → partially_filled_canceled', 'waiting_to_sign → in_process', 'in_process → done'],
        ...['in_process → failed', 'waiting_to_sign → completed'],
      ].sort(),
    );
  });
});
