/** Messages about what the trader cannot read, and how a title is shown in them. */

import { describe, expect, it } from 'vitest';
import { declarationOf } from '../../../src/shared/protocol/endpoints.js';
import type { Outcome, RequestResult } from '../../../src/shared/protocol/seam.js';
import { classify } from '../../../src/shell/client/message.js';
import type { Markets } from '../../../src/trader/engine/markets.js';
import {
  Silence,
  showTitle,
  UnreadLists,
  UnreadMarkets,
  type WatchedList,
} from '../../../src/trader/engine/notices.js';
import type { PollResult } from '../../../src/trader/scheduler/poll-record.js';

const REFUSED: Outcome = {
  kind: 'refused',
  status: 401,
  slug: 'authentication_failed',
  message: 'Invalid API key',
  details: [],
};
const LOST: Outcome = { kind: 'unknown', reason: 'HTTP 200: the body is not JSON', sent: true };

interface Look {
  readonly list?: WatchedList;
  readonly outcome?: Outcome;
  readonly isSilent?: boolean;
}

/** Polls at these seconds, and the resulting messages. */
function said(looks: readonly (readonly [second: number, result: PollResult, look?: Look])[]) {
  const lists = new UnreadLists();
  return looks.flatMap(([second, result, look]) => {
    const { list, outcome, isSilent } = { list: 'orders', outcome: REFUSED, isSilent: false, ...look } as const;
    // Only the used parts of a report.
    const report = { nowMs: 1_000 * second, outcome } as RequestResult;
    const news = lists.onLook(list, result, report, isSilent);
    return news === null ? [] : [`${second} ${news.text}`];
  });
}

const UNREAD = 'own orders cannot be read: authentication_failed: Invalid API key; resting orders are unknown';

describe('a list that is refused', () => {
  it('is told after ten seconds and three looks, once, and once more when it can be read again', () => {
    const looks = [0, 4, 9, 10, 12, 29].map((second) => [second, 'failed'] as const);
    expect(said([...looks, [30, 'ok'], [31, 'ok']])).toEqual([`10 ${UNREAD}`, '30 own orders can be read again']);
    expect(said([0, 20, 21].map((second) => [second, 'failed']))).toEqual([`21 ${UNREAD}`]);
  });

  it('is nothing to tell when it can be read between, or when the look never left', () => {
    const times = [0, 5, 9, 12, 15, 18, 21];
    expect(said(times.map((second) => [second, second % 9 === 0 && second > 0 ? 'ok' : 'failed']))).toEqual([]);
    expect(said(times.map((second) => [second, 'unsent']))).toEqual([]);
  });

  it('is told by itself, with the reason of the newest look', () => {
    const fills = [0, 5, 10].map((second) => [second, 'failed', { list: 'fills', outcome: LOST }] as const);
    expect(said(fills)).toEqual(['10 own trades cannot be read: HTTP 200: the body is not JSON; fills are unknown']);
    const lists = ['orders', 'catalog', 'orders'] as const;
    expect(said(lists.map((list, i) => [5 * i, 'failed', { list }] as const))).toEqual([]);
  });
});

describe('own orders or own trades that are not seen for half a minute', () => {
  const LOOKS = [0, 10, 20, 29, 30, 40].map((second) => [second, 'failed', { outcome: LOST }] as const);

  it('pull every order, which is said once, until they can be read again', () => {
    const unread = 'own orders cannot be read: HTTP 200: the body is not JSON';
    expect(said([...LOOKS, [41, 'ok']])).toEqual([
      `20 ${unread}; resting orders are unknown`,
      `30 ${unread}; all orders are canceled until the list can be read again`,
      '41 own orders can be read again',
    ]);
    const slow = [0, 31, 62].map((second) => [second, 'failed', { outcome: LOST }] as const);
    expect(said(slow)).toEqual([`62 ${unread}; all orders are canceled until the list can be read again`]);
  });

  it('are the reason, each by itself and in its first words; the list of markets is none', () => {
    const lists = new UnreadLists();
    const look = (list: WatchedList, second: number, result: PollResult, outcome: Outcome = REFUSED) =>
      lists.onLook(list, result, { nowMs: 1_000 * second, outcome } as RequestResult, false);
    for (const second of [0, 15, 29]) for (const list of ['catalog', 'fills'] as const) look(list, second, 'failed');
    expect(lists.pulled).toBeNull();
    look('catalog', 30, 'failed');
    expect(lists.pulled).toBeNull();
    look('fills', 30, 'failed');
    const why = 'own trades cannot be read: authentication_failed: Invalid API key';
    look('fills', 31, 'failed', LOST);
    look('orders', 32, 'ok');
    expect(lists.pulled).toBe(why);
    look('fills', 33, 'ok');
    expect(lists.pulled).toBeNull();
  });
});

describe('an exchange that answers nothing', () => {
  it('is pulled from all the same, which is said once it answers', () => {
    const silent = [0, 10, 20, 30].map((second) => [second, 'failed', { outcome: LOST, isSilent: true }] as const);
    const why = 'own orders cannot be read: authentication_failed: Invalid API key';
    expect(said([...silent, [31, 'failed'], [32, 'failed'], [33, 'ok']])).toEqual([
      `31 ${why}; all orders are canceled until the list can be read again`,
      '33 own orders can be read again',
    ]);
    expect(said([...silent, [31, 'ok']])).toEqual([]);
  });

  it('is told as such and not list by list, also in the first seconds after it', () => {
    const silent = [0, 5, 10, 20].map((second) => [second, 'failed', { outcome: LOST, isSilent: true }] as const);
    expect(said([...silent, [21, 'failed'], [22, 'failed'], [23, 'ok']])).toEqual([]);
  });

  it('does not mend a list that was told', () => {
    const looks = [0, 5, 10].map((second) => [second, 'failed'] as const);
    expect(said([...looks, [11, 'failed', { isSilent: true }], [12, 'failed']])).toEqual([`10 ${UNREAD}`]);
  });
});

