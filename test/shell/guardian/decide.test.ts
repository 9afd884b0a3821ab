import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, describeState, FRESH_MIND, type GuardianRules } from '../../../src/shell/guardian/decide.js';
import { times } from '../../support/effort.js';
import { beat, Driven, LOOK_MS, RULES, type Seen } from './looks.js';
import { ordinaryDays } from './virtual-trader.js';

/** A guardian that has seen a trader trade for a while. */
function watching(rules: Partial<GuardianRules> = {}): Driven {
  const guardian = new Driven(rules);
  for (let count = 1; count <= 20; count++) guardian.look({ heartbeat: beat(count) });
  return guardian;
}

const still = { heartbeat: beat(20) } as const;
const gone = { ...still, traderGone: true } as const;
const leased = { heartbeat: beat(20, { oursForMs: 16_000 }) } as const;
const cancels = (guardian: Driven) => guardian.timesOf('cancel').length;

describe('the wallet of a fleet', () => {
  it('is looked at until nothing rests, and left alone once it may be another trader’s', () => {
    const guardian = watching();
    guardian.lookFor(16_000, leased);
    expect(describeState(guardian.mind).state).toBe('secured');
    const before = cancels(guardian);
    guardian.lookFor(600_000, leased);
    expect(cancels(guardian)).toBe(before);
    const alone = watching();
    alone.lookFor(600_000, still);
    expect(cancels(alone)).toBeGreaterThan(before + 50);
  });

  it('is cleared all the same where the exchange could not be asked before', () => {
    const guardian = watching();
    guardian.rounds = () => 'failed';
    guardian.lookFor(400_000, leased);
    const before = cancels(guardian);
    guardian.rounds = () => 'canceled';
    guardian.lookFor(60_000, leased);
    expect(cancels(guardian)).toBe(before + 5);
  });

  it.each([
    [16_000 + RULES.lateOrdersMs, 0, 0],
    [15_000, 3_600_000, 0],
    [0, 120_000, 5],
  ])('is left after %s ms, once the heartbeat file is %s ms old, and %s more rounds', (awakeMs, ageMs, rounds) => {
    const guardian = new Driven();
    guardian.rounds = () => 'canceled';
    guardian.lookFor(awakeMs, leased);
    const before = cancels(guardian);
    guardian.lookFor(600_000, { ...leased, ageMs });
    expect(cancels(guardian) - before).toBe(rounds);
  });

  it('is guarded during a take-over by its restarted trader', () => {
    const guardian = watching();
    guardian.lookFor(24_000, { ...leased, traderGone: true });
    const second = beat(1, { run: 'two', phase: 'starting', oursForMs: 16_000 });
    guardian.lookFor(15_000, { heartbeat: second, traderGone: true });
    expect(guardian.timesOf('end')).toEqual([]);
    expect(guardian.timesOf('cancel').at(-1)).toBeGreaterThan(30_000);
  });

  it('is cleared again once a wall clock that was set forward is correct', () => {
    const guardian = watching();
    guardian.rounds = () => 'canceled';
    guardian.lookFor(12_000, { ...leased, traderGone: true });
    guardian.look({ ...leased, traderGone: true, ageMs: 3_600_000 });
    expect(guardian.lookFor(1_000, { ...leased, traderGone: true })).toContain('cancel');
  });

  it.each([true, false])('is left for good when the trader is gone (the guardian stays: %s)', (stays) => {
    const guardian = watching({ stays });
    guardian.rounds = () => 'canceled';
    guardian.lookFor(600_000, { ...leased, traderGone: true });
    const said = guardian.done.filter(({ action }) => action.kind === 'record' && /next owner/.test(action.text));
    expect([said.length, guardian.timesOf('end').length > 0]).toEqual([1, !stays]);
  });
});

