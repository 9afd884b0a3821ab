/** The account of a live ledger over time, from its fills and conversions. */

import type { AccountSeries, MarketSession } from '../../session/contract.js';
import { MarketCost } from '../../session/cost.js';
import { movesOf, sharesMoved } from '../../session/moves.js';
import type { RecordedPrices } from './contract.js';
import type { Quote } from './quotes.js';
import { heldAt, reservedAt, type Steps, stepsOver } from './samples.js';

export interface AccountMarket {
  readonly session: MarketSession;
  readonly quotes: readonly Quote[];
  readonly prices: RecordedPrices | null;
}

/** What a market adds to the account after one of its moves. */
interface Standing {
  readonly cash: number;
  readonly yes: number;
  readonly no: number;
  readonly cost: number;
}

const NOTHING: Standing = { cash: 0, yes: 0, no: 0, cost: 0 };

export function accountOf(
  markets: readonly AccountMarket[],
  capitalMicros: number,
  fromMs: number,
  toMs: number,
): AccountSeries {
  const steps = stepsOver(fromMs, toMs);
  const equity: (number | null)[] = steps.timeMs.map(() => capitalMicros);
  const locked = steps.timeMs.map(() => 0);
  for (const market of markets) {
    const [standings, reserved] = [standingsAt(steps, market.session), reservedAt(steps, market.quotes)];
    standings.forEach((standing, at) => {
      const worth = worthOf(standing, market, steps.timeMs[at] ?? toMs);
      const so = equity[at] ?? null;
      equity[at] = so === null || worth === null ? null : so + standing.cash + worth;
      locked[at] = (locked[at] ?? 0) + standing.cost + (reserved[at] ?? 0);
    });
  }
  return { ...steps, equityMicros: equity, lockedMicros: locked };
}

function standingsAt(steps: Steps, session: MarketSession): Standing[] {
  const cost = new MarketCost();
  let now = NOTHING;
  const changes = movesOf(session).map((move) => {
    const { yes, no } = sharesMoved(move);
    cost.move(move);
    const fee = move.kind === 'fill' ? move.feeMicros : 0;
    now = { cash: now.cash + move.cashMicros - fee, yes: now.yes + yes, no: now.no + no, cost: cost.costMicros };
    return { timeMs: move.timeMs, value: now };
  });
  return heldAt(steps, changes, NOTHING);
}

/** Null while the middle of what is held is not known. */
function worthOf({ yes, no }: Standing, { prices }: AccountMarket, timeMs: number): number | null {
  if (yes === 0 && no === 0) return 0;
  if (yes === no) return yes;
  const middle = prices?.at(timeMs).middleMicros ?? null;
  return middle === null ? null : Math.floor((yes * middle + no * (1_000_000 - middle)) / 1_000_000);
}

/** Of the samples; null when the equity is not known throughout, be it only between two of them. */
export function drawdownOf({ equityMicros }: AccountSeries, markets: readonly AccountMarket[]): number | null {
  if (markets.some(({ session, prices }) => prices === null && everHeld(session))) return null;
  let [peak, deepest] = [Number.NEGATIVE_INFINITY, 0];
  for (const equity of equityMicros) {
    if (equity === null) return null;
    peak = Math.max(peak, equity);
    deepest = Math.max(deepest, peak - equity);
  }
  return deepest;
}

/** Shares whose worth depends on a price. */
function everHeld(session: MarketSession): boolean {
  let net = 0;
  return movesOf(session).some((move) => {
    const { yes, no } = sharesMoved(move);
    net += yes - no;
    return net !== 0;
  });
}
