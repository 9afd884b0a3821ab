/** While converting is off no merge or redeem is begun, drafted, signed or sent; what may have left is followed to its end. */

import { afterEach, describe, expect, it } from 'vitest';
import type { ConversionRow } from '../../../src/shared/protocol/records.js';
import type { ConversionState } from '../../../src/shared/protocol/states.js';
import { answered, LIFETIME_S, lost, MARKET, m, ONE, refused, Script, unsent } from './script.js';

let script: Script | null = null;
afterEach(() => {
  script?.close();
  script = null;
});

const merge = { kind: 'merge', intentId: 'm', marketConditionId: MARKET, amountMicros: m(10 * ONE) } as const;
const redeem = { kind: 'redeem', intentId: 'm', marketConditionId: MARKET, yesMicros: m(ONE), noMicros: m(0) } as const;

/** A merge whose draft is out. */
function merging(): Script {
  const s = new Script();
  script = s;
  s.begin(merge);
  return s;
}

const draft = (s: Script) => s.draftOf('merge', { action: 'merge-shares', amount: m(10 * ONE) });

/** Its signature is out. */
function submitted(): Script {
  const s = merging();
  s.answer('merges.create', draft(s));
  expect(s.out).toEqual(['merges.submit']);
  return s;
}

const record = (state: ConversionState, landed: number | null = null) =>
  answered({
    pubkey: 'merge',
    message: null,
    market_condition_id: MARKET,
    state,
    amount: m(10 * ONE),
    onchain_amount: landed === null ? null : m(landed * ONE),
    created: 1_001,
  } satisfies ConversionRow);

const off = (s: Script) => s.executor.setConverting('none');

describe('while converting is off', () => {
  it.each([merge, redeem])('$kind: beginning one is a bug', (intent) => {
    const s = new Script();
    script = s;
    off(s);
    expect(() => s.begin(intent)).toThrow(/while converting is off/);
    expect(s.ledger.intents()).toEqual([]);
  });

  it('a draft that comes is not signed', () => {
    const s = merging();
    off(s);
    s.answer('merges.create', draft(s));
    expect([s.state('m'), s.out]).toEqual(['abandoned', []]);
    expect(s.ledger.intent('m')?.signature).toBeNull();
  });

  it('a draft whose answer was lost is not asked for again', () => {
    const s = merging();
    s.answer('merges.create', lost);
    off(s);
    s.wait(5_000);
    expect([s.state('m'), s.out]).toEqual(['abandoned', []]);
  });

  it('a signature that never left is let go', () => {
    const s = submitted();
    off(s);
    s.answer('merges.submit', unsent);
    s.wait(10_000);
    expect([s.state('m'), s.out]).toEqual(['abandoned', []]);
  });

  it('a signature that was put off is not sent again, and its record is read until it says how it ended', () => {
    const s = submitted();
    off(s);
    s.answer('merges.submit', refused('throttled', 429));
    for (let waited = 0; waited < LIFETIME_S * 1_000 && s.state('m') !== 'expired'; waited += 5_000) {
      s.wait(5_000);
      expect(s.out.filter((endpoint) => endpoint === 'merges.submit')).toEqual([]);
      if (s.out.length > 0) s.answer('merges.detail', record(waited < 30_000 ? 'waiting_to_sign' : 'expired'));
    }
    expect(s.state('m')).toBe('expired');
  });

  it('one that may have left is followed until it is booked', () => {
    const s = submitted();
    s.answer('merges.submit', lost);
    off(s);
    s.wait(10_000);
    s.answer('merges.detail', record('in_process'));
    s.wait(10_000);
    s.answer('merges.detail', record('done', 10));
    expect([s.state('m'), s.ledger.cash()]).toEqual(['done', 10 * ONE]);
  });

  it('one that may have left is sent again as soon as it is on', () => {
    const s = submitted();
    s.answer('merges.submit', lost);
    off(s);
    s.wait(10_000);
    s.answer('merges.detail', record('waiting_to_sign'));
    s.executor.setConverting('all');
    s.wait(10_000);
    s.answer('merges.detail', record('waiting_to_sign'));
    s.wait(10_000);
    expect(s.out).toEqual(['merges.submit']);
  });
});
