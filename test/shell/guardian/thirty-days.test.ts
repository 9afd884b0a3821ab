import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/shared/base/random.js';
import { times } from '../../support/effort.js';
import { Driven, LOOK_MS, RULES } from './looks.js';
import { ordinaryDays, VirtualTrader } from './virtual-trader.js';

const DAYS = times(10, 30);

describe(`${DAYS} days of an ordinary trader`, () => {
  it('raise no alarm: pauses, slow disks, restarts, crashes that are mended at once, suspends, clock steps', () => {
    const { done, had } = ordinaryDays(DAYS, 20_261_121);
    expect(done, JSON.stringify([...had])).toEqual([]);
    // Each kind has happened, or nothing was tried.
    expect([...had.keys()].sort()).toEqual(['clock', 'crash', 'disk', 'pause', 'restart', 'suspend']);
    expect(had.get('pause')).toBeGreaterThan(33 * DAYS);
  });

  it.each(['killed', 'stopped', 'blocked', 'file gone'] as const)(
    'and whenever it is %s, it is found within 15 s',
    (kind) => {
      const random = Random.fromSeed(7, kind);
      let longestMs = 0;
      for (let trial = 0; trial < times(30, 300); trial++) {
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
