/** What settings are made of, wherever in the schema they stand. */

import { z } from 'zod';
import { parseDecimal } from '../../shared/base/decimal.js';
import type { Micros } from '../../shared/base/micros.js';

/** A whole number within bounds. */
export const integer = (min: number, max: number, help: string) => z.number().int().min(min).max(max).describe(help);

/** Overrides from the environment know by it which texts are paths. */
const PATH_MARK = 'x-path';
/** The path of a file or folder. */
export const path = (help: string) =>
  z
    .string()
    .min(1)
    .refine((text) => !text.includes('\0'), 'wants a path without NUL characters')
    .meta({ description: help, [PATH_MARK]: true });

/** A decimal string of currency or shares within bounds, read as Micros. */
export const amount = (min: string, max: string, help: string) =>
  z
    .string()
    .transform((text, context): Micros => {
      const value = parseDecimal(text);
      const [low, high] = [parseDecimal(min), parseDecimal(max)];
      if (value === null) {
        context.addIssue({ code: 'custom', message: 'wants a decimal string with at most 6 decimal places' });
        return z.NEVER;
      }
      if ((low !== null && value < low) || (high !== null && value > high)) {
        context.addIssue({ code: 'custom', message: `wants a decimal string from "${min}" to "${max}"` });
      }
      return value;
    })
    .meta({ description: `${help} Decimal string from "${min}" to "${max}".`, examples: [min] });
