import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openServiceManager } from '../../../src/shell/daemon/supervisors.js';

const UNIT = { NOTIFY_SOCKET: '/run/systemd/notify', WATCHDOG_USEC: '30000000' };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function managed(env: Readonly<Record<string, string>> = UNIT) {
  const sent: string[] = [];
  const warned: string[] = [];
  let nowMs = 0;
  const manager = openServiceManager({
    env,
    warn: (text) => warned.push(text),
    clockMs: () => nowMs,
    send: (message) => sent.push(message),
  });
  const pass = (ms: number) => {
    nowMs += ms;
    vi.advanceTimersByTime(ms);
  };
  return { manager, sent, warned, pass, taken: () => sent.splice(0) };
}

const LONGER = 'EXTEND_TIMEOUT_USEC=15000000';

describe('what systemd is told', () => {
  it('is nothing without its socket', () =>
    expect([managed({}).manager, managed({ NOTIFY_SOCKET: '' }).manager]).toEqual([null, null]));

  it('is asked for time until the trader is ready, and not after', () => {
    const { manager, pass, taken } = managed();
    pass(10_000);
    expect(taken()).toEqual([LONGER, LONGER, LONGER]);
    manager?.ready();
    pass(60_000);
    expect(taken()).toEqual(['READY=1']);
  });

  it('hears of work only after steps, three times in the time it waits', () => {
    const { manager, pass, taken } = managed();
    manager?.ready();
    taken();
    pass(60_000); // No field of this object shows that the core works.
    expect(taken()).toEqual([]);
    for (let step = 0; step < 300; step++) {
      manager?.step();
      pass(100);
    }
    expect(taken()).toEqual(['WATCHDOG=1', 'WATCHDOG=1', 'WATCHDOG=1']);
  });

  it('hears of no work where it does not watch, or watches another process', () => {
    for (const env of [{ NOTIFY_SOCKET: 'x' }, { ...UNIT, WATCHDOG_PID: '1' }]) {
      const { manager, taken } = managed(env);
      taken();
      manager?.step();
      expect(taken()).toEqual([]);
    }
  });

  it('waits while the trader cancels what rests', () => {
    const { manager, pass, taken } = managed();
    manager?.ready();
    taken();
    manager?.stopping();
    pass(5_000);
    expect(taken()).toEqual(['STOPPING=1', LONGER, LONGER]);
  });
});
