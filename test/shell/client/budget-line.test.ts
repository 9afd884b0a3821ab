import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Lane } from '../../../src/shared/protocol/seam.js';
import { BudgetLine } from '../../../src/shell/client/budget-line.js';
import type { Pacing } from '../../../src/shell/client/pacing.js';
import { passTime, useTimersOfMachine, useVirtualTimers } from '../../support/virtual-timers.js';

beforeEach(useVirtualTimers);
afterEach(useTimersOfMachine);

const OK: Parameters<Pacing['onAnswer']>[1] = { genuine: true, throttled: false, askedMs: null, budget: null };
const REFUSED: Parameters<Pacing['onAnswer']>[1] = { ...OK, throttled: true };
const lines: BudgetLine[] = [];
function newLine(limit: number, most?: number): BudgetLine {
  const line = new BudgetLine(limit, () => Date.now(), most);
  lines.push(line);
  return line;
}
afterEach(async () => {
  for (const line of lines.splice(0)) await line.close();
});

const WORD = { place: 'in', probe: 'probe', none: 'out' };

/** Enters a line of this limit and records when and in which order. */
function entrants(limit: number) {
  const line = newLine(limit);
  const log: string[] = [];
  const started = Date.now();
  const enter = async (name: string, lane: Lane, patienceMs = 600_000) => {
    const entered = line.tryEnter() || (await line.enter(lane, patienceMs));
    log.push(`${name} ${WORD[entered ?? 'none']} ${Math.round((Date.now() - started) / 1_000)}`);
    if (entered !== null) line.onSilence(entered);
  };
  return { line, log, enter };
}

