/** Options of `npm run fuzz`. */

import { parseArgs } from 'node:util';

export interface FuzzOptions {
  readonly seconds: number;
  readonly seed: number;
  readonly way: 'exchange' | 'client' | 'both';
}

/** Throws an Error that names the option, the given value and the expected form. */
export function readOptions(args: readonly string[]): FuzzOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '60' },
      seed: { type: 'string' },
      way: { type: 'string', default: 'both' },
    },
  });
  const seconds = Number(values.seconds);
  const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
  const way = (['exchange', 'client', 'both'] as const).find((word) => word === values.way);
  if (!(seconds > 0)) throw new Error(`--seconds must be seconds for each way, above 0, got ${values.seconds}`);
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error(`--seed must be a whole number, got ${values.seed}`);
  if (way === undefined) throw new Error(`--way must be exchange, client or both, got ${values.way}`);
  return { seconds, seed, way };
}
