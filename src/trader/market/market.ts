/**
 * What is known about the outside of one market: its book in YES space (with and without our own orders), the trades
 * through it, estimates made from both, and whether any of it can still be believed. `MarketTracker` takes in what
 * polls bring; `MarketView` is what a strategy sees, `Sight` what risk judges by.
 *
 * This room decides nothing and asks for nothing. It reads no clock: every call says what time it is. Estimates are
 * floats for a strategy's arithmetic; prices and amounts stay exact Micros.
 */
export {};
