/**
 * The package's export `twinbook/strategy`: the strategy interface, parameter declarations, market views, exact numbers
 * and quoting mathematics.
 *
 * A strategy is a function of a market view. It returns the wanted orders in YES prices, and the engine decides
 * which requests to send. A strategy module runs live, on paper and in backtests. Strategies have no clock, input,
 * output or randomness.
 */

export * from '../../shared/base/micros.js';
export * from '../../shared/base/random.js';
export { amountAt, findBeyondDust, micropriceOf, midOf, touch, touchOf } from '../market/book.js';
export type * from '../market/view.js';
export * from './contract.js';
export * from './economics.js';
export * from './fair-value.js';
export * from './ladder.js';
export * from './maths/inventory-quotes.js';
export * from './maths/log-odds.js';
