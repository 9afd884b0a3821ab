import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../../src/shared/protocol/seam.js';
import { obey } from '../../../../src/trader/engine/control/commands.js';
import { Modes } from '../../../../src/trader/engine/control/modes.js';
import { observeReport } from '../../../../src/trader/engine/observe.js';
import { makeEventView } from '../../../../src/trader/engine/quoting/event-turns.js';
import type { MarketSelection, StrategySettings, TraderSettings } from '../../../../src/trader/engine/settings.js';
import { makeSnapshot } from '../../../../src/trader/engine/snapshot.js';
import { openMemoryLedger } from '../../../../src/trader/ledger/ledger.js';
import { NO_QUOTES, type Strategy } from '../../../../src/trader/strategy/strategy.js';
import { at, detail } from '../../market/fixtures.js';
import { m, ONE } from '../../risk/states.js';
import { settingsOf, stateOf, strategyOf, strategyWith } from '../played-trader.js';

/** A trader that quotes the markets m1 and m2. */
function newTrader() {
  const state = stateOf(openMemoryLedger(), settingsOf({ strategies: [strategyOf(['m1', 'm2'])] }));
  const bound = (hold: string | null, markets: readonly string[]) =>
    state.ledger.transaction(() => obey(state, { kind: 'fleet', hold, markets, foreign: [] }, 0));
  return { state, bound };
}

/** A trader that selects its markets from a, b and c, of event E. `quotedBeside`: its markets beside those of others. */
function besideOthers(selection: Partial<MarketSelection>, module?: Strategy, events: TraderSettings['events'] = []) {
  const strategy = strategyOf([], module);
  const strategies = [{ ...strategy, markets: { ...strategy.markets, ...selection } }];
  const state = stateOf(openMemoryLedger(), settingsOf({ strategies, events }));
  const rows = ['a', 'b', 'c'].map((id) => detail({ condition_id: id, state: 'open' }));
  const request = { endpoint: 'markets.list', query: { state: 'open' } } as const;
  const poll = { owner: { kind: 'poll', target: { kind: 'catalog' } }, call: request } as never;
  let nowMs = 0;
  const quotedBeside = (foreign: readonly string[]) => {
    nowMs += 60_000;
    state.ledger.transaction(() => {
      obey(state, { kind: 'fleet', hold: null, markets: [], foreign }, nowMs);
      const outcome: Outcome = { kind: 'answered', data: rows as never, nextCursor: null };
      observeReport(state, { request: poll, outcome, nowMs, sentMs: nowMs, venueTimeMs: nowMs });
      for (const row of rows) {
        const entry = state.markets.get(row.condition_id);
        if (entry !== undefined) state.markets.onDetail(entry, row, at(nowMs));
      }
      state.markets.forget((id) => state.account.isOurs(id));
      state.selection.look(state, nowMs);
    });
    const { markets } = makeSnapshot(state, nowMs);
    return markets.flatMap((one) => (one.strategies.length > 0 && one.leftOutBecause === null ? one.conditionId : []));
  };
  return { state, quotedBeside };
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
    const { quotedBeside } = besideOthers(selection);
    expect([[], ['a'], [], ['b', 'c']].map(quotedBeside)).toEqual([['a', 'b'], ['b', 'c'], ['b', 'c'], ['a']]);
  });

  it('keeps the strategy of a market in which its wallet holds shares, while another wallet has claimed it', () => {
    const { quotedBeside, state } = besideOthers({ ids: [], max: 1 });
    const amounts = { ledgerMicros: m(0), exchangeMicros: m(ONE), restMicros: m(ONE), restWorthMicros: m(0) };
    const market = { marketConditionId: 'a', isYes: true, recorded: [] };
    state.ledger.transaction(() => state.ledger.adopt({ ...market, ...amounts }, 'why', 0));
    expect([[], ['a'], []].map(quotedBeside)).toEqual([['a'], ['a'], ['a']]);
  });

  it('saves what a strategy has learned in a market before another strategy of the fleet quotes it', () => {
    const create = () => ({ quote: () => NO_QUOTES('nothing'), save: () => 'learned' });
    const module = { ...strategyWith(create().quote), state: { version: 1 }, create };
    const { quotedBeside, state } = besideOthers({ ids: [], max: 1 }, module);
    quotedBeside([]);
    expect(quotedBeside(['a'])).toEqual(['b']);
    expect(state.ledger.strategyState('tested', 'a', 1)?.text).toBe('"learned"');
  });

  it('knows the prices of the other outcomes of its event that another wallet quotes', () => {
    const module = { ...strategyWith(() => NO_QUOTES('nothing')), inputs: { event: true as const } };
    const event = { eventConditionId: 'E', outcomes: 'exhaustive', marketConditionIds: ['a', 'b', 'c'] } as const;
    const { quotedBeside, state } = besideOthers({ ids: [], max: 1 }, module, [event]);
    const shown = (foreign: readonly string[]) => {
      const quoted = quotedBeside(foreign);
      const [entry] = quoted.flatMap((id) => state.markets.get(id) ?? []);
      const view = entry === undefined ? null : makeEventView(state, entry, 0);
      return [...quoted, ...(view?.siblings ?? []).map(({ conditionId }) => `and ${conditionId}`)];
    };
    expect([[], ['b'], ['a', 'b']].map(shown)).toEqual([['a'], ['a', 'and b'], ['c', 'and a', 'and b']]);
    shown(['a', 'b', 'c']);
    expect([...state.markets.all]).toEqual([]);
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
