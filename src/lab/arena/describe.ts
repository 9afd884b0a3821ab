/** Sentences about a simulation, for tables and pages. */

import { counted } from '../report/figures.js';
import type { Conditions, World } from './contract.js';

/** The option of the command line that sets each. */
export const CONDITION_OPTIONS: Readonly<Record<keyof Conditions, string>> = {
  markets: '--markets',
  publicPerMinute: '--public',
  signedPerMinute: '--signed',
  delayMs: '--delay',
};

const TEXTS: Readonly<Record<keyof Conditions, (value: number) => string>> = {
  markets: (value) => `${counted(value, 'market')} at once`,
  publicPerMinute: (value) => `${value} public requests a minute`,
  signedPerMinute: (value) => `${value} signed ones`,
  delayMs: (value) => `${value} ms there and back`,
};

/** What the whole trader had to do with in this world; empty in a world without one. */
export const conditionsText = ({ conditions }: Pick<World, 'conditions'>, values: Conditions): string =>
  conditions.map((name) => TEXTS[name](values[name])).join(', ');
