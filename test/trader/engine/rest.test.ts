/** Time of the ledger log's checkpoint: not while an order or a cancel waits for its answer. */

import { statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { must } from '../../../src/shared/base/errors.js';
import type { Outcome, Request } from '../../../src/shared/protocol/seam.js';
import { Wallet } from '../../../src/shell/wallet/wallet.js';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { defineStrategy } from '../../../src/trader/strategy/strategy.js';
import { benchTrader } from '../../bench/bench-trader.js';
import { HOLDER, inFolder, m, ONE } from '../ledger/books.js';
import { detail, snapshot } from '../market/fixtures.js';
import { PlayedTrader, START_MS } from './played-trader.js';

const bidding = defineStrategy({
  name: 'bidding',
  summary: 'Wants one bid.',
  params: {},
  create: () => ({
    quote: () => ({
      fairMicros: m(500_000),
      bids: [{ priceMicros: m(470_000), amountMicros: m(10 * ONE) }],
      asks: [],
      keepWithinTicks: 0,
      keepWithinSizeFraction: 0,
      note: 'a bid',
      factors: {},
    }),
  }),
});

const answered = (data: unknown): Outcome => ({ kind: 'answered', data: data as never, nextCursor: null });
const REFUSED: Outcome = { kind: 'refused', status: 400, slug: 'insufficient_balance', message: 'no', details: [] };

function answerTo({ call }: Request): Outcome {
  switch (call.endpoint) {
    case 'markets.list':
    case 'markets.detail':
      return answered(call.endpoint === 'markets.list' ? [detail({})] : detail({}));
    case 'markets.book':
      return answered(snapshot([[0.48, 30]], [[0.52, 40]]));
    default:
      return answered([]);
  }
}

testInFolder('the log of the ledger is carried over at a beat, though not while an order waits for its answer', (path) => {
  const ledger = openLedger(path, HOLDER);
  const settings = { wallet: Wallet.makeUnkept(), ledger, strategy: bidding, params: {}, markets: 1 };
  const waiting: Request[] = [];
  const played = new PlayedTrader(benchTrader({ ...settings, nowMs: START_MS }), (request) => {
    if (request.call.endpoint !== 'orders.create') return answerTo(request);
    waiting.push(request);
    return null;
  });
  played.pass(10);
  const draft = must(waiting[0], 'an order under way');
  ledger.transaction(() => {
    for (let n = 0; n < 500; n++) ledger.setNote(`note ${n}`, 'x'.repeat(1000));
  });
  const { size } = statSync(path);
  played.pass(2);
  expect(statSync(path).size).toBe(size);
  played.tell(draft.id, REFUSED);
  played.pass(2);
  expect(statSync(path).size).toBeGreaterThan(size + 400_000);
  ledger.close();
});
