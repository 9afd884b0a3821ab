import { describe, expect, it } from 'vitest';
import { Random } from '../../src/base/random.js';
import type { Action } from '../../src/guardian/contract.js';
import { decide, FRESH_MIND } from '../../src/guardian/decide.js';
import { Driven, LOOK_MS, RULES } from './looks.js';
import { type Disturbance, VirtualTrader } from './virtual-trader.js';

const DAY_MS = 86_400_000;
/** Twice as seldom as it looks: seldom looks are the harder case. */
const LATE_LOOK_MS = 2 * LOOK_MS;

describe('thirty days of an ordinary trader', () => {
  it('raise no alarm: pauses, slow disks, restarts, crashes that are mended at once, suspends, clock steps', () => {
    const random = Random.seeded(20_261_121, 'thirty days');
    const trader = new VirtualTrader(random);
    const rules = { ...RULES, stays: true };
    const had = new Map<Disturbance, number>();
    let mind = FRESH_MIND;
    let nowMs = 0;
    const done: Action[] = [];
    for (let wallMs = 0; wallMs < 30 * DAY_MS && done.length === 0; ) {
      const { passedMs, heardMs, disturbance } = trader.next(LATE_LOOK_MS);
      wallMs += passedMs;
      nowMs += heardMs;
      if (disturbance !== null) had.set(disturbance, (had.get(disturbance) ?? 0) + 1);
      const { heartbeat, isGone: traderGone } = trader;
      const decision = decide(mind, rules, { kind: 'look', nowMs, heartbeat, traderGone, ledgerGone: false });
      mind = decision.mind;
      done.push(...decision.actions);
    }
    expect(done, JSON.stringify([...had])).toEqual([]);
    // Each kind has happened, or nothing was tried.
    expect([...had.keys()].sort()).toEqual(['clock', 'crash', 'disk', 'pause', 'restart', 'suspend']);
    expect(had.get('pause')).toBeGreaterThan(1_000);
  });

  it.each(['killed', 'stopped', 'blocked', 'file gone'] as const)(
    'and whenever it is %s, it is found within 15 s',
    (kind) => {
      const random = Random.seeded(7, kind);
      let longestMs = 0;
      for (let trial = 0; trial < 300; trial++) {
        const trader = new VirtualTrader(random);
        const guardian = new Driven({ stays: true });
        const look = () => {
          const { heardMs } = trader.next(LOOK_MS + random.below(300));
          guardian.look({ heartbeat: trader.heartbeat, traderGone: trader.isGone }, heardMs);
        };
        for (let looks = 40 + random.below(2_000); looks > 0 || !trader.isTrading; looks--) look();
        expect(guardian.done).toEqual([]);
        const stoppedMs = guardian.nowMs;
        const last = trader.heartbeat;
        while (guardian.firstMs('cancel') === null && guardian.nowMs < stoppedMs + 60_000) {
          guardian.look(
            { heartbeat: kind === 'file gone' ? null : last, traderGone: kind === 'killed' },
            LOOK_MS + random.below(300),
          );
        }
        longestMs = Math.max(longestMs, (guardian.firstMs('cancel') ?? Number.POSITIVE_INFINITY) - stoppedMs);
      }
      expect(longestMs).toBeLessThan(RULES.timeoutMs + 2_000);
      expect(longestMs).toBeLessThan(15_000);
    },
  );
});