describe('an alarm', () => {
  it.each([
    ['a heart that stands still, its process there', still],
    ['a heart that stands still, its process gone', gone],
    ['a heartbeat file that is gone', { heartbeat: null }],
    ['a heartbeat file that nobody can read', { heartbeat: 'unreadable' }],
  ] as const)('is raised by %s, after the time-out and not before', (_, seen) => {
    const guardian = watching();
    expect(guardian.lookFor(RULES.timeoutMs - LOOK_MS, seen)).toEqual([]);
    expect(guardian.look(seen)).toEqual(['record', 'leave-mark', 'cancel', 'record']);
  });

  it('is raised by a guardian that was started after the trader died', () => {
    const guardian = new Driven({ stays: true });
    guardian.lookFor(RULES.timeoutMs + LOOK_MS, gone);
    expect(cancels(guardian)).toBeGreaterThan(0);
  });

  it.each([
    ['nobody has ever traded', { heartbeat: null }],
    ['the trader ended in order', { heartbeat: beat(21, { phase: 'ended', mayRest: false }) }],
    ['a trader without any order hangs while it starts', { heartbeat: beat(1, { phase: 'starting', mayRest: false }) }],
  ] as const)('is not raised when %s', (_, seen) => {
    expect(new Driven({ stays: true }).lookFor(600_000, seen)).toEqual([]);
  });

  it.each([
    [null, 60_000],
    [18_000, 240_000],
  ])('is raised when no start leads to trading while orders may rest (lease %s: after %s ms)', (oursForMs, limitMs) => {
    const guardian = watching({ stays: true });
    for (let run = 0; guardian.nowMs < limitMs + 20_000; run++) {
      for (let count = 1; count <= 8; count++)
        guardian.look({ heartbeat: beat(count, { run: `run ${run}`, phase: 'starting', oursForMs }) });
    }
    const [atMs] = guardian.timesOf('cancel');
    expect(atMs).toBeGreaterThan(limitMs);
    expect(atMs).toBeLessThan(limitMs + 6_000);
  });

  it.each([true, false])('counts no start of a trader that is gone (its orders may rest: %s)', (mayRest) => {
    const guardian = new Driven({ stays: true });
    guardian.lookFor(600_000, { heartbeat: beat(1, { phase: 'starting', mayRest }), traderGone: true });
    guardian.look({ heartbeat: beat(1, { run: 'two', phase: 'starting' }) });
    expect(guardian.mind.alarm).toBeNull();
  });

  it('counts only what the guardian was awake to hear, whatever its clock does', () => {
    const guardian = watching({ stays: true });
    for (let hour = 0; hour < 5; hour++)
      expect([guardian.look(still, 3_600_000), guardian.look(still, -1_800_000)]).toEqual([[], []]);
    // Five checks that counted for a second each; the rest of the time-out is left.
    expect(guardian.lookFor(RULES.timeoutMs - 5_000 - LOOK_MS, still)).toEqual([]);
    expect(guardian.look(still)).toContain('cancel');
  });

  it('ends when the trader takes a step again, not when another one only starts', () => {
    const guardian = watching();
    guardian.lookFor(9_000, still);
    guardian.rounds = () => 'canceled';
    expect(guardian.lookFor(3_000, { heartbeat: beat(1, { run: 'two', phase: 'starting' }) })).toContain('cancel');
    expect([guardian.look({ heartbeat: beat(2, { run: 'two' }) }), guardian.mind.alarm]).toEqual([['record'], null]);
    expect(guardian.look({ heartbeat: beat(3, { run: 'two' }) })).toEqual([]);
  });

  it('is raised again by the next silence', () => {
    const guardian = watching();
    guardian.lookFor(9_000, still);
    guardian.look({ heartbeat: beat(21) });
    guardian.lookFor(9_000, { heartbeat: beat(21) });
    expect(guardian.timesOf('leave-mark')).toHaveLength(2);
  });
});

