/** A split has the exactly-once life of every intent: one effect at most, and booked when its record says so. */

import { afterEach, describe, expect, it } from 'vitest';
import { AssertionFailed } from '../../../src/shared/base/errors.js';
import type { ConversionRow } from '../../../src/shared/protocol/records.js';
import { answered, LIFETIME_S, lost, MARKET, m, ONE, POLL_MS, refused, Script, unsent } from './script.js';

let script = new Script();
const fresh = (): Script => {
  script = new Script();
  return script;
};
afterEach(() => script.close());

const split = {
  kind: 'split',
  intentId: 's',
  marketConditionId: MARKET,
  eventConditionId: null,
  amountMicros: m(10 * ONE),
  yesPriceMicros: m(700_000),
} as const;

function splitting(): Script {
  const s = fresh();
  s.begin(split);
  return s;
}

const draft = (s: Script, amount = 10) => s.draftOf('sets', { action: 'split-shares', amount: m(amount * ONE) });

/** Its signature is out. */
function submitted(): Script {
  const s = splitting();
  s.answer('splits.create', draft(s));
  expect(s.out).toEqual(['splits.submit']);
  return s;
}

const rowOf = (state: ConversionRow['state'], onchain: number | null = null): ConversionRow => ({
  pubkey: 'sets',
  message: null,
  market_condition_id: MARKET,
  state,
  amount: m(10 * ONE),
  onchain_amount: onchain === null ? null : m(onchain * ONE),
  created: 1,
});

const held = (s: Script) => [s.ledger.cash(), s.ledger.shares(MARKET, true), s.ledger.shares(MARKET, false)];

describe('a split', () => {
  it('holds its currency from its first row to its booking, and is booked once, by what has landed', () => {
    const s = splitting();
    expect(s.executor.pendingSplit(MARKET)).toBe('s');
    const reserved = { kind: 'split', cashMicros: 10 * ONE, yesMicros: 0, noMicros: 0 };
    expect(s.executor.reservations()).toMatchObject([{ ...reserved, phase: 'in_flight' }]);
    s.answer('splits.create', draft(s));
    s.answer('splits.submit', answered(rowOf('in_process')));
    expect(s.executor.reservations()).toMatchObject([{ ...reserved, phase: 'resting' }]);
    s.wait(500);
    s.answer('splits.detail', answered(rowOf('done')));
    expect(s.ledger.conversions()).toEqual([]);
    s.wait(5_000);
    s.answer('splits.detail', answered(rowOf('done', 10)));
    expect(held(s)).toEqual([-10 * ONE, 10 * ONE, 10 * ONE]);
    expect(s.ledger.positions()).toMatchObject([{ costMicros: 3 * ONE }, { costMicros: 7 * ONE }]);
    expect(s.heard()).toEqual(['splitDone']);
    expect([s.executor.reservations(), s.executor.pendingSplit(MARKET)]).toEqual([[], null]);
  });

  it('whose submit nobody answered is read, sent again as the same signature, and booked once', () => {
    const s = submitted();
    const first = s.answer('splits.submit', lost);
    s.wait(10_000);
    s.answer('splits.detail', answered(rowOf('waiting_to_sign')));
    s.wait(10_000);
    const second = s.take('splits.submit');
    expect(second.call).toEqual(first.call);
    // The first one arrives after all, and the record moves on before the second answers.
    s.report(second, refused('share_conversion_invalid_state', 409));
    s.answer('splits.detail', answered(rowOf('done', 10)));
    expect([s.ledger.conversions().length, s.state('s')]).toEqual([1, 'done']);
    s.wait(60_000);
    expect(s.out).toEqual([]);
    expect(held(s)).toEqual([-10 * ONE, 10 * ONE, 10 * ONE]);
  });

  it('whose draft was lost is asked for again, a few times, and holds its currency until it has lapsed', () => {
    const s = splitting();
    for (let i = 0; i < 3; i++) {
      s.answer('splits.create', lost);
      s.wait(5_000);
    }
    expect([s.out, s.state('s'), s.executor.pendingSplit(MARKET)]).toEqual([[], 'abandoned', 's']);
    expect(s.executor.reservations()).toMatchObject([{ phase: 'abandoned', cashMicros: 10 * ONE }]);
  });

  it('of another amount, or a draft that is no split, is not signed', () => {
    const other = splitting();
    other.answer('splits.create', draft(other, 11));
    expect([other.state('s'), other.heard(), other.out]).toEqual(['abandoned', ['signingRefused'], []]);
    other.close();
    const merge = splitting();
    merge.answer('splits.create', merge.draftOf('sets', { action: 'merge-shares', amount: m(10 * ONE) }));
    expect([merge.state('s'), merge.heard(), merge.out]).toEqual(['abandoned', ['signingRefused'], []]);
  });

  it('that expired is looked at twice', () => {
    const s = submitted();
    s.answer('splits.submit', refused('program_call_has_expired'));
    s.answer('splits.detail', answered(rowOf('expired')));
    expect(s.state('s')).toBe('unknown');
    s.wait(POLL_MS);
    s.answer('splits.detail', answered(rowOf('expired')));
    expect([s.state('s'), held(s)]).toEqual(['expired', [0, 0, 0]]);
  });

  it('that did not settle moves nothing', () => {
    const s = submitted();
    s.answer('splits.submit', answered(rowOf('in_process')));
    s.wait(500);
    s.answer('splits.detail', answered(rowOf('failed')));
    expect([s.state('s'), held(s), s.heard()]).toEqual(['failed', [0, 0, 0], ['notDone']]);
  });

  it('goes on after a restart, from each of its states', () => {
    const s = submitted();
    s.answer('splits.submit', lost);
    s.restart();
    s.answer('splits.detail', answered(rowOf('in_process')));
    s.restart();
    s.answer('splits.detail', answered(rowOf('done', 10)));
    s.restart();
    expect([s.out, held(s)]).toEqual([[], [-10 * ONE, 10 * ONE, 10 * ONE]]);
  });

  it('that brought other sets than it asked for is booked as they came, loudly', () => {
    const s = submitted();
    s.answer('splits.submit', answered(rowOf('done', 9)));
    expect(s.heard()).toEqual(['record_differs', 'splitDone']);
    expect(held(s)).toEqual([-10 * ONE, 9 * ONE, 9 * ONE]);
  });

  it('is the only one of its market', () => {
    const s = splitting();
    expect(() => s.begin({ ...split, intentId: 's2' })).toThrow(AssertionFailed);
  });
});

