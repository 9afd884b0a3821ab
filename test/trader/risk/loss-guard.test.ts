import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LossGuard } from '../../../src/trader/risk/loss-guard.js';
import { m, ONE } from './states.js';

const DAY_MS = 86_400_000;
const NOON = Date.UTC(2026, 0, 10, 12);
const limits = { maxLossDayMicros: m(50 * ONE), maxDrawdownMicros: m(100 * ONE) };
const money = (value: number) => m(value * ONE);

const MINUTE_MS = 60_000;

/** Values the account every minute between these times, with this equity. */
function pass(guard: LossGuard, fromMs: number, untilMs: number, equity: number): void {
  for (let nowMs = fromMs; nowMs < untilMs; nowMs += MINUTE_MS) guard.observe(nowMs, money(equity), limits);
}

describe('the loss guard', () => {
  it('halts when a day has lost its limit, and says so once', () => {
    const guard = LossGuard.start(NOON, money(1000));
    expect(guard.observe(NOON + 1, m(950 * ONE + 1), limits)).toBeNull();
    expect(guard.observe(NOON + 2, money(950), limits)).toBe('lost 50 today, the limit is 50');
    expect(guard.observe(NOON + 3, money(900), limits)).toBeNull();
    const lost = { dayLossMicros: money(100), drawdownMicros: money(100), halted: 'lost 50 today, the limit is 50' };
    expect(guard.facts).toEqual(lost);
  });

  it('counts a loss over midnight to the new day, and days apart from each other', () => {
    const guard = LossGuard.start(NOON, money(1000));
    pass(guard, NOON, NOON + DAY_MS / 2, 960);
    expect(guard.observe(NOON + DAY_MS / 2, money(915), limits)).toBeNull();
    expect(guard.facts.dayLossMicros).toBe(money(45));
    expect([guard.state.day, guard.observe(NOON + DAY_MS / 2 + 1, money(911), limits)]).toEqual(['2026-01-11', null]);
  });

  it('halts at the distance from the high-water mark, however many days it took', () => {
    const guard = LossGuard.start(NOON, money(1000));
    for (const [day, equity] of [1010, 975, 940].entries()) {
      pass(guard, NOON + day * DAY_MS, NOON + (day + 1) * DAY_MS, equity);
      expect(guard.facts.halted).toBeNull();
    }
    expect(guard.observe(NOON + 3 * DAY_MS, money(910), limits)).toBe(
      'equity 100 below the high-water mark, the limit is 100',
    );
  });

  it('stays halted over midnight, a recovery and a restart, until a person resumes', () => {
    const guard = LossGuard.start(NOON, money(1000));
    guard.observe(NOON, money(940), limits);
    const stored: LossGuard['state'] = JSON.parse(JSON.stringify(guard.state));
    const restarted = new LossGuard(stored);
    restarted.observe(NOON + 2 * DAY_MS, money(1000), limits);
    expect(restarted.facts.halted).toBe('lost 60 today, the limit is 50');
    restarted.observe(NOON + 2 * DAY_MS, money(945), limits);
    restarted.resume();
    expect(restarted.facts).toEqual({ dayLossMicros: 0, drawdownMicros: 0, halted: null });
    expect(restarted.observe(NOON + 2 * DAY_MS, money(900), limits)).toBeNull();
  });

  it('counts what others do not pay as lost for as long as they do not, and neither halts on it nor lets a day begin lower', () => {
    const guard = LossGuard.start(NOON, money(1000));
    expect(guard.observe(NOON, money(990), limits, money(60))).toBeNull();
    expect(guard.facts).toEqual({ dayLossMicros: money(70), drawdownMicros: money(70), halted: null });
    pass(guard, NOON, NOON + DAY_MS / 2, 990);
    for (let minute = 0; minute < 10; minute++)
      guard.observe(NOON + DAY_MS / 2 + minute * MINUTE_MS, money(990), limits, money(60));
    expect(guard.state).toMatchObject({ day: '2026-01-11', dayStartEquityMicros: money(990) });
    expect(guard.facts.dayLossMicros).toBe(money(60));
    guard.observe(NOON + DAY_MS, money(990), limits);
    expect(guard.facts).toEqual({ dayLossMicros: 0, drawdownMicros: money(10), halted: null });
    guard.observe(NOON + DAY_MS, money(990), limits, money(60));
    guard.resume(true);
    expect(guard.facts).toEqual({ dayLossMicros: 0, drawdownMicros: 0, halted: null });
  });

  /** Observes the same figures for some minutes, after which a guard believes its clock. */
  const rest = (guard: LossGuard, fromMs: number, equity: number, passing: number) => {
    for (let minute = 0; minute < 10; minute++)
      guard.observe(fromMs + minute * MINUTE_MS, money(equity), limits, money(passing));
  };

  it('counts a loss at the bids that an operator accepted no more, until the bids return', () => {
    const guard = LossGuard.start(NOON, money(1000));
    rest(guard, NOON, 1000, 45);
    guard.resume(true);
    const restarted = new LossGuard(JSON.parse(JSON.stringify(guard.state)));
    // Before the books are read, the loss at the bids looks like 0.
    restarted.observe(NOON + 10 * MINUTE_MS, money(1000), limits);
    rest(restarted, NOON + 11 * MINUTE_MS, 1000, 45);
    const lostAt = (passing: number) => {
      restarted.observe(NOON + 20 * MINUTE_MS, money(1000), limits, money(passing));
      return restarted.facts.drawdownMicros;
    };
    expect([45, 52, 30, 45].map(lostAt)).toEqual([0, 7, 0, 15].map(money));
    expect([0, 45].map(lostAt)).toEqual([0, 45].map(money));
  });

  const midnight = NOON + DAY_MS / 2;
  it.each([NOON, midnight])('counts no loss accepted at %i again over midnight or when realised', (acceptedMs) => {
    const guard = LossGuard.start(NOON, money(1000));
    guard.observe(acceptedMs, money(1000), limits, money(45));
    guard.resume(true);
    for (const at of [acceptedMs, midnight]) rest(guard, at, 1000, 45);
    expect([guard.state.day, guard.facts.dayLossMicros]).toEqual(['2026-01-11', 0]);
    expect(guard.observe(midnight + 10 * MINUTE_MS, money(955), limits)).toBeNull();
    expect(guard.facts).toEqual({ dayLossMicros: 0, drawdownMicros: 0, halted: null });
    expect(guard.observe(midnight + 11 * MINUTE_MS, money(905), limits)).toBe('lost 50 today, the limit is 50');
  });

  it.each([-1000, 1000])('counts no accepted loss that is realised %i ms after midnight', (realisedMs) => {
    const guard = LossGuard.start(NOON, money(1000));
    guard.observe(NOON, money(1000), limits, money(45));
    guard.resume(true);
    rest(guard, midnight - 10 * MINUTE_MS, 1000, 45);
    guard.observe(midnight + realisedMs, money(955), limits);
    expect(guard.observe(midnight + 2000, money(950), limits)).toBeNull();
    expect([guard.state.day, guard.facts.dayLossMicros]).toEqual(['2026-01-11', money(5)]);
    const restarted = new LossGuard(JSON.parse(JSON.stringify(guard.state)));
    pass(restarted, midnight + DAY_MS, midnight + DAY_MS + 6 * MINUTE_MS, 945);
    expect([restarted.state.day, restarted.facts.dayLossMicros]).toEqual(['2026-01-12', money(5)]);
  });

  it('counts capital that is put in or taken out neither as a gain that hides a loss nor as a loss', () => {
    const guard = LossGuard.start(NOON, money(1000));
    expect(guard.observe(NOON + 1000, money(955), limits)).toBeNull();
    guard.capitalMoved(money(500));
    expect(guard.facts).toMatchObject({ dayLossMicros: money(45), drawdownMicros: money(45) });
    expect(guard.observe(NOON + 2000, money(1450), limits)).toContain('lost 50 today');
    const lower = LossGuard.start(NOON, money(1000));
    lower.capitalMoved(money(-500));
    expect([lower.observe(NOON + 1000, money(500), limits), lower.facts.halted]).toEqual([null, null]);
  });

  it('starts the loss of a day before a false price at midnight, and the result of the day with that price', () => {
    const guard = LossGuard.start(NOON, money(1000));
    pass(guard, NOON, midnight - MINUTE_MS, 1000);
    guard.observe(midnight - 500, money(960), limits);
    guard.observe(midnight, money(1000), limits);
    expect([guard.facts.dayLossMicros, guard.days.current.resultMicros]).toEqual([0, money(40)]);
    const early = LossGuard.start(midnight - 20 * MINUTE_MS, money(960));
    pass(early, midnight + MINUTE_MS, midnight + 4 * MINUTE_MS, 1000);
    pass(early, midnight + 4 * MINUTE_MS, midnight + 5 * MINUTE_MS, 970);
    const restarted = new LossGuard(JSON.parse(JSON.stringify(early.state)));
    pass(restarted, midnight + 5 * MINUTE_MS, midnight + 11 * MINUTE_MS, 970);
    expect([restarted.state.day, restarted.facts.dayLossMicros]).toEqual(['2026-01-11', money(30)]);
    expect(guard.observe(midnight + MINUTE_MS, money(950), limits)).toBe('lost 50 today, the limit is 50');
  });

  it('begins no new day when the clock steps back', () => {
    const guard = LossGuard.start(NOON, money(1000));
    guard.observe(NOON, money(970), limits);
    guard.observe(NOON - 2 * DAY_MS, money(970), limits);
    guard.observe(NOON, money(970), limits);
    expect(guard.facts.dayLossMicros).toBe(money(30));
  });

  it('halts on an equity that cannot be computed, and keeps what it knew', () => {
    const guard = LossGuard.start(NOON, money(1000));
    expect(guard.observe(NOON, m(Number.NaN), limits)).toBe('the equity cannot be computed (got NaN)');
    expect(guard.facts).toMatchObject({ dayLossMicros: 0, drawdownMicros: 0 });
  });

  it('begins no day for a clock that is ahead for some looks', () => {
    const guard = LossGuard.start(NOON, money(1000));
    pass(guard, NOON, NOON + 10 * MINUTE_MS, 970);
    for (const aheadMs of [DAY_MS, 2 * DAY_MS]) {
      pass(guard, NOON + aheadMs, NOON + aheadMs + 4 * MINUTE_MS, 960);
      expect(guard.facts.dayLossMicros).toBe(money(40));
    }
    expect(guard.observe(NOON + 11 * MINUTE_MS, money(950), limits)).toBe('lost 50 today, the limit is 50');
  });

  it('begins no day for a clock that was set to right before midnight', () => {
    const guard = LossGuard.start(NOON, money(1000));
    pass(guard, NOON, NOON + 10 * MINUTE_MS, 970);
    pass(guard, midnight - MINUTE_MS, midnight + 2 * MINUTE_MS, 960);
    expect(guard.facts.dayLossMicros).toBe(money(40));
  });

  it('begins the day after a sleep over midnight once the clock has run on for minutes, with what there was before', () => {
    const guard = LossGuard.start(NOON, money(1000));
    pass(guard, NOON, NOON + 10 * MINUTE_MS, 970);
    const awake = NOON + DAY_MS;
    pass(guard, awake, awake + 5 * MINUTE_MS, 960);
    expect(guard.facts.dayLossMicros).toBe(money(40));
    guard.observe(awake + 5 * MINUTE_MS, money(955), limits);
    expect(guard.facts.dayLossMicros).toBe(money(15));
    expect(guard.state.day).toBe('2026-01-11');
  });

  it('keeps the result of the day that has ended, whatever loss was accepted or capital moved in it', () => {
    const guard = LossGuard.start(NOON, money(1000));
    pass(guard, NOON, NOON + 60 * MINUTE_MS, 940);
    guard.resume();
    guard.capitalMoved(money(100));
    pass(guard, NOON + 60 * MINUTE_MS, NOON + DAY_MS / 2, 1048);
    expect(guard.days).toEqual({ current: { day: '2026-01-10', resultMicros: money(-52) }, ended: null });
    const restarted = new LossGuard(JSON.parse(JSON.stringify(guard.state)));
    pass(restarted, NOON + DAY_MS / 2, NOON + DAY_MS / 2 + 6 * MINUTE_MS, 1050);
    expect(restarted.days).toEqual({
      current: { day: '2026-01-11', resultMicros: money(2) },
      ended: { day: '2026-01-10', resultMicros: money(-52) },
    });
  });

  it('takes the time before and after a restart for a jump', () => {
    const guard = LossGuard.start(NOON, money(1000));
    pass(guard, NOON, NOON + 10 * MINUTE_MS, 970);
    const restarted = new LossGuard(JSON.parse(JSON.stringify(guard.state)));
    expect(restarted.observe(NOON + DAY_MS, money(950), limits)).toBe('lost 50 today, the limit is 50');
  });

  it('minds no step of the clock by less than some minutes', () => {
    const guard = LossGuard.start(midnight - 20 * MINUTE_MS, money(1000));
    pass(guard, midnight - 20 * MINUTE_MS, midnight, 970);
    guard.observe(midnight - 500, money(970), limits);
    guard.observe(midnight, money(970), limits);
    expect(guard.facts.dayLossMicros).toBe(0);
  });

  it('is halted from the first look at which either limit is reached, and not before', () => {
    const steps = fc.array(
      fc.record({ minutes: fc.integer({ min: 0, max: 4 }), equity: fc.integer({ min: 850, max: 1100 }) }),
      { maxLength: 60 },
    );
    // This is longer than the minimum run after a start, so that midnight comes within thirty valuations.
    const begunMs = NOON + DAY_MS / 2 - 60 * MINUTE_MS;
    fc.assert(
      fc.property(steps, (looks) => {
        const guard = LossGuard.start(begunMs, money(1000));
        let [minutes, last, high, dayStart, reached] = [0, 1000, 1000, 1000, false];
        for (const look of looks) {
          const before = minutes;
          minutes += look.minutes;
          if (before < 60 && minutes >= 60) dayStart = last;
          last = look.equity;
          high = Math.max(high, last);
          reached ||= dayStart - last >= 50 || high - last >= 100;
          guard.observe(begunMs + minutes * MINUTE_MS, money(look.equity), limits);
          expect(guard.facts.halted !== null).toBe(reached);
        }
      }),
    );
  });
});