describe('a trader that beats while nothing may rest', () => {
  /** Its heart beats for this time, and each beat says that no order may rest. */
  function pulls(guardian: Driven, ms: number, from = 21) {
    const kinds: string[] = [];
    for (let n = 0; n < ms / LOOK_MS; n++)
      kinds.push(...guardian.look({ heartbeat: beat(from + n, { nothingMayRest: true }) }));
    return kinds;
  }

  it('is given five seconds; then what rests is read and canceled, round by round, and it is held by no mark', () => {
    const guardian = watching();
    const results = ['canceled', 'empty', 'empty'] as const;
    let at = 0;
    guardian.rounds = () => results[at++] ?? 'empty';
    expect(pulls(guardian, 4_750)).toEqual([]);
    expect(pulls(guardian, 5_000, 100).filter((kind) => kind === 'cancel')).toHaveLength(3);
    expect(guardian.timesOf('leave-mark')).toEqual([]);
    expect(describeState(guardian.mind).state).toBe('watching');
  });

  it('is looked after once a minute then, without a loud word as long as nothing rests', () => {
    const guardian = watching();
    pulls(guardian, 600_000);
    expect(cancels(guardian)).toBeGreaterThan(9);
    expect(cancels(guardian)).toBeLessThan(13);
    expect(guardian.done.filter(({ action }) => action.kind === 'record' && action.severity === 'loud')).toEqual([]);
  });

  it('is left alone again as soon as orders may rest, and that it dies is an alarm like any other', () => {
    const guardian = watching();
    pulls(guardian, 6_000);
    guardian.look({ heartbeat: beat(1_000) });
    expect(guardian.mind.alarm).toBeNull();
    pulls(guardian, 6_000, 2_000);
    const dead = beat(3_000, { nothingMayRest: true });
    guardian.lookFor(RULES.timeoutMs + LOOK_MS, { heartbeat: dead, traderGone: true });
    expect(guardian.timesOf('leave-mark')).toHaveLength(1);
    expect(guardian.mind.alarm?.cause).toBe('silence');
  });

  it('may end in order', () => {
    const guardian = watching();
    pulls(guardian, 6_000);
    expect(guardian.lookFor(1_000, { heartbeat: beat(1_000, { phase: 'ended', mayRest: false }) })).toContain('end');
  });
});