const row = (id: string, state = 'open') => ({ title: id, condition_id: id, state });

const answerOf = (rows: readonly unknown[], name: 'markets.list' | 'orders.list' = 'markets.list'): Outcome =>
  classify(
    declarationOf(name),
    200,
    JSON.stringify({ data: rows, meta: { next_cursor: null, limit: 100 }, error: null }),
  ).outcome;

const reportOf = (outcome: Outcome) => ({ outcome }) as RequestResult;

it('a list of markets leaves out the row that cannot be read, and names market, field and value', () => {
  const outcome = answerOf([row('a', 'disputed'), row('b'), { ...row('c'), title: 7 }, row('d')]);
  expect(outcome).toMatchObject({
    kind: 'answered',
    data: [{ condition_id: 'b' }, { condition_id: 'd' }],
    unread: [
      { conditionId: 'a', problem: expect.stringMatching(/^market\.state: .*got "disputed"$/) },
      { conditionId: 'c', problem: expect.stringMatching(/^market\.title: .*got "7"$/) },
    ],
  });
  expect(answerOf([row('a'), row('b')])).not.toHaveProperty('unread');
});

it('a page without a readable row is empty if each row names its market', () => {
  const unread = [{ conditionId: 'a' }];
  expect(answerOf([row('a', 'disputed')])).toMatchObject({ kind: 'answered', data: [], unread });
  expect(answerOf([row('a', 'disputed'), { title: 'b' }])).toMatchObject({ kind: 'unknown' });
});

it('a list of own orders with one unreadable row stays unread', () =>
  expect(answerOf([{ pubkey: 'x', status: 'odd', side: 'buy' }], 'orders.list')).toMatchObject({ kind: 'unknown' }));

it('an unreadable market is reported once, stays out over a failed walk, and is reported once more when it can be read', () => {
  const markets = new UnreadMarkets();
  const walk = (rows: readonly unknown[], isComplete = true) => {
    markets.onPage(reportOf(answerOf(rows)));
    return markets.onEnd(isComplete).map(({ kind }) => kind);
  };
  const odd = [row('a', 'disputed'), row('b')];
  expect(walk(odd)).toEqual(['market_unread']);
  expect(walk(odd)).toEqual([]);
  expect(walk([row('b')], false)).toEqual([]);
  expect(markets.findReason('a')).toContain('market.state');
  expect(markets.findReason('b')).toBeUndefined();
  expect(walk([row('a'), row('b')])).toEqual(['market_read']);
  expect(markets.findReason('a')).toBeUndefined();
});

it('a throttled read of a detail excludes no market', () => {
  const outcome = { ...REFUSED, slug: 'throttled' } as Outcome;
  const markets = new UnreadMarkets();
  const read = (n: number) => markets.onDetailFailed('M', { outcome, nowMs: n * 100_000 } as RequestResult);
  expect([0, 1, 2, 3].map(read)).toEqual([null, null, null, null]);
});

it('a silence begins with the third unknown outcome in a row, is reported after a second, and ends with three answers', () => {
  const silence = new Silence();
  expect([0, 100, 200].map((ms) => [silence.onUnknown(ms), silence.isSuspected, silence.isOn])).toEqual([
    [false, true, false],
    [false, true, false],
    [false, true, true],
  ]);
  expect([999, 1_000, 1_100].map((ms) => silence.onUnknown(ms))).toEqual([false, true, false]);
  expect([silence.onAnswer(), silence.isSuspected]).toEqual([{ wasOn: true, isBack: false }, false]);
  for (const isBack of [false, true, false]) expect(silence.onAnswer()).toEqual({ wasOn: false, isBack });
});

it('a silence is not reported of an exchange that answers one call and not another', () => {
  const silence = new Silence();
  for (let ms = 0; ms < 60_000; ms += 400) {
    expect([ms, ms + 100, ms + 200].map((at) => silence.onUnknown(at))).toEqual([false, false, false]);
    expect(silence.onAnswer()).toEqual({ wasOn: true, isBack: false });
  }
});

it('a silence is reported once of an exchange that answers one poll in thirty', () => {
  const silence = new Silence();
  let told = 0;
  for (let second = 0; second < 3_600; second++) {
    if (second % 30 !== 0) told += Number(silence.onUnknown(second * 1_000));
    else expect(silence.onAnswer().isBack).toBe(false);
  }
  expect(told).toBe(1);
});

it('a silence is reported also when our clock is set back meanwhile', () => {
  const silence = new Silence();
  const told = [90_000, 90_100, 1_000, 1_500, 2_000].map((ms) => silence.onUnknown(ms));
  expect(told).toEqual([false, false, false, false, true]);
});

/** Only the part in which a title is looked up. */
const marketsWith = (title: string) => ({ get: () => ({ feed: { facts: { title } } }) }) as unknown as Markets;

it.each([
  ['Rain in Berlin on 3 May?', 'Rain in Berlin on 3 May?'],
  ['Will é 日本 win?', 'Will é 日本 win?'],
  ['a"\n22:00 nothing rests', 'a"?22:00 nothing rests'],
  ['\u001b[2J\u001b]52;c;AAAA\u0007', '?[2J?]52;c;AAAA?'],
  ['x\u202egnihton\u2028', 'x?gnihton?'],
])('a title of the exchange is shown without what moves a terminal: %j', (title, shown) =>
  expect(showTitle(marketsWith(title), 'A')).toBe(shown),
);
