/** Rules of a margin market, parsed once from its configuration. */

import { formatDecimal, parseDecimal } from '../../../shared/base/decimal.js';
import { ONE, stepOfPrecision } from '../../../shared/base/micros.js';
import type { PoolConfigSpec, Result } from '../contract.js';
import { invalid, ok, type Refusal } from '../fault.js';
import { asMicros } from '../money.js';

/** Rates, leverages and sizes in micros. */
export interface MarginRules {
  readonly kind: 'polymarket' | 'hyperliquid';
  readonly maxLeverageYes: number;
  readonly maxLeverageNo: number;
  /** On user_liquidity. */
  readonly openingRate: number;
  /** On the value of the shares when a position wins or is liquidated. */
  readonly closingRate: number;
  /** Per year, on the borrowed amount. */
  readonly annualRate: number;
  /** Of a market request (decisions §4). */
  readonly minFunds: number;
  /** `order_min_size`, in shares; 0 when the market has none. */
  readonly minShares: number;
  readonly priceStep: number;
  readonly sharesStep: number;
}

/** Decisions §4: "min 1 on `hyperliquid`, 5 on `polymarket`". */
const MIN_FUNDS = { polymarket: 5 * ONE, hyperliquid: ONE } as const;
const MAX_LEVERAGE = 1000 * ONE;
const MAX_ANNUAL_RATE = 100 * ONE;

/** Rules of a configuration, or the 400 that names its error. */
export function readRules(config: PoolConfigSpec): Result<MarginRules> {
  const numbers = {
    max_leverage_yes: within(config.max_leverage_yes, ONE, MAX_LEVERAGE),
    max_leverage_no: within(config.max_leverage_no, ONE, MAX_LEVERAGE),
    opening_fee: within(config.opening_fee, 0, ONE),
    closing_fee: within(config.closing_fee, 0, ONE),
    annual_fee_rate: within(config.annual_fee_rate, 0, MAX_ANNUAL_RATE),
    order_min_size: config.kind === 'polymarket' ? within(config.order_min_size ?? '0', 0, Number.MAX_SAFE_INTEGER) : 0,
    price_decimals: config.kind === 'polymarket' ? computeStep(config.price_decimals, 1) : 1,
    shares_decimals: config.kind === 'polymarket' ? computeStep(config.shares_decimals, 0) : 1,
  };
  for (const [name, value] of Object.entries(numbers)) {
    if (value === null) return invalid('config', `${name} is out of range.`);
  }
  return ok({
    kind: config.kind,
    maxLeverageYes: numbers.max_leverage_yes ?? ONE,
    maxLeverageNo: numbers.max_leverage_no ?? ONE,
    openingRate: numbers.opening_fee ?? 0,
    closingRate: numbers.closing_fee ?? 0,
    annualRate: numbers.annual_fee_rate ?? 0,
    minFunds: MIN_FUNDS[config.kind],
    minShares: numbers.order_min_size ?? 0,
    priceStep: numbers.price_decimals ?? 1,
    sharesStep: numbers.shares_decimals ?? 1,
  });
}

/** Refuses a value that is not a multiple of the step; null when it is one. Both in micros. */
export function offGrid(field: string, value: number, step: number): Refusal | null {
  return value % step === 0 ? null : invalid(field, `Must be a multiple of ${formatDecimal(asMicros(step))}.`);
}

/** Why a position cannot be sold at this price; null when it can. */
export function badPrice(field: string, price: number, { priceStep }: MarginRules): Refusal | null {
  if (price <= 0 || price >= ONE) return invalid(field, 'Must lie between 0 and 1.');
  return offGrid(field, price, priceStep);
}

function within(text: string, least: number, most: number): number | null {
  const value = parseDecimal(text);
  return value !== null && value >= least && value <= most ? value : null;
}

function computeStep(decimals: number, least: number): number | null {
  return Number.isInteger(decimals) && decimals >= least && decimals <= 6 ? stepOfPrecision(decimals) : null;
}
