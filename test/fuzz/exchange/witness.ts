/** An account with records of every kind that only signs reads during the fuzzing: no change is authorized. */

import { type Answered, send, TestTrader } from '../../exchange/http/harness.js';

const REQUESTS = '/margin/positions/requests/';
/** Every list of own records, complete: a witness has less than a page of rows. */
const LISTS = [
  ...['/auth/keys/', '/orders/', '/trades/', '/share-splits/', '/share-merges/', '/redeems/', '/account/'],
  ...['/account/assets/', '/margin/positions/', REQUESTS, '/margin/positions/settlements/'],
];

export class Witness {
  readonly trader: TestTrader;
  /** By their path, for requests of other users. */
  readonly pubkeys: Readonly<Record<string, readonly string[]>>;
  /** Drafts that only its own signature could submit. */
  readonly drafts: readonly string[];
  readonly #before: string;

  private constructor(trader: TestTrader, made: Made, before: string) {
    this.trader = trader;
    this.pubkeys = made.pubkeys;
    this.drafts = made.drafts;
    this.#before = before;
  }

  static async join(base: string, market: string, margin: readonly string[]): Promise<Witness> {
    const trader = await TestTrader.join(base);
    return new Witness(trader, await settle(trader, market, margin), await snapshot(trader));
  }

  /** The changes; null if there are none. */
  async changes(): Promise<string | null> {
    const now = await snapshot(this.trader);
    return now === this.#before ? null : `a witness was\n${this.#before}\nand is\n${now}`;
  }
}

interface Made {
  readonly pubkeys: Readonly<Record<string, readonly string[]>>;
  readonly drafts: readonly string[];
}

async function settle(trader: TestTrader, market: string, margin: readonly string[]): Promise<Made> {
  const body = { market_condition_id: market, amount: '50' };
  const key = (answer: Answered) => String(answer.row['pubkey']);
  const split = key(await trader.complete('/share-splits/', body));
  await until(async () => (await trader.get(`/share-splits/${split}/`)).row['state'] === 'done');
  const orders = [
    key(await trader.order(market, true, 'buy', '0.3', '7')),
    key(await trader.order(market, true, 'sell', '0.7', '5')),
  ];
  const order = { ...body, is_yes: true, side: 'buy', order_type: 'limit', price: '0.2', amount: '3' };
  const unsigned = key(await trader.post('/orders/', order));
  const merge = key(await trader.post('/share-merges/', { ...body, amount: '2' }));
  await trader.post(`/orders/${orders[0]}/cancel/`);
  const requests = [];
  for (const condition of margin) {
    const asked = { type: 'market', market_condition_id: condition, leverage: 2, funds: '100' };
    requests.push(key(await trader.complete(REQUESTS, asked)));
  }
  await until(async () => (await trader.get('/margin/positions/')).rows.length === margin.length);
  const positions = (await trader.get('/margin/positions/')).rows.map((row) => String(row['pubkey']));
  return {
    pubkeys: {
      '/orders/': [...orders, unsigned],
      '/share-splits/': [split],
      '/share-merges/': [merge],
      '/margin/positions/': positions,
      [REQUESTS]: requests,
      '/auth/keys/': [trader.apiKey],
    },
    drafts: [`/orders/${unsigned}/submit/`, `/share-merges/${merge}/submit/`, `/orders/${orders[0]}/cancel/submit/`],
  };
}

/** Retries until the condition holds: requests land within milliseconds of the exchange's clock. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let asked = 0; asked < 10_000; asked++) if (await isSo()) return;
  throw new Error('the witness could not be set up');
}

async function snapshot(trader: TestTrader): Promise<string> {
  const { row } = await send(trader.base, 'GET', `/paper/accounts/${trader.wallet}/`);
  const lines = [`funds ${JSON.stringify((row['funds'] as { total: string }).total)} custodial ${row['custodial']}`];
  for (const path of LISTS) lines.push(`${path} ${JSON.stringify((await trader.get(path)).data, withoutTime)}`);
  return lines.join('\n');
}

/** Removes changes over time: an unsigned draft expires and unlocks its amount. */
function withoutTime(name: string, value: unknown): unknown {
  if (name === 'locked' || name === 'available') return undefined;
  return value === 'expired' ? 'waiting_to_sign' : value;
}
