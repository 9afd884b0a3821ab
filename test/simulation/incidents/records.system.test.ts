/** Incidents with false or stale answers of the exchange. */

import { describe, expect } from 'vitest';
import { incident, incidentIn, MINUTE_MS, ROOMY, SECOND_MS, withRecord, withRows } from './scene.js';

describe('incidents of wrong records', () => {
  incident('a match whose settlement comes 50 s later', 31, (scene) => {
    scene.until('it quotes', () => scene.resting.length >= 4);
    const booked = new Set(scene.process.ledger.fills({ limit: 1_000 }).map(({ pubkey }) => pubkey));
    const matchedMs = new Map<string, number>();
    const landing = (nowMs: number) => (rows: Record<string, unknown>[]) =>
      rows.map((row) => {
        const pubkey = String(row['pubkey']);
        if (booked.has(pubkey)) return row;
        if (!matchedMs.has(pubkey)) matchedMs.set(pubkey, nowMs);
        const landed = nowMs - (matchedMs.get(pubkey) ?? nowMs) >= 50 * SECOND_MS;
        return landed ? row : { ...row, state: 'in_process' };
      });
    scene.fates((call, nowMs) => (call.endpoint === 'trades.list' ? { damage: withRows(landing(nowMs)) } : null));
    scene.until('a match that has not settled', () => matchedMs.size > 0);
    scene.pass(20 * SECOND_MS);
    expect(scene.fillsBooked, 'nothing is booked that has not settled').toBe(booked.size);
    scene.until('the first settlement', () => scene.fillsBooked > booked.size, MINUTE_MS);
    scene.agrees();
  });

  incident('an incomplete page that looks complete', 32, (scene) => {
    scene.until('it quotes', () => scene.resting.length >= 6);
    const rested = scene.resting.map(({ pubkey }) => pubkey ?? '');
    const restedMs = scene.nowMs;
    let cut = 0;
    const firstOnly = withRows((rows) => {
      if (rows.length > 1) cut++;
      return rows.slice(0, 1);
    }, 'ended');
    // For orders and fills: one row, and no next page.
    scene.fates((call) =>
      call.endpoint === 'orders.list' || call.endpoint === 'trades.list' ? { damage: firstOnly } : null,
    );
    let checked = 0;
    while (scene.nowMs < restedMs + 30 * SECOND_MS) {
      scene.pass(100);
      const known = new Set(scene.process.executor.reservations().map(({ intentId }) => intentId));
      // An order missing in a list does not count as gone: while it rests, the trader reserves for it.
      for (const { pubkey } of scene.resting) {
        expect(known.has(scene.process.ledger.order(pubkey ?? '')?.intentId ?? '')).toBe(true);
        if (rested.includes(pubkey ?? '')) checked++;
      }
    }
    expect(cut, 'lists that were cut').toBeGreaterThan(5);
    expect(checked, 'looks at orders that rested before').toBeGreaterThan(20);
    scene.agrees();
  });

  incidentIn(ROOMY, 'an expiry that was declared and then landed', 33, (scene) => {
    let pubkey = '';
    let isLate = true;
    const expired = withRecord({ status: 'expired' });
    scene.fates((call) => {
      if (call.endpoint === 'orders.submit' && pubkey === '') {
        pubkey = call.params.pubkey;
        return { thereMs: 25 * SECOND_MS, answerLost: true };
      }
      const isRead = call.endpoint === 'orders.detail' && call.params.pubkey === pubkey;
      return isRead && isLate ? { damage: expired } : null;
    });
    scene.until('a submit has left', () => pubkey !== '');
    scene.until('the expiry is believed', () => scene.process.ledger.order(pubkey)?.status === 'expired', MINUTE_MS);
    const reads = scene.sent.filter(({ call }) => call.endpoint === 'orders.detail' && call.params.pubkey === pubkey);
    expect(reads.length, 'looks at the record').toBeGreaterThanOrEqual(2);
    expect(scene.orderAtExchange(pubkey)?.status).toBe('waiting_to_sign');
    isLate = false;
    scene.untilBroken(/^10: .* took effect after intent .* was over$/);
    expect(scene.orderAtExchange(pubkey)?.status).not.toBe('waiting_to_sign');
    scene.until('it is known again', () => scene.loud.includes('came_back'), 10 * SECOND_MS);
    scene.agrees();
  });
});