describe('canceling', () => {
  it('is secured by two rounds in a row, seconds apart, that found nothing', () => {
    const guardian = watching();
    const results = ['canceled', 'empty', 'canceled', 'empty', 'empty'] as const;
    let at = 0;
    guardian.rounds = () => results[at++] ?? 'empty';
    const states: string[] = [];
    for (; at < results.length; guardian.look(still)) states.push(describeState(guardian.mind).state);
    expect(describeState(guardian.mind).state).toBe('secured');
    const rounds = guardian.timesOf('cancel');
    expect((rounds[4] ?? 0) - (rounds[3] ?? 0)).toBe(2_000);
    expect(new Set(states)).toEqual(new Set(['watching', 'canceling']));
  });

  it('goes on for ever while the exchange does not answer, at most every second, at least every 15 s', () => {
    const guardian = watching();
    guardian.rounds = () => 'failed';
    guardian.lookFor(3_600_000, gone);
    const rounds = guardian.timesOf('cancel');
    const pauses = rounds.slice(1).map((atMs, i) => atMs - (rounds[i] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(15_250);
    expect(rounds.length).toBeGreaterThan(230);
    expect(guardian.timesOf('end')).toEqual([]);
  });

  it('looks again as long as the stopped process may wake', () => {
    const guardian = watching();
    guardian.lookFor(3_600_000, still);
    expect(cancels(guardian)).toBeGreaterThan(300);
    expect(guardian.timesOf('end')).toEqual([]);
  });

  it('never asks for a second round while one is under way', () => {
    let mind = decide(FRESH_MIND, RULES, look(0, beat(1))).mind;
    const kinds: string[] = [];
    // The round of the first alarm never returns, and the heartbeat starts and stops in between.
    for (let nowMs = 250; nowMs < 120_000; nowMs += 250) {
      const decision = decide(mind, RULES, look(nowMs, beat(Math.floor(nowMs / 20_000))));
      mind = decision.mind;
      kinds.push(...decision.actions.map(({ kind }) => kind));
    }
    expect(kinds.filter((kind) => kind === 'leave-mark').length).toBeGreaterThan(3);
    expect(kinds.filter((kind) => kind === 'cancel')).toHaveLength(1);
  });
});

const look = (nowMs: number, heartbeat: ReturnType<typeof beat>) =>
  ({ kind: 'look', nowMs, heartbeat, ageMs: 0, traderGone: false, ledgerGone: false }) as const;

describe('a guardian ends', () => {
  const ended = beat(21, { phase: 'ended', mayRest: false });
  const paper = { paperPatienceMs: 600_000 };
  type Step = (one: Driven) => void;
  const ask: Step = (one) => void one.see({ kind: 'ask-to-end', nowMs: one.nowMs });
  const fail: Step = (one) => (one.rounds = () => 'failed');
  const cancel: Step = (one) => (one.rounds = () => 'canceled');
  const look =
    (seen: Seen, ms = LOOK_MS): Step =>
    (one) =>
      void one.lookFor(ms, seen);
  const inVain = { heartbeat: beat(1, { run: 'two', phase: 'starting', mayRest: false }), traderGone: true };

  it.each<[string, Partial<GuardianRules>, Step[], boolean]>([
    ['when the trader ended in order', {}, [look({ heartbeat: ended })], true],
    ['not when it stays', { stays: true }, [look({ heartbeat: ended }, 600_000)], false],
    ['when asked to, while the heart beats', {}, [ask, look({ heartbeat: beat(21) })], true],
    ['not when asked to in an alarm', {}, [fail, look(still, 9_000), ask, look(still, 600_000)], false],
    ['when asked to and left to others', {}, [cancel, look(leased, 200_000), ask, look(leased)], true],
    ['when asked to and secured', {}, [look(still, 12_000), ask, look(still)], true],
    ['a minute and a half after the last order, when the trader is gone', {}, [look(gone, 109_000)], true],
    ['not sooner', {}, [look(gone, 97_000)], false],
    ['when a paper trader’s ledger is gone', paper, [look({ ...still, ledgerGone: true })], true],
    ['not when a real trader’s ledger is gone', {}, [look({ ...still, ledgerGone: true }, 60_000)], false],
    ['when a paper exchange has not answered for ten minutes', paper, [fail, look(gone, 630_000)], true],
    ['when a start came to nothing and nothing rests', {}, [look(inVain)], true],
  ])('%s', (_, rules, steps, ends) => {
    const guardian = watching(rules);
    for (const step of steps) step(guardian);
    expect(guardian.timesOf('end').length > 0).toBe(ends);
  });

  it('or idles, when it stays, once the trader is gone and nothing came to rest', () => {
    const guardian = watching({ stays: true });
    guardian.lookFor(3_600_000, gone);
    expect(describeState(guardian.mind).state).toBe('watching');
    const rounds = cancels(guardian);
    expect(guardian.lookFor(3_600_000, gone)).toEqual([]);
    expect(rounds).toBeLessThan(15);
  });
});

describe('for any heartbeat', () => {
  const pauses = fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1, maxLength: 60 });
  /** Checks are late on a busy machine. */
  const lateness = fc.integer({ min: 0, max: 700 });

  it('an alarm is raised exactly when a pause is as long as the time-out, give or take one look', () =>
    fc.assert(
      fc.property(pauses, lateness, fc.boolean(), (gaps, lateMs, traderGone) => {
        const stepMs = LOOK_MS + lateMs;
        const guardian = new Driven({ stays: true });
        let count = 0;
        for (const gapMs of gaps) {
          count += 1;
          const before = guardian.timesOf('leave-mark').length;
          const startMs = guardian.nowMs;
          while (guardian.nowMs + stepMs <= startMs + gapMs)
            guardian.look({ heartbeat: beat(count), traderGone }, stepMs);
          const raised = guardian.timesOf('leave-mark').length > before;
          if (gapMs < RULES.timeoutMs) expect(raised).toBe(false);
          if (gapMs >= RULES.timeoutMs + 3 * stepMs) expect(raised).toBe(true);
        }
      }),
      { numRuns: 300 },
    ));

  it('whatever rounds come to, an alarm is not given up while something may rest', () => {
    const outcomes = fc.array(fc.constantFrom('empty', 'canceled', 'failed'), { maxLength: 60 });
    fc.assert(
      fc.property(outcomes, (given) => {
        const guardian = watching();
        const left = [...given];
        const seen: string[] = [];
        guardian.rounds = () => {
          const next = left.shift() ?? 'failed';
          seen.push(next);
          return next;
        };
        const endMs = guardian.nowMs + 900_000;
        while (guardian.nowMs < endMs && guardian.timesOf('end').length === 0) guardian.look(gone);
        if (guardian.timesOf('end').length > 0) expect(seen.slice(-2)).toEqual(['empty', 'empty']);
      }),
      { numRuns: 50 },
    );
  });
});

const DAYS = times(10, 30);

it(`${DAYS} days of an ordinary trader raise no alarm: pauses, slow disks, restarts, crashes that are mended at once, suspends, clock steps`, () => {
  const { done, had } = ordinaryDays(DAYS, 20_261_121);
  expect(done, JSON.stringify([...had])).toEqual([]);
  // Each kind must have happened, or the test proves nothing.
  expect([...had.keys()].sort()).toEqual(['clock', 'crash', 'disk', 'pause', 'restart', 'suspend']);
  expect(had.get('pause')).toBeGreaterThan(33 * DAYS);
});
