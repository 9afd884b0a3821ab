/** The program of a planted run: plays seeds until an invariant breaks. Prints one line of JSON, a `Hunt`. */

import { simulate } from '../simulate.js';

export interface Hunt {
  /** The first seed that broke an invariant; null if none. */
  readonly seed: number | null;
  /** The broken invariant, in the simulation's words. */
  readonly violation: string | null;
  /** Seeds in which the trader threw: its own assertions stopped it before an invariant broke. They do not count. */
  readonly threw: number;
  readonly firstThrown: string | null;
}

/** Long enough for orders, fills, merges, a crash or two and a resolution. */
const FAULTY_MS = 600_000;
const THREW = 'the trader threw';

function hunt(first: number, last: number): Hunt {
  let threw = 0;
  let firstThrown: string | null = null;
  for (let seed = first; seed <= last; seed++) {
    const [violation] = simulate({ seed, faultyMs: FAULTY_MS }).violations;
    if (violation === undefined) continue;
    if (!violation.startsWith(THREW)) return { seed, violation, threw, firstThrown };
    threw++;
    firstThrown ??= violation;
  }
  return { seed: null, violation: null, threw, firstThrown };
}

const [first, last] = process.argv.slice(2).map(Number);
console.log(JSON.stringify(hunt(first ?? 1, last ?? 200)));
