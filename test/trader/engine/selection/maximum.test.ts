/** A strategy quotes at most `max` markets, also while markets close and reopen. */

import { expect, it } from 'vitest';
import type { Outcome } from '../../../../src/shared/protocol/seam.js';
import { observeReport } from '../../../../src/trader/engine/observe.js';
import type { MarketSelection } from '../../../../src/trader/engine/settings.js';
import { openMemoryLedger } from '../../../../src/trader/ledger/ledger.js';
import { at, detail } from '../../market/fixtures.js';
import { START_MS, settingsOf, stateOf, strategyOf, strategyWith, wish } from '../played-trader.js';
import { Life } from '../quoting/life.js';

/** A trader that selects its markets from a, b and c. The result passes a minute in which one market is closed. */
function selecting(selection: Partial<MarketSelection>) {
  const strategy = strategyOf([]);
  const strategies = [{ ...strategy, markets: { ...strategy.markets, ...selection } }];
  const state = stateOf(openMemoryLedger(), settingsOf({ strategies }));
  const call = { endpoint: 'markets.list', query: { state: 'open' } } as const;
  const poll = { owner: { kind: 'poll', target: { kind: 'catalog' } }, call } as never;
  let nowMs = 0;
  return (closed: string): string => {
    nowMs += 60_000;
    const rows = ['a', 'b', 'c'].map((id) =>
      detail({ condition_id: id, state: id === closed ? 'interrupted' : 'open' }),
    );
    state.ledger.transaction(() => {
      for (const row of rows) {
        const entry = state.markets.get(row.condition_id);
        if (entry !== undefined) state.markets.onDetail(entry, row, at(nowMs));
      }
      // The replacement of a closed market has its place before the closed market reopens.
      state.selection.look(state, nowMs - 10_000);
      const data = rows.filter((row) => row.state === 'open') as never;
      const outcome: Outcome = { kind: 'answered', data, nextCursor: null };
      observeReport(state, { request: poll, outcome, nowMs, sentMs: nowMs, venueTimeMs: nowMs });
      state.selection.look(state, nowMs);
    });
    const isQuoted = (id: string) => state.markets.listSlots(id).some(({ leftOutBecause }) => leftOutBecause === null);
    return ['a', 'b', 'c'].filter((id) => id !== closed && isQuoted(id)).join('');
  };
}

it.each([
  ['the list', { max: 2 }, ['ab', 'bc', 'bc', 'ac']],
  ['more candidates than it quotes', { max: 1, candidates: 3 }, ['a', 'b', 'b', 'a']],
])('a strategy that selects from %s quotes a reopened market only in a free place', (_, selection, quoted) => {
  expect(['', 'a', '', 'b'].map(selecting(selection))).toEqual(quoted);
});

it('a strategy that selects by value keeps its markets, and replaces a market that is paused for ten minutes', () => {
  let ids = ['a', 'b', 'c'];
  const module = strategyWith(() => wish(0.45, 0.35, 0.55));
  const life = new Life(module, ids);
  Object.assign(life.slot('a').strategy.markets, { max: 2, choose: 'value' });
  let minute = 0;
  const selectedAfter = (minutes: number) => {
    for (const end = minute + minutes; minute < end; minute++) life.step(START_MS + minute * 60_000, ids);
    return ids.filter((id) => life.slot(id).leftOutBecause === null);
  };
  expect([2, 1, 1, 1].map((minutes) => selectedAfter(minutes).length)).toEqual([2, 2, 2, 2]);
  const [paused = ''] = selectedAfter(0);
  life.ledger.transaction(() => life.state.safety.pauses.pauseByOperator(paused, 'news'));
  expect([9, 3].map((minutes) => selectedAfter(minutes).includes(paused))).toEqual([true, false]);
  // A selection from other markets only is again a first one.
  ids = ['d', 'e', 'f', 'g'];
  life.configure(({ markets }) => ({ markets: { ...markets, ids, max: 4 } }), START_MS + minute * 60_000);
  expect(selectedAfter(2).length).toBe(4);
});

it('a first selection waits for its books, and adds no market to another strategy, which adds two a minute', () => {
  const all = ['a', 'b', 'c', 'd', 'e', 'f'];
  const module = strategyWith(() => wish(0.45, 0.35, 0.55));
  const strategy = strategyOf([], module);
  const markets = (ids: readonly string[]) => ({ markets: { ...strategy.markets, ids, choose: 'value' as const } });
  const old = { ...strategy, ...markets(['c']) };
  const life = new Life(module, all, { strategies: [{ ...old, name: 'new', ...markets([]) }, old] });
  const selectedAt = (second: number) => {
    life.step(START_MS + second * 1000, all);
    return all.filter((id) => life.state.markets.listSlots(id)[0]?.leftOutBecause === null).join('');
  };
  expect([0, 5, 125].map(selectedAt)).toEqual(['', 'c', 'c']);
  life.configure(({ name }) => markets(name === 'new' ? ['a', 'b'] : all.slice(2)), START_MS);
  expect([130, 135, 190].map(selectedAt)).toEqual(['c', 'abc', 'abcde']);
});

it('a changed filter keeps the slots of markets that pass it, and a closed market takes no place', () => {
  const ids = ['a', 'b', 'c'];
  const strategies = ['one', 'two'].map((name) => ({ ...strategyOf(ids), name }));
  const life = new Life(strategyOf(ids).module, ids, { strategies });
  const { markets, settings } = life.state;
  life.step(START_MS, ids);
  const slots = ids.flatMap((id) => markets.listSlots(id));
  const keptBy = (selection: Partial<MarketSelection>) => {
    life.configure(({ markets: before }) => ({ markets: { ...before, ...selection } }), START_MS);
    return ids.filter((id) => markets.listSlots(id).some((slot) => slots.includes(slot))).join('');
  };
  life.state.settings = { ...settings, strategies: strategies.toReversed() };
  expect(keptBy({ ids: [], except: ['c'] })).toBe('ab');
  life.step(START_MS + 1, ['a'], 'resolved');
  expect(keptBy({ max: 1 })).toBe('ab');
  life.configure(({ name }) => ({ markets: strategyOf(name === 'one' ? ['b', 'd'] : []).markets }), START_MS);
  markets.onCatalog([detail({ condition_id: 'd' })] as never, () => false, START_MS);
  const slotOf = (name: string) => ({ strategy: { name } });
  for (const id of ['b', 'd']) expect(markets.listSlots(id)).toMatchObject(['two', 'one'].map(slotOf));
});
