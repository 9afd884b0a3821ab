import { describe, expect, it } from 'vitest';
import { openServiceManager } from '../../../src/shell/daemon/supervisors.js';

const UNIT = { NOTIFY_SOCKET: '/run/systemd/notify', WATCHDOG_USEC: '30000000' };

function managed(env: Readonly<Record<string, string>> = UNIT) {
  const sent: string[] = [];
  let nowMs = 0;
  const manager = openServiceManager({
    env,
    warn: () => undefined,
    clockMs: () => nowMs,
    send: (message) => sent.push(message),
  });
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { manager, pass, taken: () => sent.splice(0) };
}

describe('what systemd is told', () => {
  it('is nothing without its socket', () => {
    expect(managed({}).manager).toBeNull();
    expect(managed({ NOTIFY_SOCKET: '' }).manager).toBeNull();
  });

  it('is that the trader is ready, and then that it stops', () => {
    const { manager, taken } = managed();
    expect(taken()).toEqual([]);
    manager?.ready();
    manager?.stopping();
    expect(taken()).toEqual(['READY=1', 'STOPPING=1']);
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
});
