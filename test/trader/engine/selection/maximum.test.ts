/** A strategy quotes at most `max` markets, also while markets close and reopen. */

import { expect, it } from 'vitest';
import type { Outcome } from '../../../../src/shared/protocol/seam.js';
import { observeReport } from '../../../../src/trader/engine/observe.js';
import type { MarketSelection } from '../../../../src/trader/engine/settings.js';
import { openMemoryLedger } from '../../../../src/trader/ledger/ledger.js';
import { at, detail } from '../../market/fixtures.js';
import { settingsOf, stateOf, strategyOf } from '../played-trader.js';

/** A trader that selects its markets from a, b and c. The result passes a minute in which one market is closed. */
function selecting(selection: Partial<MarketSelection>) {
  const strategy = strategyOf([]);
  const strategies = [{ ...strategy, markets: { ...strategy.markets, ...selection } }];
  const state = stateOf(openMemoryLedger(), settingsOf({ strategies }));
  const call = { endpoint: 'markets.list', query: { state: 'open' } } as const;
  const poll = { owner: { kind: 'poll', target: { kind: 'catalog' } }, call } as never;
  let nowMs = 0;
  return (closed: string): string[] => {
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
    return ['a', 'b', 'c'].filter((id) => id !== closed && isQuoted(id));
  };
}

it.each([
  [
    'the list',
    { max: 2 },
    [
      ['a', 'b'],
      ['b', 'c'],
      ['b', 'c'],
      ['a', 'c'],
    ],
  ],
  ['more candidates than it quotes', { max: 1, candidates: 3 }, [['a'], ['b'], ['b'], ['a']]],
])('a strategy that selects from %s quotes a reopened market only in a free place', (_, selection, quoted) => {
  expect(['', 'a', '', 'b'].map(selecting(selection))).toEqual(quoted);
});