describe.each(['to_currency', 'none'] as const)('while converting is %s', (converting) => {
  it('beginning a split is a bug', () => {
    const s = fresh();
    s.executor.setConverting(converting);
    expect(() => s.begin(split)).toThrow(/while converting is off/);
  });

  it('its draft is not signed', () => {
    const s = splitting();
    s.executor.setConverting(converting);
    s.answer('splits.create', draft(s));
    expect([s.state('s'), s.out, s.ledger.intent('s')?.signature]).toEqual(['abandoned', [], null]);
  });

  it('its lost draft is not asked for again, and its signature that never left is let go', () => {
    const s = splitting();
    s.answer('splits.create', lost);
    s.executor.setConverting(converting);
    s.wait(5_000);
    expect([s.state('s'), s.out]).toEqual(['abandoned', []]);
    s.close();
    const signed = submitted();
    signed.executor.setConverting(converting);
    signed.answer('splits.submit', unsent);
    signed.wait(10_000);
    expect([signed.state('s'), signed.out]).toEqual(['abandoned', []]);
  });

  it('its signature is not sent again, and its record is read until it says how it ended', () => {
    const s = submitted();
    s.executor.setConverting(converting);
    s.answer('splits.submit', lost);
    for (let waited = 0; waited < LIFETIME_S * 1_000 && s.state('s') !== 'expired'; waited += 5_000) {
      s.wait(5_000);
      expect(s.out.filter((endpoint) => endpoint === 'splits.submit')).toEqual([]);
      if (s.out.length > 0) s.answer('splits.detail', answered(rowOf(waited < 30_000 ? 'waiting_to_sign' : 'expired')));
    }
    expect(s.state('s')).toBe('expired');
  });

  it('merges and redeems go by it too', () => {
    const s = fresh();
    s.executor.setConverting(converting);
    const merge = { kind: 'merge', intentId: 'm', marketConditionId: MARKET, amountMicros: m(10 * ONE) } as const;
    if (converting === 'none') expect(() => s.begin(merge)).toThrow(/while converting is off/);
    else s.begin(merge);
    expect(s.out).toEqual(converting === 'none' ? [] : ['merges.create']);
  });
});
