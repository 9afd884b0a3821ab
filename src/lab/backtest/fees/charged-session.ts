/**
 * A session with the fees of a curve: charged beside the exchange, which knows rates of the traded value alone. The trader
 * does not see them: its cash in the run is larger by them, and its strategy does not widen for them.
 */

import type { FillRecord, MarketSession, SessionRecord } from '../../session/contract.js';
import { type FeeCurve, rawFee, roundedFee } from './fee-curves.js';

/** `isFree` says of a market, by its condition id, whether its recording names no fee. */
export function chargedSession(
  session: SessionRecord,
  curve: FeeCurve,
  isFree: (conditionId: string) => boolean,
): SessionRecord {
  const markets = session.markets.map((market) => (isFree(market.conditionId) ? chargedMarket(market, curve) : market));
  const paid = markets.flatMap(({ fills }, at) =>
    fills.map(({ timeMs, feeMicros }, index) => {
      const before = session.markets[at]?.fills[index]?.feeMicros ?? 0;
      return { timeMs, feeMicros: feeMicros - before };
    }),
  );
  const paidBy = (timeMs: number): number =>
    paid.reduce((sum, fee) => (fee.timeMs <= timeMs ? sum + fee.feeMicros : sum), 0);
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

function chargedMarket(market: MarketSession, curve: FeeCurve): MarketSession {
  /** Of each order, what its fills are charged together: before rounding, and rounded. */
  const orders = new Map<string, { rawMicros: number; chargedMicros: number }>();
  const chargeFill = (fill: FillRecord): FillRecord => {
    const order = orders.get(fill.orderPubkey) ?? { rawMicros: 0, chargedMicros: 0 };
    if (curve.isByOrder) orders.set(fill.orderPubkey, order);
    order.rawMicros += rawFee(curve, fill);
    const total = roundedFee(curve, order.rawMicros);
    const feeMicros = total - order.chargedMicros;
    order.chargedMicros = total;
    return { ...fill, feeMicros: fill.feeMicros + feeMicros };
  };
  return { ...market, fills: market.fills.map(chargeFill) };
}

/** Fees only deepen a fall; between two samples nothing more is known. */
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
