/** Incidents of orders that no program, or another program, manages. */

import { describe, expect } from 'vitest';
import type { Wire } from '../../../src/exchange/core/contract.js';
import { signToHex } from '../../../src/shell/wallet/wallet.js';
import { KEY } from '../setting.js';
import { incident, incidentIn, MINUTE_MS, ROOMY, type Scene, SECOND_MS } from './scene.js';

describe('incidents of stray orders', () => {
  incident('a cancel lost in the network, next cycle quotes again', 41, (scene) => {
    scene.until('it quotes', () => scene.resting.length >= 4);
    let pubkey = '';
    let lostCancels = 0;
    scene.fates((call) => {
      if (call.endpoint !== 'orders.cancelSubmit') return null;
      const order = scene.process.ledger
        .intents({ kind: 'cancel', limit: 100 })
        .find(({ draftPubkey }) => draftPubkey === call.params.pubkey)?.orderPubkey;
      pubkey ||= order ?? '';
      if (order !== pubkey || lostCancels >= 2) return null;
      lostCancels++;
      return { requestLost: true };
    });
    scene.until('two cancels of one order are lost', () => lostCancels === 2);
    const stray = scene.process.ledger.order(pubkey);
    expect(stray).not.toBe(null);
    const isBeside = (other: NonNullable<typeof stray>) =>
      other.marketConditionId === stray?.marketConditionId &&
      other.isYes === stray.isYes &&
      other.side === stray.side &&
      strategyOf(scene, other.intentId) === strategyOf(scene, stray.intentId);
    const endsMs = scene.nowMs + 20 * SECOND_MS;
    while (scene.orderAtExchange(pubkey)?.status === 'open' && scene.nowMs < endsMs) {
      const beside = scene.process.ledger.orders({ statuses: ['open', 'partially_filled'] }).filter(isBeside);
      expect(beside.map((order) => order.pubkey)).toEqual([pubkey]);
      scene.pass(250);
    }
    scene.until('it is gone', () => !scene.resting.some((order) => order.pubkey === pubkey), MINUTE_MS);
    scene.agrees();
  });

  incidentIn(ROOMY, 'an old configuration on one host', 42, (scene) => {
    scene.until('it quotes', () => scene.resting.length >= 4);
    const stray = otherHostPlaces(scene, scene.world.exchange.markets()[0] ?? '');
    expect(scene.orderAtExchange(stray)?.status).toBe('open');
    scene.until('the operator is alerted', () => scene.loud.includes('foreign_order'), 10 * SECOND_MS);
    const verdict = () => scene.process.trader.snapshot(scene.world.ourMs).reduceOnly;
    scene.until('only what reduces may leave', () => verdict() !== null, 2 * MINUTE_MS);
    expect(verdict()).toContain(stray);

    // Meanwhile no order that could enlarge a position is sent.
    const drafted: string[] = [];
    const larger: string[] = [];
    scene.fates((call) => {
      if (call.endpoint !== 'orders.create') return null;
      const { market_condition_id: id, is_yes, side } = call.body;
      const net = scene.process.ledger.shares(id, true) - scene.process.ledger.shares(id, false);
      drafted.push(id);
      if ((side === 'buy') === is_yes ? net >= 0 : net <= 0) larger.push(`${side} ${is_yes} of ${id} at ${net}`);
      return null;
    });
    scene.pass(2 * MINUTE_MS);
    expect(larger).toEqual([]);
    expect(drafted.length, 'orders that reduce').toBeGreaterThan(0);
    // Each order of ours names the configuration under which it was placed.
    const placed = scene.process.ledger.intents({ kind: 'place', limit: 1_000 });
    expect(new Set(placed.map(({ configHash }) => configHash))).toEqual(new Set(['simulation']));
    expect(scene.process.ledger.order(stray)).toBe(null);

    otherHostCancels(scene, stray);
    // It existed, possibly with effects: a user must acknowledge it.
    scene.pass(MINUTE_MS);
    expect(verdict()).not.toBe(null);
    scene.world.command({ kind: 'resume', reason: 'the other host has been stopped' });
    scene.until('they agree again', () => verdict() === null, 2 * MINUTE_MS);
    scene.agrees([stray]);
  });
});

const strategyOf = ({ process: { ledger } }: Scene, intentId: string) => ledger.intent(intentId)?.strategy;

/** A buy far below the market, so that it rests. */
function otherHostPlaces({ world: { exchange, timeline } }: Scene, market: string): string {
  const body = { market_condition_id: market, is_yes: true, side: 'buy', order_type: 'limit' } as const;
  const call = { endpoint: 'orders.create', params: {}, query: {} } as const;
  const { text } = exchange.serve({ ...call, body: { ...body, price: '0.02', amount: '10' } }, timeline.nowMs);
  return otherHostSigns(exchange, timeline.nowMs, 'orders.submit', text);
}

function otherHostCancels({ world: { exchange, timeline } }: Scene, pubkey: string): void {
  const call = { endpoint: 'orders.cancel', params: { pubkey }, query: {}, body: undefined } as const;
  const { text } = exchange.serve(call, timeline.nowMs);
  otherHostSigns(exchange, timeline.nowMs, 'orders.cancelSubmit', text);
}

function otherHostSigns(
  exchange: Scene['world']['exchange'],
  nowMs: number,
  endpoint: 'orders.submit' | 'orders.cancelSubmit',
  draft: string,
): string {
  // The envelope of a draft, as the exchange writes it.
  const { pubkey, message } = (JSON.parse(draft) as { data: Wire<'draft'> }).data;
  const signature = signToHex(Buffer.from(message, 'utf8'), KEY);
  const { status, text } = exchange.serve({ endpoint, params: { pubkey }, query: {}, body: { signature } }, nowMs);
  expect(status, text).toBe(200);
  return pubkey;
}
