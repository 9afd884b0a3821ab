/** What each event's holdings would come to if it resolved one way or another: holdings alone, without what still works. */

import { formatDecimal } from '../../../shared/base/decimal.js';
import { add, complement, type Micros, minMicros, mul, sub, ZERO } from '../../../shared/base/micros.js';
import type { LedgerReader } from '../../../trader/ledger/contract.js';
import type { ScenarioRow } from '../../dashboard/views.js';
import type { TraderState } from '../trader-state.js';
import { makeTitleLookup } from './texts.js';

const MOST_ROWS = 200;

interface Holding {
  readonly market: string;
  yes: Micros;
  no: Micros;
  cost: Micros;
}

/** Worst first within an event, events by their worst. */
export function listScenarios(trader: TraderState, ledger: LedgerReader): readonly ScenarioRow[] {
  const title = makeTitleLookup(trader, ledger);
  const events = new Map<string, Holding[]>();
  for (const holding of readHoldings(ledger)) {
    const { market } = holding;
    const event = trader.markets.get(market)?.event ?? ledger.market(market)?.eventConditionId ?? market;
    events.set(event, [...(events.get(event) ?? []), holding]);
  }
  return [...events.values()]
    .map((held) => eventScenarios(held, trader, title))
    .sort((a, b) => (a[0]?.resultMicros ?? 0) - (b[0]?.resultMicros ?? 0))
    .flat()
    .slice(0, MOST_ROWS)
    .map(({ event, scenario, resultMicros, fromNowMicros }) => ({
      event,
      scenario,
      result: formatDecimal(resultMicros),
      from_now: fromNowMicros === null ? '' : formatDecimal(fromNowMicros),
    }));
}

interface Scenario {
  readonly event: string;
  readonly scenario: string;
  readonly resultMicros: Micros;
  readonly fromNowMicros: Micros | null;
}

function eventScenarios(held: readonly Holding[], trader: TraderState, title: (market: string) => string): Scenario[] {
  const cost = held.reduce((sum, one) => add(sum, one.cost), ZERO);
  const value = priceHoldings(held, trader);
  const event = held.map(({ market }) => title(market)).join(' · ');
  const scenario = (name: string, pays: (holding: Holding) => Micros): Scenario => {
    const paid = held.reduce((sum, one) => add(sum, pays(one)), ZERO);
    return { event, scenario: name, resultMicros: sub(paid, cost), fromNowMicros: value && sub(paid, value) };
  };
  const isAlone = held.length === 1;
  const found = [
    ...held.map((yes) =>
      scenario(isAlone ? 'YES' : `only ${title(yes.market)}: YES`, (one) => (one === yes ? one.yes : one.no)),
    ),
    scenario(isAlone ? 'NO' : 'none of these: YES', ({ no }) => no),
    ...(isAlone ? [] : [scenario('each at its worst', ({ yes, no }) => minMicros(yes, no))]),
  ];
  return found.sort((a, b) => a.resultMicros - b.resultMicros);
}

/** At the trader's marks; null while one is missing. */
function priceHoldings(held: readonly Holding[], { markets }: TraderState): Micros | null {
  let value = ZERO;
  for (const { market, yes, no } of held) {
    const mark = (markets.get(market)?.mark_micros ?? null) as Micros | null; // as the trader told it
    if (mark === null) return null;
    value = add(value, add(mul(mark, yes, 'floor'), mul(complement(mark), no, 'floor')));
  }
  return value;
}

function readHoldings(ledger: LedgerReader): readonly Holding[] {
  const held = new Map<string, Holding>();
  for (const { marketConditionId: market, isYes, sharesMicros, costMicros } of ledger.positions()) {
    const holding = held.get(market) ?? { market, yes: ZERO, no: ZERO, cost: ZERO };
    if (isYes) holding.yes = sharesMicros;
    else holding.no = sharesMicros;
    holding.cost = add(holding.cost, costMicros);
    held.set(market, holding);
  }
  return [...held.values()];
}
