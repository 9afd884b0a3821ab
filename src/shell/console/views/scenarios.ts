/** Value of each event's holdings for each way it could resolve: holdings only, without open orders. */

import { add, formatDecimal, type Micros, minMicros, sub, ZERO } from '../../../shared/base/micros.js';
import type { LedgerReader } from '../../../trader/ledger/contract.js';
import type { TraderState } from '../trader-state.js';
import { type Held, readHoldings } from './money-view.js';
import { makeTitleLookup } from './texts.js';

const MOST_ROWS = 200;

interface Holding extends Held {
  readonly market: string;
}

/** Worst first within an event; events by their worst case. */
export function listScenarios(trader: TraderState, ledger: LedgerReader) {
  const title = makeTitleLookup(trader, ledger);
  const events = new Map<string, Holding[]>();
  for (const [market, held] of readHoldings(ledger, trader)) {
    const event = trader.markets.get(market)?.eventId ?? ledger.market(market)?.eventConditionId ?? market;
    events.set(event, [...(events.get(event) ?? []), { ...held, market }]);
  }
  return [...events.values()]
    .map((held) => eventScenarios(held, title))
    .sort((a, b) => Number(a[0]?.result) - Number(b[0]?.result))
    .flat()
    .slice(0, MOST_ROWS);
}

function eventScenarios(held: readonly Holding[], title: (market: string) => string) {
  const cost = held.reduce((sum, one) => add(sum, one.cost), ZERO);
  // At marks; null while one is missing.
  const value = held.reduce<Micros | null>(
    (sum, one) => (sum === null || one.unrealised === null ? null : add(sum, add(one.cost, one.unrealised))),
    ZERO,
  );
  const event = held.map(({ market }) => title(market)).join(' · ');
  const describe = (scenario: string, pays: (holding: Holding) => Micros) => {
    const paid = held.reduce((sum, one) => add(sum, pays(one)), ZERO);
    const fromNow = value === null ? '' : formatDecimal(sub(paid, value));
    return { event, scenario, result: formatDecimal(sub(paid, cost)), from_now: fromNow };
  };
  const isAlone = held.length === 1;
  const found = [
    ...held.map((yes) =>
      describe(isAlone ? 'YES' : `only ${title(yes.market)}: YES`, (one) => (one === yes ? one.yes : one.no)),
    ),
    describe(isAlone ? 'NO' : 'none of these: YES', ({ no }) => no),
    ...(isAlone ? [] : [describe('each at its worst', ({ yes, no }) => minMicros(yes, no))]),
  ];
  return found.sort((a, b) => Number(a.result) - Number(b.result));
}
