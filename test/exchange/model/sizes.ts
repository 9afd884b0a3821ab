/** Converts the small numbers of a drawn call to prices and amounts of a market's grid, with the call's flaw. */

import type { Call, Flaw } from './calls.js';
import { decimal } from './plain-rows.js';
import { buyLock, ONE, type PlainRules } from './plain-state.js';

interface Drawn {
  readonly cents: number;
  readonly ticks: number;
  readonly units: number;
  readonly lots: number;
}

interface Fields {
  price?: number;
  amount?: number;
  funds?: number;
}

export function sizeOf(drawn: Drawn, rules: PlainRules | null): { readonly price: number; readonly amount: number } {
  const tick = rules?.tick ?? 10_000;
  return { price: 500_000 + drawn.cents * 10_000 + drawn.ticks * tick, amount: amountOf(drawn, rules?.lot ?? ONE) };
}

function amountOf({ units, lots }: Pick<Drawn, 'units' | 'lots'>, lot: number): number {
  return units * ONE + (lot === ONE ? 0 : lots * lot);
}

/** Available funds of an account: currency, and shares of the outcome. */
export interface Means {
  readonly funds: number;
  readonly shares: number;
}

/** The sizes of an order's body. */
export function orderRequest(call: Extract<Call, { do: 'order' }>, rules: PlainRules | null, means: Means): Fields {
  const { price, amount } = sizeOf(call, rules);
  const step = rules?.fundsStep ?? 1;
  const funds = floorTo(amount / 2, step);
  if (rules !== null && (call.flaw === 'all in' || call.flaw === 'one more')) {
    const more = call.flaw === 'one more' ? 1 : 0;
    if (call.isLimit && call.buys) return { price, amount: most(rules, price, means.funds) + more * rules.lot };
    if (call.buys) return { funds: floorTo(means.funds, step) + more * step };
    const all = floorTo(means.shares, rules.lot) + more * rules.lot;
    return call.isLimit ? { price, amount: all } : { amount: all };
  }
  return spoiled(call.isLimit ? { price, amount } : call.buys ? { funds } : { amount }, call.flaw);
}

const floorTo = (value: number, step: number): number => Math.floor(value / step) * step;

/** The largest amount whose lock fits into `funds`. */
function most(rules: PlainRules, price: number, funds: number): number {
  let lots = 0;
  for (let step = 2 ** 40; step >= 1; step /= 2)
    if (buyLock(rules, price, (lots + step) * rules.lot) <= funds) lots += step;
  return lots * rules.lot;
}

function spoiled(fields: Fields, flaw: Flaw): Fields {
  const [first, second] = ['price', 'amount', 'funds'].filter((name) => name in fields) as (keyof Fields)[];
  const field = first ?? 'price';
  switch (flaw) {
    case 'none':
    case 'all in':
    case 'one more':
    case 'again':
      return fields;
    case 'off grid':
      return { ...fields, [field]: (fields[field] ?? 0) + 1 };
    case 'too much':
      return { ...fields, [field]: field === 'price' ? 990_000 : 2_000_000_000 };
    case 'too little':
      return { ...fields, [second ?? field]: 0 };
    case 'missing':
      return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== field));
    case 'unasked':
      return 'funds' in fields ? { ...fields, amount: ONE } : { ...fields, funds: ONE };
    case 'unread':
      // The core receives numbers, so unreadable text cannot reach it. An amount above all funds replaces it.
      return { ...fields, [second ?? field]: 900 * ONE };
  }
}

export interface PlainSize {
  readonly text: string;
  /** Null if unreadable. */
  readonly micros: number | null;
}

/** The amount of a merge or split as text in its body. */
export function conversionText(
  call: { readonly units: number; readonly lots: number; readonly flaw: Flaw },
  lot: number,
  all: number,
  underWay: number | null,
): PlainSize {
  const amount = amountOf(call, lot);
  const unread: Partial<Record<Flaw, string>> = { unread: 'many', missing: '', unasked: '1.0000001' };
  const text = unread[call.flaw];
  if (text !== undefined) return { text, micros: null };
  const spoilt: Partial<Record<Flaw, number>> = {
    'off grid': amount + 1,
    'too much': 5000 * ONE,
    'too little': -lot,
    'all in': floorTo(all, lot),
    'one more': floorTo(all, lot) + lot,
    ...(underWay === null ? {} : { again: underWay }),
  };
  const micros = spoilt[call.flaw] ?? amount;
  return { text: decimal(micros), micros };
}
