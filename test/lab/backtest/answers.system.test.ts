/** The direct calls of the in-process exchange return the same answers as the handlers of the real routes. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultAnswer, successText } from '../../../src/exchange/service/answers.js';
import { passCall } from '../../../src/exchange/service/handlers.js';
import { WalletSignatures } from '../../../src/exchange/service/wallet-signatures.js';
import { type InProcessExchange, readOrderRequest } from '../../../src/lab/backtest/in-process-exchange.js';
import type { Micros } from '../../../src/shared/base/micros.js';
import { Random } from '../../../src/shared/base/random.js';
import { declarationOf } from '../../../src/shared/protocol/endpoints.js';
import type { AnyCall, Outcome } from '../../../src/shared/protocol/seam.js';
import { RESTING_STATUSES } from '../../../src/shared/protocol/states.js';
import { classify } from '../../../src/shell/client/message.js';
import { times } from '../../support/effort.js';
import { exchangeOf } from './plans.js';

const START_MS = 1_790_000_000_000;
const CONDITION_ID = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';

/** Over text, like the paper exchange's routes and the HTTP client together. */
function overText(venue: InProcessExchange, call: AnyCall, nowMs: number): Outcome {
  const declaration = declarationOf(call.endpoint);
  const limit = (call.query as { limit?: number }).limit ?? declaration.page ?? 0;
  const whole = { nowMs, account: venue.account, params: call.params, query: call.query, body: null, limit };
  const context = { core: venue.core, wallets: new WalletSignatures() };
  // The declaration and the handler of the same name.
  const reply = passCall(call.endpoint, whole, context);
  if (!reply.ok) {
    const { status, text } = faultAnswer(reply.fault);
    return classify(declaration, status, text).outcome;
  }
  const next_cursor = 'nextCursor' in reply ? (reply.nextCursor ?? null) : null;
  const meta = declaration.page === undefined ? {} : { limit, next_cursor };
  const text = 'text' in reply ? reply.text : undefined;
  return classify(declaration, 200, text ?? successText(reply.value, meta)).outcome;
}

const get = (endpoint: string, params: object, query: object): AnyCall =>
  // Written like those of the poll plan.
  ({ endpoint, params, query, body: undefined }) as unknown as AnyCall;

const POLLS = [
  get('markets.book', { condition_id: CONDITION_ID }, { depth: 20, is_yes: true }),
  get('markets.book', { condition_id: CONDITION_ID }, { depth: 3, is_yes: true }),
  get('markets.book', { condition_id: 'nobody' }, { depth: 3, is_yes: true }),
  get('markets.trades', { condition_id: CONDITION_ID }, { limit: 100 }),
  get('markets.trades', { condition_id: CONDITION_ID }, { limit: 7 }),
  get('markets.detail', { condition_id: CONDITION_ID }, {}),
  get('orders.list', {}, { status: [...RESTING_STATUSES], limit: 100 }),
  get('orders.list', {}, { limit: 100 }),
  get('trades.list', {}, { limit: 100 }),
  get('trades.list', {}, { limit: 3 }),
  // A call of reconciliation.
  get('trades.list', {}, { limit: 70 }),
  get('merges.list', {}, { limit: 50 }),
  get('splits.list', {}, { limit: 50 }),
  get('redeems.list', {}, { limit: 50 }),
  get('account.assets', {}, { limit: 200 }),
  get('markets.list', {}, { limit: 100, state: 'open' }),
];

function newVenue(): InProcessExchange {
  const venue = exchangeOf('optimistic', START_MS);
  const config = { kind: 'orderbook', price_precision: 2, amount_precision: 2 } as const;
  const about = { title: 'T', event: 'E', category: 'crypto', condition_id: CONDITION_ID };
  venue.core.at(START_MS).markets.create({ config, ...about });
  return venue;
}

describe('the exchange in process', () => {
  it('takes the body of an order as its schema reads it', () => {
    const decimal = fc.option(fc.integer({ min: 1, max: 1e9 }), { nil: undefined });
    const text = (value: number | undefined) => (value === undefined ? undefined : String(value / 1e6));
    const given = (value: object) => Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined));
    const property = fc.property(fc.boolean(), decimal, decimal, decimal, (isYes, price, amount, funds) => {
      const body = {
        market_condition_id: CONDITION_ID,
        is_yes: isYes,
        side: isYes ? 'buy' : 'sell',
        order_type: 'limit',
        ...given({ price: text(price), amount: text(amount), funds: text(funds) }),
      };
      const read = declarationOf('orders.create').body?.parse(body) as object;
      expect(given(readOrderRequest(body as never))).toEqual(given(read));
    });
    fc.assert(property, { numRuns: times(150, 300) });
  });

  it('answers polls as the routes do, whatever has happened in between', () => {
    let fills = 0;
    const property = fc.property(fc.integer({ min: 1, max: 1e9 }), (seed) => {
      const random = Random.fromSeed(seed);
      const venue = newVenue();
      let nowMs = START_MS;
      const open: string[] = [];
      for (let step = 0; step < 120; step++) {
        nowMs += random.below(3_000);
        act(venue, random, nowMs, open);
        const call = POLLS[random.below(POLLS.length)] as AnyCall;
        const { outcome } = venue.answer(call, nowMs);
        expect(outcome, `${call.endpoint} at step ${step}`).toEqual(overText(venue, call, nowMs));
      }
      fills += venue.core.orders.trades(venue.account, { limit: 100 }).rows.length;
    });
    fc.assert(property, { numRuns: times(30, 60) });
    expect(fills).toBeGreaterThan(300);
  });
});

/** One possible event: a recorded change, a trade, an order of ours, a cancel. */
function act(venue: InProcessExchange, random: Random, nowMs: number, open: string[]): void {
  const { core, account } = venue;
  const post = (endpoint: string, params: object, body: object): Outcome =>
    venue.answer({ endpoint, params, query: {}, body } as never, nowMs).outcome;
  const price = ((20 + random.below(60)) * 10_000) as Micros;
  const amount = ((1 + random.below(100)) * 1_000_000) as Micros;
  const side = random.chance(0.5) ? 0 : 1;
  switch (random.below(5)) {
    case 0:
      core.at(nowMs).feed.level(0, side, price, amount);
      return;
    case 1:
      // More than a page of trades before the end.
      for (let i = 0; i < 8; i++) core.at(nowMs).feed.trade(0, side, price, amount);
      return;
    case 2: {
      const body = { market_condition_id: CONDITION_ID, is_yes: random.chance(0.5), side: 'buy', order_type: 'limit' };
      const draft = post('orders.create', {}, { ...body, price: String(price / 1e6), amount: '5' });
      if (draft.kind !== 'answered') return;
      const { pubkey } = draft.data as { pubkey: string };
      if (random.chance(0.1)) return;
      const submitted = post('orders.submit', { pubkey }, { signature: '' });
      if (submitted.kind === 'answered')
        expect(submitted).toEqual(overText(venue, get('orders.detail', { pubkey }, {}), nowMs));
      open.push(pubkey);
      return;
    }
    case 3: {
      const pubkey = open[random.below(open.length + 1)];
      if (pubkey === undefined || !core.at(nowMs).orders.draftCancel(account, pubkey).ok) return;
      post('orders.cancelSubmit', { pubkey }, { signature: '' });
      return;
    }
    default:
      if (!random.chance(0.02)) return;
      core.at(nowMs).markets.setState(CONDITION_ID, 'waiting_to_resolve');
      venue.closeMarket(0, nowMs);
  }
}
