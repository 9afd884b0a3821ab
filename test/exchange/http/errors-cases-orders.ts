/** What orders, their submits and their cancels refuse. */

import { type Case, type ErrorWorld, failedSince, pubkeyOf, WRONG_SIGNATURE } from './errors-world.js';
import { type Answered, control, TestTrader } from './harness.js';

async function restingOrder(w: ErrorWorld): Promise<string> {
  return pubkeyOf(await w.trader.complete('/orders/', w.order()));
}

async function canceledOrder(w: ErrorWorld): Promise<string> {
  const pubkey = await restingOrder(w);
  await w.trader.cancel(pubkey);
  return pubkey;
}

const cancelSubmit = (w: ErrorWorld, pubkey: string, draft: Answered) =>
  w.trader.post(`/orders/${pubkey}/cancel/submit/`, { signature: w.trader.sign(String(draft.row['message'])) });

const marketBuy = { order_type: 'market', price: undefined, amount: undefined };

export const orderCases: Case[] = [
  ...(
    [
      ['a price off the tick', { price: '0.123' }, 'price'],
      ['a price under the least', { price: '0.001' }, 'price'],
      ['a price over the most', { price: '0.999' }, 'price'],
      ['a price that is no decimal', { price: 'half' }, 'price'],
      ['no price', { price: undefined }, 'price'],
      ['an amount off the lot', { amount: '1.001' }, 'amount'],
      ['an amount under the least', { amount: '0.5' }, 'amount'],
      ['an amount over the most', { amount: '1000000' }, 'amount'],
      ['funds on a limit order', { funds: '5' }, 'funds'],
      ['a market buy with an amount', { order_type: 'market', price: undefined }, 'amount'],
      ['a market buy with too small funds', { ...marketBuy, funds: '0.5' }, 'funds'],
      ['an unknown side', { side: 'hold' }, 'side'],
      ['an unknown type', { order_type: 'stop' }, 'order_type'],
      ['an outcome that is no boolean', { is_yes: 'yes' }, 'is_yes'],
      ['an unknown market', { market_condition_id: 'nowhere' }, 'market_condition_id'],
    ] as const
  ).map(([when, fields, field]) => ({
    call: 'orders.create' as const,
    slug: 'invalid_request_params' as const,
    when,
    field,
    answer: (w: ErrorWorld) => w.trader.post('/orders/', w.order(fields)),
  })),
  {
    call: 'orders.create',
    slug: 'gringotts_unavailable',
    when: 'nobody can sign',
    answer: (w) => w.without(() => w.trader.post('/orders/', w.order())),
  },
  ...(['closed', 'paused', 'resolved'] as const).map((name) => ({
    call: 'orders.create' as const,
    slug: 'order_market_not_open' as const,
    when: `the market is ${name}`,
    answer: (w: ErrorWorld) => w.trader.post('/orders/', w.order({}, name)),
  })),
  ...(['marginBook', 'polymarket', 'hyperliquid'] as const).map((name) => ({
    call: 'orders.create' as const,
    slug: 'invalid_request_params' as const,
    when: `the market is a ${name}`,
    field: 'market_condition_id',
    answer: (w: ErrorWorld) => w.trader.post('/orders/', w.order({}, name)),
  })),
  {
    call: 'orders.create',
    slug: 'order_insufficient_funds',
    when: 'it costs more than there is',
    answer: (w) => w.trader.post('/orders/', w.order({ price: '0.99', amount: '99999' })),
  },
  {
    call: 'orders.create',
    slug: 'order_insufficient_shares',
    when: 'it sells more than there is',
    answer: (w) => w.trader.post('/orders/', w.order({ side: 'sell', amount: '11' })),
  },
  {
    call: 'orders.submit',
    slug: 'invalid_program_call_status',
    when: 'it was submitted before',
    answer: async (w) => {
      const draft = await w.draft('/orders/');
      await w.trader.submit('/orders/', draft);
      return w.trader.submit('/orders/', draft);
    },
  },
  {
    call: 'orders.submit',
    slug: 'order_market_not_open',
    when: 'the market has closed since the draft',
    answer: (w) =>
      failedSince(w, {}, (market) => control(w.base, `/markets/${market}/state/`, { state: 'interrupted' })),
  },
  {
    call: 'orders.submit',
    slug: 'order_insufficient_funds',
    when: 'another order has used up the currency',
    answer: async (w) => {
      const poor = await TestTrader.join(w.base);
      const all = w.order({ price: '0.5', amount: '19000' });
      const [one, two] = [await poor.post('/orders/', all), await poor.post('/orders/', all)];
      await poor.submit('/orders/', one);
      const answer = await poor.submit('/orders/', two);
      await poor.cancel(pubkeyOf(one));
      return answer;
    },
  },
  {
    call: 'orders.submit',
    slug: 'order_insufficient_shares',
    when: 'another order has locked the shares',
    answer: (w) => {
      const sell = { side: 'sell', price: '0.9', amount: '10' };
      return failedSince(w, sell, (market) =>
        w.trader.complete('/orders/', w.order({ market_condition_id: market, ...sell })),
      );
    },
  },
  {
    call: 'orders.cancel',
    slug: 'gringotts_unavailable',
    when: 'nobody can sign',
    answer: async (w) => {
      const pubkey = await restingOrder(w);
      return w.without(() => w.trader.post(`/orders/${pubkey}/cancel/`));
    },
  },
  {
    call: 'orders.cancel',
    slug: 'order_not_cancelable',
    when: 'the order is canceled already',
    answer: async (w) => w.trader.post(`/orders/${await canceledOrder(w)}/cancel/`),
  },
  {
    call: 'orders.cancel',
    slug: 'order_not_cancelable',
    when: 'the order is a draft',
    answer: async (w) => w.trader.post(`/orders/${pubkeyOf(await w.draft('/orders/'))}/cancel/`),
  },
  {
    call: 'orders.cancel',
    slug: 'not_found',
    when: 'the order is somebody else’s',
    answer: async (w) => w.other.post(`/orders/${await restingOrder(w)}/cancel/`),
  },
  {
    call: 'orders.cancelSubmit',
    slug: 'not_found',
    when: 'the order is somebody else’s',
    answer: async (w) =>
      w.other.post(`/orders/${await restingOrder(w)}/cancel/submit/`, { signature: WRONG_SIGNATURE }),
  },
  {
    call: 'orders.cancelSubmit',
    slug: 'invalid_program_call_status',
    when: 'there is no cancel draft',
    answer: async (w) =>
      w.trader.post(`/orders/${await restingOrder(w)}/cancel/submit/`, { signature: WRONG_SIGNATURE }),
  },
  {
    call: 'orders.cancelSubmit',
    slug: 'invalid_program_call_status',
    when: 'it was submitted before',
    answer: async (w) =>
      w.trader.post(`/orders/${await canceledOrder(w)}/cancel/submit/`, { signature: WRONG_SIGNATURE }),
  },
  {
    call: 'orders.cancelSubmit',
    slug: 'program_call_has_expired',
    when: 'the cancel draft has expired',
    answer: async (w) => {
      const pubkey = await restingOrder(w);
      const draft = await w.trader.post(`/orders/${pubkey}/cancel/`);
      await w.pass(61);
      return cancelSubmit(w, pubkey, draft);
    },
  },
  {
    call: 'orders.cancelSubmit',
    slug: 'invalid_request_params',
    when: 'the signature is wrong',
    field: 'signature',
    answer: async (w) => {
      const pubkey = await restingOrder(w);
      await w.trader.post(`/orders/${pubkey}/cancel/`);
      return w.trader.post(`/orders/${pubkey}/cancel/submit/`, { signature: WRONG_SIGNATURE });
    },
  },
  {
    call: 'orders.cancelSubmit',
    slug: 'order_not_cancelable',
    when: 'the order was filled since the draft',
    answer: async (w) => {
      const pubkey = pubkeyOf(await w.trader.complete('/orders/', w.order({ price: '0.5' })));
      const draft = await w.trader.post(`/orders/${pubkey}/cancel/`);
      await w.other.complete('/orders/', w.order({ is_yes: false, price: '0.5' }));
      return cancelSubmit(w, pubkey, draft);
    },
  },
];
