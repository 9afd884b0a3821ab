/** What settings are made of, wherever in the schema they stand. */

import { z } from 'zod';

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
