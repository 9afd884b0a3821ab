/** An operator within a backtest: what is ordered at a moment is in force from then on. */

import { expect, it } from 'vitest';
import { runBacktest } from '../../../src/lab/backtest/run.js';
import { plan } from './plans.js';
import { FIRST_MS, source, wanderingRows } from './recordings.js';

const MINUTE_MS = 60_000;
const rows = wanderingRows(3, 8);

it('nothing is filled while the trader is paused, and trading goes on when it is resumed', async () => {
  const [fromMs, toMs] = [FIRST_MS + 2 * MINUTE_MS, FIRST_MS + 5 * MINUTE_MS];
  const reason = 'the test';
  const commands = [
    { atMs: fromMs, command: { kind: 'pause', reason } },
    { atMs: toMs, command: { kind: 'resume', reason } },
  ] as const;
  const { session } = await runBacktest({ ...plan([source(rows)], { fillModel: 'optimistic' }), commands });
  const times = session.markets.flatMap(({ fills }) => fills.map(({ timeMs }) => timeMs));
  // Cancels are two round trips away.
  expect(times.filter((timeMs) => timeMs > fromMs + 2_000 && timeMs < toMs)).toEqual([]);
  expect(times.filter((timeMs) => timeMs < fromMs).length).toBeGreaterThan(0);
  expect(times.filter((timeMs) => timeMs > toMs).length).toBeGreaterThan(0);
});

it('a stop ends the run once nothing rests, whatever is recorded beyond', async () => {
  const stopMs = FIRST_MS + 3 * MINUTE_MS;
  const commands = [{ atMs: stopMs, command: { kind: 'stop' } }] as const;
  const { session } = await runBacktest({ ...plan([source(rows)], { fillModel: 'optimistic' }), commands });
  expect(session.toMs).toBeGreaterThan(stopMs);
  expect(session.toMs).toBeLessThan(stopMs + 30_000);
  expect(session.notices.filter(({ text }) => text.includes('come to rest'))).toEqual([]);
  expect(session.markets[0]?.fills.length).toBeGreaterThan(0);
});
