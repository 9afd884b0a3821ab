/** Reads the saved state of belief-maker. The state comes from a file, so each value is checked. */

import { z } from 'zod';

const number = z.number();
const above0 = z.number().positive();
const from0 = z.number().nonnegative();
const ofSides = <T extends z.ZodType>(each: T) => z.object({ bid: each, ask: each });

const saved = z.object({
  belief: z.object({
    grid: z.object({ low: number, mass: z.string() }),
    last: z
      .object({
        bookMs: number,
        bid: above0.nullable(),
        ask: above0.nullable(),
        bidShares: number,
        askShares: number,
      })
      .nullable(),
    lookEveryS: above0,
    lagS: from0,
    informed: z.object({ takes: number, expected: above0 }),
    jumps: above0,
    seconds: above0,
    evidence: z.string(),
    takers: z.object({
      takers: above0,
      seconds: above0,
      reached: above0,
      reaching: above0,
      sizes: ofSides(z.array(z.object({ weight: above0, logMean: number, variance: above0, score: number }))),
    }),
    fills: z.array(z.object({ side: z.enum(['bid', 'ask']), priceMicros: number, amountMicros: number })),
    orders: z.object({ rested: ofSides(z.array(number)), probes: ofSides(z.array(number)) }),
    probes: z.object({ perDoubt: number, atMs: number, walls: z.string() }),
    absence: z.object({ seconds: from0, orders: above0, since: ofSides(number.nullable()) }),
    middle: z.object({
      products: number,
      squares: from0,
      moves: from0,
      count: from0,
      difference: number,
      open: z.object({ difference: number, middle: number, spread: number }).nullable(),
    }),
  }),
});

/** Saved state of belief-maker; each part belongs to one class. */
export type Saved = z.infer<typeof saved>['belief'];

/** Throws a `ZodError` that names the invalid values. */
export const readSaved = (state: unknown): Saved => saved.parse(state).belief;
