import { describe, expect, it } from 'vitest';
import type { Outcome, RequestResult } from '../../../src/shared/protocol/seam.js';
import { UnreadLists, type WatchedList } from '../../../src/trader/engine/notices.js';
import type { PollResult } from '../../../src/trader/scheduler/poll-memory.js';

const REFUSED: Outcome = {
  kind: 'refused',
  status: 401,
  slug: 'authentication_failed',
  message: 'Invalid API key',
  details: [],
};
const LOST: Outcome = { kind: 'unknown', reason: 'HTTP 200 with a body that is not JSON', sent: true };

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
    expect(
      said([
        [0, 'failed'],
        [20, 'failed'],
        [21, 'failed'],
      ]),
    ).toEqual([`21 ${UNREAD}`]);
  });

  it('is nothing to tell when it can be read between, or when the look never left', () => {
    const times = [0, 5, 9, 12, 15, 18, 21];
    expect(said(times.map((second) => [second, second % 9 === 0 && second > 0 ? 'ok' : 'failed']))).toEqual([]);
    expect(said(times.map((second) => [second, 'unsent']))).toEqual([]);
  });

  it('is told by itself, with the reason of the newest look', () => {
    const fills = [0, 5, 10].map((second) => [second, 'failed', { list: 'fills', outcome: LOST }] as const);
    expect(said(fills)).toEqual([
      '10 own trades cannot be read: HTTP 200 with a body that is not JSON; fills are unknown',
    ]);
    const lists = ['orders', 'catalog', 'orders'] as const;
    const mixed = lists.map((list, i) => [5 * i, 'failed', { list }] as const);
    expect(said(mixed)).toEqual([]);
  });
});

describe('own orders or own trades that are not seen for half a minute', () => {
  const LOOKS = [0, 10, 20, 29, 30, 40].map((second) => [second, 'failed', { outcome: LOST }] as const);

  it('pull every order, which is said once, until they can be read again', () => {
    const unread = 'own orders cannot be read: HTTP 200 with a body that is not JSON';
    expect(said([...LOOKS, [41, 'ok']])).toEqual([
      `20 ${unread}; resting orders are unknown`,
      `30 ${unread}; all orders are canceled until they are readable`,
      '41 own orders can be read again',
    ]);
    const slow = [0, 31, 62].map((second) => [second, 'failed', { outcome: LOST }] as const);
    expect(said(slow)).toEqual([`62 ${unread}; all orders are canceled until they are readable`]);
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
      `31 ${why}; all orders are canceled until they are readable`,
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
