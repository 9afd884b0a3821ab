/** Rounding as the published simulator does it, which its golden values depend on. */

/** To 10 decimal places of the exact binary value, half to even. */
export function round10(value: number): number {
  // A double lies exactly half-way between two such decimals only as an odd multiple of 2^-11.
  const halves = value * 2048;
  if (Number.isInteger(halves) && halves % 2 !== 0) return roundTie(value);
  return Number(value.toFixed(10)) + 0;
}

function roundTie(value: number): number {
  const below = Math.floor(value * 1e10);
  return (below % 2 === 0 ? below : below + 1) / 1e10;
}

/** Shares, in the simulator's smallest step. */
export const QUANTUM = 0.01;

/** So many shares rounded down to that step; an error of floats below 1e-9 steps does not cost one. */
export const floorToQuantum = (shares: number): number => round10(Math.floor(shares / QUANTUM + 1e-9) * QUANTUM);
