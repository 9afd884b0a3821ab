import { describe, expect, it } from 'vitest';
import { obey } from '../../../../src/trader/engine/control/commands.js';
import { Modes } from '../../../../src/trader/engine/control/modes.js';
import type { StrategySettings } from '../../../../src/trader/engine/settings.js';
import { makeSnapshot } from '../../../../src/trader/engine/snapshot.js';
import { openMemoryLedger } from '../../../../src/trader/ledger/ledger.js';
import { detail } from '../../market/fixtures.js';
import { settingsOf, stateOf, strategyOf } from '../played-trader.js';

/** A trader that quotes the markets m1 and m2. */
function newTrader() {
  const state = stateOf(openMemoryLedger(), settingsOf({ strategies: [strategyOf(['m1', 'm2'])] }));
  const bound = (hold: string | null, markets: readonly string[]) =>
    state.ledger.transaction(() => obey(state, { kind: 'fleet', hold, markets, foreign: [] }, 0));
  return { state, bound };
}

describe('a trader in a fleet', () => {
  it('wants a market that a second strategy is to quote, though the first strategy has not selected it', () => {
    const listed = strategyOf(['m1']);
    const byValue = { ...listed, name: 'by value', markets: { ...listed.markets, choose: 'value' as const } };
    const shown = (strategies: StrategySettings[]) =>
      makeSnapshot(stateOf(openMemoryLedger(), settingsOf({ strategies })), 0).markets[0]?.leftOutBecause;
    expect(shown([byValue])).toMatch(/not chosen/);
    expect(shown([byValue, listed])).toBeNull();
  });

  it('quotes where it was told that a market is its own, and a trader by itself everywhere', () => {
    const { state, bound } = newTrader();
    const slots = ['m1', 'm2'].flatMap((id) => state.markets.listSlots(id));
    for (const slot of slots) slot.dirty = false;
    expect(state.safety.whyPaused('m1')).toBeUndefined();
    bound(null, ['m1']);
    expect(state.safety.whyPaused('m1')).toBeUndefined();
    expect(state.safety.whyPaused('m2')).toMatch(/wallet has not claimed/);
    expect([slots.map(({ dirty }) => dirty), state.notices.take()]).toEqual([[true, true], []]);
  });

  it.each([
    ['from the venue’s list', { ids: [], max: 2 }],
    ['from its own list', { ids: ['a', 'b', 'c'], max: 2, candidates: 3 }],
  ])('quotes another market, chosen %s, in place of one that another wallet has claimed', (_, selection) => {
    const strategy = strategyOf([]);
    const strategies = [{ ...strategy, markets: { ...strategy.markets, ...selection } }];
    const state = stateOf(openMemoryLedger(), settingsOf({ strategies }));
    const rows = ['a', 'b', 'c'].map((id) => detail({ condition_id: id, state: 'open' }));
    let nowMs = 0;
    const quotedBeside = (foreign: readonly string[]) => {
      state.ledger.transaction(() => obey(state, { kind: 'fleet', hold: null, markets: [], foreign }, nowMs));
      state.markets.onCatalog(rows as never, state.safety.fleet?.foreign);
      nowMs += 60_000;
      state.selection.look(state, nowMs);
      const { markets } = makeSnapshot(state, nowMs);
      return markets.flatMap((one) =>
        one.strategies.length > 0 && one.leftOutBecause === null ? one.conditionId : [],
      );
    };
    expect([[], ['a'], [], ['b', 'c']].map(quotedBeside)).toEqual([['a', 'b'], ['b', 'c'], ['b', 'c'], ['a']]);
  });

  it('says once that its wallet may be another’s soon, and once that it is not', () => {
    const { state, bound } = newTrader();
    for (const hold of [null, 'away', 'away for long', null, null]) bound(hold, []);
    const said = state.notices.take().map(({ severity, text }) => `${severity}: ${text}`);
    expect(said).toEqual(['loud: away', 'info: this trader holds the lease on the wallet again']);
  });

  it('lets nothing leave meanwhile, not even a flatten, and leaves stricter modes as they are', () => {
    const stops = { halted: null, reducing: null, widened: null };
    const modes = new Modes({});
    modes.isStarted = true;
    expect(modes.mode({ ...stops, fleet: 'away' })).toEqual({ mode: 'paused', reason: 'away' });
    expect(modes.mode({ ...stops, halted: 'lost', fleet: 'away' }).mode).toBe('halted');
    modes.apply({ kind: 'flatten' });
    expect(modes.mode(stops).mode).toBe('flattening');
    expect(modes.mode({ ...stops, fleet: 'away' })).toEqual({ mode: 'paused', reason: 'away' });
    modes.apply({ kind: 'kill', reason: 'why' });
    expect(modes.mode({ ...stops, fleet: 'away' }).mode).toBe('killed');
  });
});
