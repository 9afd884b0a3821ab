/** Rounding of the published simulator, which its golden values depend on. */

/** To 10 decimal places of the exact binary value, half to even. */
export function round10(value: number): number {
  // A double is exactly half-way between two such decimals only as an odd multiple of 2^-11.
  const halves = value * 2048;
  if (Number.isInteger(halves) && halves % 2 !== 0) return roundTie(value);
  return Number(value.toFixed(10)) + 0;
}

function roundTie(value: number): number {
  const below = Math.floor(value * 1e10);
  return (below % 2 === 0 ? below : below + 1) / 1e10;
}

/** The simulator's smallest step of shares. */
export const QUANTUM = 0.01;

/** Shares rounded down to that step; a float error below 1e-9 steps is ignored. */
export const floorToQuantum = (shares: number): number => round10(Math.floor(shares / QUANTUM + 1e-9) * QUANTUM);
