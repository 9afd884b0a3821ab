/** A merge or split takes effect at most once, and is booked when its record shows the effect. */

import { describe, expect, it } from 'vitest';
import { AssertionFailed } from '../../../src/shared/base/errors.js';
import type { ConversionRow } from '../../../src/shared/protocol/records.js';
import { answered, fresh, LIFETIME_S, lost, MARKET, m, ONE, POLL_MS, refused, type Script, unsent } from './script.js';

const TEN = 10 * ONE;
const common = { intentId: 'c', marketConditionId: MARKET, amountMicros: m(TEN) };
const KINDS = {
  merge: {
    intent: { kind: 'merge', ...common } as const,
    reserved: { kind: 'merge', cashMicros: 0, yesMicros: TEN, noMicros: TEN },
    /** Changes of currency, YES and NO, per share. */
    moves: [1, -1, -1],
    /** Values of `allowed.converting` under which this conversion is not started. */
    off: ['none'] as readonly ('to_currency' | 'none')[],
  },
  split: {
    intent: { kind: 'split', ...common, eventConditionId: null, yesPriceMicros: m(700_000) } as const,
    reserved: { kind: 'split', cashMicros: TEN, yesMicros: 0, noMicros: 0 },
    moves: [-1, 1, 1],
    off: ['to_currency', 'none'] as readonly ('to_currency' | 'none')[],
  },
} as const;

const record = (state: ConversionRow['state'], onchain: number | null = null) =>
  answered({
    ...{ pubkey: 'sets', message: null, market_condition_id: MARKET, state, amount: m(TEN), created: 1 },
    onchain_amount: onchain === null ? null : m(onchain * ONE),
  });