describe('the budget line', () => {
  it('lets through at once while places are free, then one as each place comes free', async () => {
    const { log, enter } = entrants(2);
    await enter('a', 'own');
    await passTime(10_000);
    for (const name of ['b', 'c', 'd', 'e']) void enter(name, 'own');
    await passTime(200_000);
    expect(log).toEqual(['a in 0', 'b in 10', 'c in 60', 'd in 70', 'e in 120']);
  });

  it('serves the urgent lanes first, and each lane in its order', async () => {
    const { log, enter } = entrants(1);
    await enter('first', 'own');
    const lanes: Lane[] = ['quiet', 'hot', 'cancel', 'hot', 'submit', 'cancel'];
    for (const [nth, lane] of lanes.entries()) void enter(`${lane}-${nth}`, lane);
    await passTime(600_000);
    const order = log.map((entry) => entry.split(' ')[0]).join(' ');
    expect(order).toBe('first cancel-2 cancel-5 submit-4 hot-1 hot-3 quiet-0');
  });

  it('does not turn a cancel away because reads fill the line', async () => {
    const { line, log, enter } = entrants(1);
    await enter('a', 'own');
    const reads = Array.from({ length: 1_000 }, () => line.enter('own', 60_000));
    void enter('read', 'own');
    void enter('cancel', 'cancel');
    await passTime(61_000);
    expect(log).toEqual(['a in 0', 'read out 0', 'cancel in 60']);
    await lines.pop()?.close();
    await Promise.all(reads);
  });

  it('keeps to its own most where the venue tells of more room, and to the venue’s word where that is less', async () => {
    const line = newLine(2, 2);
    // Another client has used 100 of the 300, which are not ours.
    const says = (limit: number, remaining: number) => ({ ...OK, budget: { limit, remaining } });
    line.tryEnter();
    line.onAnswer('place', says(300, 200));
    expect([line.tryEnter(), line.tryEnter()]).toEqual(['place', null]);
    line.onAnswer('place', says(1, 1));
    expect(line.isOverdrawn('place')).toBe(false);
    line.onAnswer('place', says(1, 1));
    expect(line.isOverdrawn('place')).toBe(true);
  });

  it('gives the place of those whose patience ended to the next', async () => {
    const { log, enter } = entrants(1);
    await enter('a', 'own');
    for (const name of ['b', 'c', 'd']) void enter(name, 'cancel', 5_000);
    void enter('e', 'quiet');
    await passTime(61_000);
    expect(log).toEqual(['a in 0', 'b out 5', 'c out 5', 'd out 5', 'e in 60']);
  });

  it('waits while everything is in flight, and wakes when an answer’s minute is over', async () => {
    const { line, log, enter } = entrants(1);
    expect(line.tryEnter()).toBe('place');
    void enter('b', 'own');
    await passTime(30_000);
    line.onSilence('place');
    await passTime(60_100);
    expect(log).toEqual(['b in 90']);
  });

  it('takes back the place of what never left', async () => {
    const { line, log, enter } = entrants(1);
    expect(line.tryEnter()).toBe('place');
    void enter('b', 'own');
    line.onUnsent('place');
    await passTime(1_000);
    expect(log).toHaveLength(1);
  });

  it('stands still for as long as the service said, but for one probe at a time of what cannot wait', async () => {
    // A probe waits from one to two seconds; here one and a half. Bottleneck needs different numbers for its ids.
    let drawn = 0;
    const random = vi.spyOn(Math, 'random').mockImplementation(() => 0.5 + 1e-6 * drawn++);
    onTestFinished(() => random.mockRestore());
    const { line, log, enter } = entrants(10);
    line.tryEnter();
    expect([line.onAnswer('place', { ...REFUSED, askedMs: 20_000 }), line.tryEnter()]).toEqual([20_000, null]);
    void enter('draft', 'draft');
    void enter('own', 'own');
    void enter('cancel', 'cancel');
    await passTime(1_000);
    expect(log).toEqual([]);
    await passTime(1_100);
    expect(log).toEqual(['cancel probe 2']);
    await passTime(2_100);
    expect(log).toEqual(['cancel probe 2', 'own probe 3']);
    await passTime(20_000);
    expect(log.at(-1)).toBe('draft in 20');
  });

  it('goes on at once when a probe was let through', async () => {
    const line = newLine(10);
    line.tryEnter();
    line.onAnswer('place', { ...REFUSED, askedMs: 60_000 });
    const probe = line.enter('cancel', 60_000);
    const draft = line.enter('draft', 60_000);
    await passTime(2_100);
    expect(await probe).toBe('probe');
    expect(line.isOverdrawn('probe')).toBe(false);
    line.onAnswer('probe', OK);
    await passTime(100);
    expect(await draft).toBe('place');
  });

  it('does not probe past its own count of the limit', async () => {
    const { line, log, enter } = entrants(1);
    line.tryEnter();
    line.onAnswer('place', { ...REFUSED, askedMs: 10_000 });
    void enter('cancel', 'cancel');
    await passTime(59_000);
    expect(log).toEqual([]);
    await passTime(2_000);
    expect(log).toEqual(['cancel in 60']);
  });

  it.each([
    ['of a stranger', { ...REFUSED, genuine: false, askedMs: 6_000 }],
    ['longer than the window', { ...REFUSED, askedMs: 600_000 }],
  ])('takes a wait %s for none', (_, heard) => {
    const line = newLine(10);
    line.tryEnter();
    expect(line.onAnswer('place', heard)).toBeLessThanOrEqual(1_000);
  });

  it('lets one refusal that nothing explains lower no limit, and a second one within a minute do so', async () => {
    const line = newLine(80);
    for (let n = 0; n < 20; n++) line.tryEnter();
    for (let n = 0; n < 18; n++) line.onAnswer('place', OK);
    line.onAnswer('place', REFUSED);
    await passTime(2_000);
    expect(line.tryEnter()).toBe('place');
    line.onUnsent('place');
    line.onAnswer('place', REFUSED);
    await passTime(2_000);
    expect(line.tryEnter()).toBe(null);
  });

  it('backs off longer at each refusal without a word, up to a minute, until one goes well', () => {
    const line = newLine(40);
    const refused = () => {
      line.tryEnter();
      return line.onAnswer('place', { ...REFUSED, budget: { limit: 40, remaining: 0 } }) ?? 0;
    };
    for (let refusal = 0; refusal < 12; refusal++) {
      const full = Math.min(60_000, 1_000 * 2 ** refusal);
      const waitMs = refused();
      expect(waitMs).toBeGreaterThanOrEqual(full / 2);
      expect(waitMs).toBeLessThanOrEqual(full);
    }
    line.onAnswer('place', OK);
    expect(refused()).toBeLessThanOrEqual(1_000);
  });

  it('turns away those without patience, those beyond a thousand, and all when it is closed', async () => {
    const line = newLine(1);
    expect([line.tryEnter(), await line.enter('own', 0)]).toEqual(['place', null]);
    const waiting = Array.from({ length: 1_000 }, () => line.enter('own', 1e9));
    expect(await line.enter('own', 1e9)).toBe(null);
    waiting.push(...Array.from({ length: 1_000 }, () => line.enter('cancel', 1e9)));
    expect(await line.enter('cancel', 1e9)).toBe(null);
    const closed = lines.pop()?.close();
    await passTime(5_000);
    await closed;
    expect((await Promise.all(waiting)).every((entered) => entered === null)).toBe(true);
    expect([line.tryEnter(), await line.enter('cancel', 1_000)]).toEqual([null, null]);
  });
});
