/** Incidents with a missing or empty answer, which other programs take for a rejection or an end. */

import { describe, expect } from 'vitest';
import { faultAnswer } from '../../../src/exchange/service/answers.js';
import type { AnyCall } from '../../../src/shared/protocol/seam.js';
import { type Fate, htmlPage } from '../fates.js';
import { incident, MINUTE_MS, type Scene, SECOND_MS } from './scene.js';

const WORKED_AND_503: Fate = { afterwards: htmlPage(503) };

const submitsOf = ({ sent }: Scene, pubkey: string): readonly AnyCall[] =>
  sent
    .map(({ call }) => call)
    .filter((call) => call.endpoint === 'orders.submit' || call.endpoint === 'merges.submit')
    .filter(({ params }) => params.pubkey === pubkey);

const signatureOf = ({ body }: AnyCall): unknown =>
  body !== undefined && 'signature' in body ? body.signature : undefined;

const stateOf = ({ process: { ledger } }: Scene, pubkey: string): string | undefined => {
  const order = ledger.order(pubkey);
  return order === null ? undefined : ledger.intent(order.intentId)?.state;
};

describe('incidents of silence', () => {
  incident('DNS gone for ten minutes just after six submits were accepted', 11, (scene) => {
    const accepted: string[] = [];
    scene.fates((call) => {
      if (call.endpoint !== 'orders.submit' || accepted.length === 6) return null;
      accepted.push(call.params.pubkey);
      // The sixth is still in flight when the names are gone.
      return { answerLost: true };
    });
    scene.until('six submits have left', () => accepted.length === 6);
    scene.goesAway(10 * MINUTE_MS);
    scene.pass(10 * MINUTE_MS - SECOND_MS);

    const there = accepted.map((pubkey) => scene.orderAtExchange(pubkey)?.status);
    expect(there.filter((status) => status === 'waiting_to_sign' || status === undefined)).toEqual([]);
    expect(scene.fillsAtExchange, 'the crowd has met them meanwhile').toBeGreaterThan(0);
    expect(scene.fillsBooked).toBe(0);
    expect(accepted.map((pubkey) => stateOf(scene, pubkey))).toEqual(accepted.map(() => 'unknown'));
    expect(scene.loud).toContain('silent');

    scene.agrees();
    expect(accepted.map((pubkey) => submitsOf(scene, pubkey).length)).toEqual(accepted.map(() => 1));
    expect(accepted.map((pubkey) => scene.orderAtExchange(pubkey)?.status)).toEqual(
      accepted.map((pubkey) => scene.process.ledger.order(pubkey)?.status),
    );
    expect(scene.loud).toContain('answering');
  });

  incident('answer lost and three application-level retries', 12, (scene) => {
    // A proxy holds each request after its timeout; it arrives long after the retries, which the proxy also rejects.
    const stuck = { 'orders.submit': '', 'merges.submit': '' };
    scene.fates((call) => {
      if (call.endpoint !== 'orders.submit' && call.endpoint !== 'merges.submit') return null;
      const { pubkey } = call.params;
      const isFirst = stuck[call.endpoint] === '';
      if (isFirst) stuck[call.endpoint] = pubkey;
      if (stuck[call.endpoint] !== pubkey) return null;
      return isFirst ? { instead: htmlPage(504), copyMs: 9_000 } : { instead: htmlPage(504) };
    });
    const retries = (endpoint: keyof typeof stuck) => submitsOf(scene, stuck[endpoint]).length - 1;
    scene.until('three retries of a merge', () => retries('merges.submit') >= 3, 30 * MINUTE_MS);
    // An order is not sent again once its price is five seconds old.
    expect(retries('orders.submit')).toBeGreaterThanOrEqual(1);
    scene.pass(10 * SECOND_MS);

    for (const pubkey of Object.values(stuck)) {
      expect(new Set(submitsOf(scene, pubkey).map(signatureOf)).size, 'signatures').toBe(1);
      const intents = scene.process.ledger
        .intents({ limit: 10_000 })
        .filter(({ kind, draftPubkey }) => draftPubkey === pubkey && kind !== 'cancel');
      expect(intents.map(({ submitCount }) => submitCount)).toEqual([submitsOf(scene, pubkey).length]);
    }
    expect(scene.orderAtExchange(stuck['orders.submit'])?.status).not.toBe('waiting_to_sign');
    const merged = scene.process.ledger.conversions().filter(({ pubkey }) => pubkey === stuck['merges.submit']);
    expect(merged.length).toBe(1);

    scene.agrees();
  });

  incident('an order that is live long after its in-flight time-out', 13, (scene) => {
    let pubkey = '';
    scene.fates((call) => {
      if (call.endpoint !== 'orders.submit' || pubkey !== '') return null;
      pubkey = call.params.pubkey;
      return { thereMs: 25 * SECOND_MS, answerLost: true };
    });
    scene.until('a submit has left', () => pubkey !== '');
    // The client gives up after ten seconds, and after five a price is too old to be sent again.
    scene.pass(18 * SECOND_MS);
    expect(scene.orderAtExchange(pubkey)?.status).toBe('waiting_to_sign');
    expect(stateOf(scene, pubkey)).toBe('unknown');
    const intent = scene.process.ledger.order(pubkey)?.intentId;
    const reserved = scene.process.executor.reservations().find(({ intentId }) => intentId === intent);
    expect(reserved?.phase, 'its capital stays reserved').toBe('unknown');

    scene.pass(10 * SECOND_MS);
    expect(['open', 'partially_filled', 'filled', 'canceled', 'partially_filled_canceled']).toContain(
      scene.orderAtExchange(pubkey)?.status,
    );
    expect(stateOf(scene, pubkey)).not.toBe('unknown');

    scene.agrees();
  });

  incident('a 503 that had worked', 14, (scene) => {
    const worked = new Map<string, string>();
    scene.fates((call) => {
      switch (call.endpoint) {
        case 'orders.create':
        case 'orders.cancel':
        case 'orders.submit':
        case 'orders.cancelSubmit':
        case 'merges.submit':
          if (worked.has(call.endpoint)) return null;
          worked.set(call.endpoint, call.endpoint === 'orders.create' ? '' : call.params.pubkey);
          return WORKED_AND_503;
        default:
          return null;
      }
    });
    scene.until('each of the five has worked and answered a 503', () => worked.size === 5, 30 * MINUTE_MS);
    expect(submitsOf(scene, worked.get('orders.submit') ?? '').length).toBe(1);

    scene.agrees();
    const canceled = scene.process.ledger
      .intents({ kind: 'cancel', limit: 1_000 })
      .filter(({ orderPubkey }) => orderPubkey === worked.get('orders.cancelSubmit'));
    expect(canceled.filter(({ state }) => state === 'done').length).toBe(1);
    // The draft of the lost answer was never signed: it expired, and none of it rests.
    const { core, account } = scene.world.exchange;
    const unsigned = core.orders.page(account, { limit: 1_000 }).rows.filter(({ status }) => status === 'expired');
    expect(unsigned.filter(({ pubkey }) => scene.process.ledger.order(pubkey ?? '') === null).length).toBe(1);
  });

  const refuseKey = (scene: Scene): void => {
    const refused = faultAnswer({ slug: 'authentication_failed' });
    scene.fates(({ endpoint }) => (/^(markets|events|search)\./.test(endpoint) ? null : { instead: refused }));
  };

  incident('a key refused for seconds while the public answers: it is said, and said when it is over', 15, (scene) => {
    scene.pass(MINUTE_MS);
    refuseKey(scene);
    scene.pass(18 * SECOND_MS);
    expect(scene.loud.filter((kind) => kind === 'list_unread').length).toBe(2);
    expect(scene.loud).not.toContain('silent');
    scene.agrees();
    expect(scene.loud).not.toContain('halted');
    expect(scene.loud.filter((kind) => kind === 'list_read').length).toBe(2);
  });

  incident('a key that is refused for longer: all is canceled, and a person resumes it', 15, (scene) => {
    scene.pass(MINUTE_MS);
    refuseKey(scene);
    scene.pass(45 * SECOND_MS);
    expect(scene.loud.filter((kind) => kind === 'halted').length).toBe(1);
    scene.fates(() => null);
    scene.pass(MINUTE_MS);
    expect(scene.resting).toEqual([]);
    scene.world.command({ kind: 'resume', reason: 'the key is taken again' });
    scene.pass(MINUTE_MS);
    scene.agrees();
    expect(scene.loud.filter((kind) => kind === 'list_read').length).toBe(2);
  });
});
