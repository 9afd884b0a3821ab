import { describe, expect, it } from 'vitest';
import { Modes } from '../../../../src/trader/engine/control/modes.js';
import { pausedBecause, setFleetBounds } from '../../../../src/trader/engine/control/pauses.js';

const newState = () => {
  const said: string[] = [];
  const asked: string[] = [];
  return {
    said,
    asked,
    fleet: null,
    markets: { all: [{ conditionId: 'm1' }, { conditionId: 'm2' }] },
    pauses: { findReason: () => undefined },
    unreadMarkets: { findReason: () => undefined },
    requestRequote: (id: string) => void asked.push(id),
    notify: (_: number, __: string, text: string) => void said.push(`note: ${text}`),
    alert: (_: number, __: string, text: string) => void said.push(`loud: ${text}`),
  };
};

describe('a trader in a fleet', () => {
  it('quotes where it was told that a market is its own, and a trader by itself everywhere', () => {
    const state = newState();
    expect(pausedBecause(state, 'm1')).toBeUndefined();
    setFleetBounds(state, { kind: 'fleet', hold: null, markets: ['m1'] }, 0);
    expect(pausedBecause(state, 'm1')).toBeUndefined();
    expect(pausedBecause(state, 'm2')).toMatch(/another wallet of the fleet has this market/);
    expect([state.asked, state.said]).toEqual([['m1', 'm2'], []]);
  });

  it('says once that its wallet may be another’s soon, and once that it is not', () => {
    const state = newState();
    for (const hold of [null, 'away', 'away for long', null, null]) {
      setFleetBounds(state, { kind: 'fleet', hold, markets: [] }, 0);
    }
    expect(state.said).toEqual(['loud: away', 'note: the wallet is surely ours again']);
  });

  it('lets nothing leave meanwhile, not even a flatten, and leaves stricter modes as they are', () => {
    const stops = { halted: null, reducing: null, widened: null };
    const modes = new Modes({});
    modes.onStart();
    expect(modes.mode({ ...stops, fleet: 'away' })).toEqual({ mode: 'paused', reason: 'away' });
    expect(modes.mode({ ...stops, halted: 'lost', fleet: 'away' }).mode).toBe('halted');
    modes.apply({ kind: 'flatten' });
    expect(modes.mode(stops).mode).toBe('flattening');
    expect(modes.mode({ ...stops, fleet: 'away' })).toEqual({ mode: 'paused', reason: 'away' });
    modes.apply({ kind: 'kill', reason: 'why' });
    expect(modes.mode({ ...stops, fleet: 'away' }).mode).toBe('killed');
  });
});