describe.each(['merge', 'split'] as const)('a %s', (kind) => {
  const { intent, reserved, moves, off } = KINDS[kind];
  const pending = (s: Script) => s.executor.pendingConversion(kind, MARKET);
  const [create, submit, detail] = [`${kind}s.create`, `${kind}s.submit`, `${kind}s.detail`] as const;
  const draft = (s: Script, amount = 10) =>
    s.draftOf('sets', { action: `${kind}-shares`, amount: m(amount * ONE) } as const);
  const held = (s: Script) => [s.ledger.cash(), s.ledger.shares(MARKET, true), s.ledger.shares(MARKET, false)];
  const effect = (shares: number) => moves.map((one) => one * shares * ONE);
  const NONE = [0, 0, 0];

  function begun(): Script {
    const s = fresh();
    s.begin(intent);
    return s;
  }

  /** Returns a script whose signature was sent. */
  function submitted(): Script {
    const s = begun();
    s.answer(create, draft(s));
    expect(s.out).toEqual([submit]);
    return s;
  }

  it('holds what it takes from its first row to its booking, and is booked once, by what has landed', () => {
    const s = begun();
    expect(pending(s)).toBe('c');
    expect(s.executor.reservations()).toMatchObject([{ ...reserved, phase: 'in_flight' }]);
    s.answer(create, draft(s));
    s.answer(submit, record('in_process'));
    expect(s.executor.reservations()).toMatchObject([{ ...reserved, phase: 'resting' }]);
    s.wait(500);
    s.answer(detail, record('in_process'));
    s.wait(5_000);
    s.answer(detail, record('done'));
    expect(s.ledger.conversions()).toEqual([]);
    s.wait(5_000);
    s.answer(detail, record('done', 10));
    expect(s.ledger.conversions()).toMatchObject([{ pubkey: 'sets', cashMicros: moves[0] * TEN }]);
    expect(held(s)).toEqual(effect(10));
    if (kind === 'split')
      expect(s.ledger.positions()).toMatchObject([{ costMicros: 3 * ONE }, { costMicros: 7 * ONE }]);
    expect([s.heard(), s.executor.reservations(), pending(s)]).toEqual([[`${kind}Done`], [], null]);
  });

  it('whose submit nobody answered is read, sent again as the same signature, and booked once', () => {
    const s = submitted();
    const first = s.answer(submit, lost);
    s.wait(10_000);
    s.answer(detail, record('waiting_to_sign'));
    s.wait(10_000);
    const second = s.take(submit);
    expect(second.call).toEqual(first.call);
    // The first submit arrives late, and the record changes before the second submit is answered.
    s.report(second, refused('share_conversion_invalid_state', 409));
    s.answer(detail, record('done', 10));
    expect([s.ledger.conversions().length, s.state('c')]).toEqual([1, 'done']);
    s.wait(60_000);
    expect(s.out).toEqual([]);
    expect(held(s)).toEqual(effect(10));
  });

  it('whose draft was lost is asked for again, a few times, and holds what it takes until it has lapsed', () => {
    const s = begun();
    for (let i = 0; i < 3; i++) {
      s.answer(create, lost);
      s.wait(5_000);
    }
    expect([s.out, s.state('c'), pending(s)]).toEqual([[], 'abandoned', 'c']);
    expect(s.executor.reservations()).toMatchObject([{ ...reserved, phase: 'abandoned' }]);
  });

  it('takes the draft that its repeat answers', () => {
    const s = begun();
    s.answer(create, lost);
    s.wait(5_000);
    s.answer(create, draft(s));
    expect(s.out).toEqual([submit]);
  });

  it('of another amount, or a draft of the other kind, is not signed', () => {
    const action = kind === 'merge' ? 'split-shares' : 'merge-shares';
    for (const other of [(s: Script) => draft(s, 11), (s: Script) => s.draftOf('sets', { action, amount: m(TEN) })]) {
      const s = begun();
      s.answer(create, other(s));
      expect([s.state('c'), s.heard(), s.out]).toEqual(['abandoned', ['signingRefused'], []]);
    }
  });

  it('that is refused in its state is read, and failed only when the record says so, with nothing moved', () => {
    const s = submitted();
    s.answer(submit, refused('share_conversion_invalid_state', 409));
    s.answer(detail, record('in_process'));
    s.wait(5_000);
    s.answer(detail, record('failed'));
    expect([s.state('c'), held(s), s.heard(), s.ledger.conversions()]).toEqual(['failed', NONE, ['notDone'], []]);
  });

  it.each(['expired', 'waiting_to_sign'] as const)('that is %s long after its submit is read twice', (state) => {
    const s = submitted();
    s.answer(submit, refused('program_call_has_expired'));
    s.wait((LIFETIME_S + 61) * 1000);
    s.answer(detail, record(state));
    expect(s.state('c')).toBe('unknown');
    s.wait(POLL_MS);
    s.answer(detail, record(state));
    expect([s.state('c'), held(s)]).toEqual(['expired', NONE]);
  });

  it('goes on after a restart, from each of its states', () => {
    const s = submitted();
    s.answer(submit, lost);
    s.restart();
    s.answer(detail, record('in_process'));
    s.restart();
    s.answer(detail, record('done', 10));
    s.restart();
    expect([s.out, held(s)]).toEqual([[], effect(10)]);
  });

  it('that brought another amount than asked is booked as it came, loudly', () => {
    const s = submitted();
    s.answer(submit, record('done', 9));
    expect(s.heard()).toEqual(['record_differs', `${kind}Done`]);
    expect(held(s)).toEqual(moves.map((one) => (one > 0 ? 9 : -10) * ONE));
  });

  it.each([0, 11])('is not booked by the impossible amount %i, and is read again', (onchain) => {
    const s = submitted();
    s.answer(submit, record('done', onchain));
    expect([s.heard(), s.state('c'), held(s)]).toEqual([['record_differs'], 'live', NONE]);
    s.wait(5_000);
    s.answer(detail, record('done', 10));
    expect([s.heard(), held(s)]).toEqual([[`${kind}Done`], effect(10)]);
  });

  it.each([0, 11])('is booked by the impossible amount %i once an operator adopts that amount', (onchain) => {
    const s = submitted();
    s.answer(submit, record('done', onchain));
    for (const conversion of s.executor.disputed) conversion.adoptedMicros = conversion.disputedMicros;
    s.wait(5_000);
    s.answer(detail, record('done', onchain));
    expect(held(s)).toEqual(moves.map((one) => (one > 0 ? onchain : -10) * ONE + 0));
    expect([s.state('c'), s.executor.disputed]).toEqual(['done', []]);
  });

  it('is the only one of its market', () => {
    const s = begun();
    expect(() => s.begin({ ...intent, intentId: 'c2' })).toThrow(AssertionFailed);
  });

  describe.each(off)('while converting is %s', (converting) => {
    it('is not begun: that would be a bug', () => {
      const s = fresh();
      s.executor.allowed.converting = converting;
      expect(() => s.begin(intent)).toThrow(/converting is off/);
      expect(s.ledger.intents()).toEqual([]);
    });

    it('has no draft signed', () => {
      const s = begun();
      s.executor.allowed.converting = converting;
      s.answer(create, draft(s));
      expect([s.state('c'), s.out, s.ledger.intent('c')?.signature]).toEqual(['abandoned', [], null]);
    });

    it('has no lost draft asked for again, and lets go of a signature that never left', () => {
      const s = begun();
      s.answer(create, lost);
      s.executor.allowed.converting = converting;
      s.wait(5_000);
      expect([s.state('c'), s.out]).toEqual(['abandoned', []]);
      const signed = submitted();
      signed.executor.allowed.converting = converting;
      signed.answer(submit, unsent);
      signed.wait(10_000);
      expect([signed.state('c'), signed.out]).toEqual(['abandoned', []]);
    });

    it.each([lost, refused('throttled', 429)])('has its signature sent once, and is read until it ends (%o)', (put) => {
      const s = submitted();
      s.executor.allowed.converting = converting;
      s.answer(submit, put);
      for (let waited = 0; waited < LIFETIME_S * 1_000 && s.state('c') !== 'expired'; waited += 5_000) {
        s.wait(5_000);
        expect(s.out.filter((endpoint) => endpoint === submit)).toEqual([]);
        if (s.out.length > 0) s.answer(detail, record(waited < 30_000 ? 'waiting_to_sign' : 'expired'));
      }
      expect(s.state('c')).toBe('expired');
    });

    it('is followed until it is booked if it may have left', () => {
      const s = submitted();
      s.answer(submit, lost);
      s.executor.allowed.converting = converting;
      s.wait(10_000);
      s.answer(detail, record('in_process'));
      s.wait(10_000);
      s.answer(detail, record('done', 10));
      expect([s.state('c'), held(s)]).toEqual(['done', effect(10)]);
    });

    it('is sent again as soon as converting is on, if it may have left', () => {
      const s = submitted();
      s.answer(submit, lost);
      s.executor.allowed.converting = converting;
      s.wait(10_000);
      s.answer(detail, record('waiting_to_sign'));
      s.executor.allowed.converting = 'all';
      s.wait(10_000);
      s.answer(detail, record('waiting_to_sign'));
      s.wait(10_000);
      expect(s.out).toEqual([submit]);
    });
  });
});

it.each([
  ['splits.create', lost],
  ['splits.submit', unsent],
] as const)('a withdrawn split is not repeated after its %s', (last, outcome) => {
  const s = fresh();
  s.begin(KINDS.split.intent);
  if (last === 'splits.submit')
    s.answer('splits.create', s.draftOf('sets', { action: 'split-shares', amount: m(TEN) }));
  s.ledger.transaction(() => s.executor.withdraw(MARKET, s.nowMs, ['split']));
  s.answer(last, outcome);
  s.wait(10_000);
  expect([s.state('c'), s.out]).toEqual(['abandoned', []]);
});

it('a merge is begun while converting is to currency, a redeem is not while there is none', () => {
  const s = fresh();
  s.executor.allowed.converting = 'none';
  const redeem = {
    kind: 'redeem',
    intentId: 'r',
    marketConditionId: MARKET,
    yesMicros: m(ONE),
    noMicros: m(0),
  } as const;
  expect(() => s.begin(redeem)).toThrow(/converting is off/);
  expect(s.ledger.intents()).toEqual([]);
  s.executor.allowed.converting = 'to_currency';
  s.begin(KINDS.merge.intent);
  expect(s.out).toEqual(['merges.create']);
});
