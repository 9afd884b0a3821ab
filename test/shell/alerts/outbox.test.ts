import { describe, expect, test } from 'vitest';
import { type AlertMessage, type Delivery, Outbox } from '../../../src/shell/alerts/alert-center.js';

const HOUR = 3_600_000;
const DELIVERED: Delivery = { kind: 'delivered' };
const REFUSED: Delivery = { kind: 'refused', why: '403' };
const FAILED: Delivery = { kind: 'failed', why: 'cut', afterMs: null };

let made = 0;
const message = (severity: AlertMessage['severity'], title = 'odd'): AlertMessage => {
  made++;
  return { id: `m${made}`, timeMs: 0, severity, kind: 'odd', state: 'open', title, text: `text ${made}` };
};

/** Times of attempts on a channel with this result, ms, checked once a second. */
function tries(outbox: Outbox, delivery: Delivery, fromMs: number, toMs: number): readonly number[] {
  const found: number[] = [];
  for (let ms = fromMs; ms <= toMs; ms += 1_000) {
    if (outbox.next(ms) === null) continue;
    found.push(ms);
    outbox.settle(delivery, ms);
  }
  return found;
}

describe('the outbox of a channel', () => {
  test('has one message under way, and a second between two', () => {
    const outbox = new Outbox();
    outbox.add(message('critical', 'first'), 0);
    outbox.add(message('critical', 'second'), 0);
    expect([outbox.next(0)?.title, outbox.next(5_000)]).toEqual(['first', null]);
    outbox.settle(DELIVERED, 5_000);
    expect([outbox.next(5_999), outbox.next(6_000)?.title]).toEqual([null, 'second']);
  });

  test('tries again with longer and longer pauses, and gives up after an hour, or a day when it is critical', () => {
    const outbox = new Outbox();
    outbox.add(message('warning'), 0);
    const at = tries(outbox, FAILED, 0, 2 * HOUR);
    expect(at.slice(0, 8)).toEqual([0, 2_000, 6_000, 14_000, 30_000, 62_000, 126_000, 254_000]);
    expect(at.at(-1)).toBeLessThan(HOUR);
    expect([outbox.length, outbox.counts.lost]).toEqual([0, 1]);
    outbox.add(message('critical'), 0);
    expect(tries(outbox, FAILED, 0, 25 * HOUR).at(-1)).toBeGreaterThan(23 * HOUR);
    expect(outbox.length).toBe(0);
  });

  test('waits as long as the channel has asked for, and drops what the channel will never take', () => {
    const outbox = new Outbox();
    outbox.add(message('critical'), 0);
    outbox.next(0);
    outbox.settle({ kind: 'failed', why: '429', afterMs: 60_000 }, 0);
    expect(tries(outbox, { kind: 'rejected', why: '400' }, 1_000, 70_000)).toEqual([60_000]);
    expect([outbox.length, outbox.counts]).toEqual([0, { delivered: 0, failed: 2, lost: 1 }]);
  });

  test('tries a refused critical message again for a day, and sends the others between', () => {
    const outbox = new Outbox();
    for (const severity of ['critical', 'warning'] as const) outbox.add(message(severity), 0);
    expect([tries(outbox, REFUSED, 0, 2_000), outbox.counts.lost]).toEqual([[0, 2_000], 1]);
    expect(tries(outbox, REFUSED, 3_000, 25 * HOUR).at(-1)).toBeGreaterThan(23 * HOUR);
  });

  test('joins what can wait, and lets a critical one go first', () => {
    const outbox = new Outbox();
    for (const severity of ['info', 'warning', 'critical', 'warning'] as const) outbox.add(message(severity), 0);
    expect(outbox.next(0)?.severity).toBe('critical');
    outbox.settle(DELIVERED, 0);
    expect(outbox.next(1_000)).toMatchObject({ severity: 'warning', title: '3 messages: odd' });
    outbox.settle(DELIVERED, 1_000);
    expect([outbox.length, outbox.counts.delivered]).toEqual([0, 4]);
  });

  test('names in the title each thing that it joins, and leaves for later what is more than ten', () => {
    const outbox = new Outbox();
    for (let i = 0; i < 11; i++)
      outbox.add(message('warning', ['the disk is almost full', 'a feed is silent'][i % 2]), 0);
    outbox.add({ ...message('warning', 'a feed is silent'), state: 'cleared' }, 0);
    expect(outbox.next(0)?.title).toBe('10 messages: the disk is almost full, a feed is silent');
    outbox.settle(DELIVERED, 0);
    expect([outbox.length, outbox.counts.delivered]).toEqual([2, 10]);
    expect(outbox.next(1_000)?.title).toBe('2 messages: the disk is almost full, over: a feed is silent');
  });

  test('sends twenty an hour that can wait, and any that is critical', () => {
    const outbox = new Outbox();
    let sent = 0;
    for (let ms = 0; ms < HOUR; ms += 10_000) {
      outbox.add(message('warning'), ms);
      sent += tries(outbox, DELIVERED, ms, ms).length;
    }
    expect(sent).toBe(20);
    outbox.add(message('critical'), HOUR - 1);
    expect(outbox.next(HOUR - 1)?.severity).toBe('critical');
  });

  test('is bounded: the least urgent go first, and are counted', () => {
    const outbox = new Outbox();
    outbox.add(message('critical', 'kept'), 0);
    for (let i = 0; i < 600; i++) outbox.add(message(i % 2 === 0 ? 'info' : 'warning'), 0);
    expect([outbox.length, outbox.counts.lost, outbox.next(0)?.title]).toEqual([500, 101, 'kept']);
  });
});
