/** Fee curves (venues' rules or formulas) for recordings without fees. A curve's fees are charged after the run. */

import { TwinbookError } from '../../shared/base/errors.js';
import { ONE } from '../../shared/base/micros.js';
import type { FillRecord, MarketSession, SessionRecord } from '../session/contract.js';

export interface FeeCurve {
  readonly name: string;
  /** The rate multiplies shares × p, shares × p × (1 - p), or shares, with p the price of the traded outcome. */
  readonly shape: 'notional' | 'quadratic' | 'per-share';
  /** Fee rates in millionths. */
  readonly takerMicros: number;
  readonly makerMicros: number;
  /** Fees are rounded up to a multiple of this step, in millionths of currency. */
  readonly stepMicros: number;
  readonly isByOrder: boolean;
}

const CENT = 10_000;

/** Fee curves from the venues' documents of 2026. Polymarket's makers pay no fee; their rebates are not included. */
const NAMED: Readonly<Record<string, Omit<FeeCurve, 'name'>>> = {
  none: { shape: 'notional', takerMicros: 0, makerMicros: 0, stepMicros: 1, isByOrder: false },
  kalshi: { shape: 'quadratic', takerMicros: 70_000, makerMicros: 0, stepMicros: CENT, isByOrder: true },
  'kalshi-maker': { shape: 'quadratic', takerMicros: 70_000, makerMicros: 17_500, stepMicros: CENT, isByOrder: true },
  'polymarket-crypto': { shape: 'quadratic', takerMicros: 70_000, makerMicros: 0, stepMicros: 10, isByOrder: false },
  'polymarket-sports': { shape: 'quadratic', takerMicros: 30_000, makerMicros: 0, stepMicros: 10, isByOrder: false },
};

export const FEE_NAMES: readonly string[] = [
  ...Object.keys(NAMED),
  ...['notional', 'quadratic', 'per-share'].map((shape) => `${shape}:TAKER[/MAKER]`),
];

export function feeCurve(name: string): FeeCurve {
  const named = NAMED[name];
  if (named !== undefined) return { name, ...named };
  const found = /^(notional|quadratic|per-share):(0(?:\.\d{1,6})?|1)(?:\/(0(?:\.\d{1,6})?|1))?$/.exec(name);
  if (found === null) {
    const hint = `Use one of ${FEE_NAMES.join(', ')}; a rate is a number from 0 to 1, such as 0.02.`;
    throw new TwinbookError('usage', `there is no fee schedule ${JSON.stringify(name)}`, hint);
  }
  const rate = (text: string | undefined): number => Math.round(Number(text ?? 0) * ONE);
  const shape = found[1] as FeeCurve['shape'];
  return { name, shape, takerMicros: rate(found[2]), makerMicros: rate(found[3]), stepMicros: 1, isByOrder: false };
}

type ChargedFill = Pick<FillRecord, 'isMaker' | 'isYes' | 'priceMicros' | 'amountMicros'>;

export function rawFee({ shape, takerMicros, makerMicros }: FeeCurve, fill: ChargedFill): number {
  const rate = (fill.isMaker === true ? makerMicros : takerMicros) / ONE;
  const price = (fill.isYes ? fill.priceMicros : ONE - fill.priceMicros) / ONE;
  const factor = { notional: price, quadratic: price * (1 - price), 'per-share': 1 }[shape];
  return rate * factor * fill.amountMicros;
}

/** Rounds a fee up to the curve's step, with a tolerance for floating-point errors. */
export const roundedFee = ({ stepMicros }: FeeCurve, rawMicros: number): number =>
  Math.ceil(rawMicros / stepMicros - 1e-6) * stepMicros + 0;

/**
 * Adds a curve's fees after the run, because the exchange supports only rates of the traded value. The trader does not
 * see these fees: its cash is too high in the run. `free`: condition ids of the markets whose recording has no fee.
 */
export function chargedSession(session: SessionRecord, curve: FeeCurve, free: ReadonlySet<string>): SessionRecord {
  const paid: Pick<FillRecord, 'timeMs' | 'feeMicros'>[] = [];
  const markets = session.markets.map((one) => (free.has(one.conditionId) ? chargedMarket(one, curve, paid) : one));
  const paidBy = (timeMs: number) => paid.reduce((sum, fee) => (fee.timeMs <= timeMs ? sum + fee.feeMicros : sum), 0);
  const { account } = session;
  const equityMicros = account.equityMicros.map((equity, at) =>
    equity === null ? null : equity - paidBy(account.timeMs[at] ?? 0),
  );
  return {
    ...session,
    endCashMicros: session.endCashMicros - paidBy(Number.POSITIVE_INFINITY),
    markets,
    account: { ...account, equityMicros },
    maxDrawdownMicros: deeper(session.maxDrawdownMicros, equityMicros),
  };
}

function chargedMarket(market: MarketSession, curve: FeeCurve, paid: Pick<FillRecord, 'timeMs' | 'feeMicros'>[]) {
  const orders = new Map<string, { rawMicros: number; chargedMicros: number }>();
  const chargeFill = (fill: FillRecord): FillRecord => {
    const order = orders.get(fill.orderPubkey) ?? { rawMicros: 0, chargedMicros: 0 };
    if (curve.isByOrder) orders.set(fill.orderPubkey, order);
    order.rawMicros += rawFee(curve, fill);
    const total = roundedFee(curve, order.rawMicros);
    const feeMicros = total - order.chargedMicros;
    order.chargedMicros = total;
    paid.push({ timeMs: fill.timeMs, feeMicros });
    return { ...fill, feeMicros: fill.feeMicros + feeMicros };
  };
  return { ...market, fills: market.fills.map(chargeFill) };
}

/** Returns the larger of `found` and the drawdown of the samples after fees, because fees can deepen a drawdown. */
function deeper(found: number | null, equityMicros: readonly (number | null)[]): number | null {
  if (found === null) return null;
  let [peak, deepest] = [Number.NEGATIVE_INFINITY, found];
  for (const equity of equityMicros) {
    if (equity === null) continue;
    peak = Math.max(peak, equity);
    deepest = Math.max(deepest, peak - equity);
  }
  return deepest;
}
