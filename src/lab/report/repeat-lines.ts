/** Means and spreads of repeats as lines of figures, for the terminal and for the page. */

import type { RepeatFigures, RunSpread } from './analysis/contract.js';
import { count, formatGain, formatMoney, signedCents } from './figures.js';

export type RepeatLine = readonly [name: string, figure: (repeats: RepeatFigures) => string];

type Shown = (micros: number | null) => string;

const meanAndSpread = (shown: Shown, spread: Shown, { mean, deviation }: RunSpread): string =>
  deviation === null ? shown(mean) : `${shown(mean)} ± ${spread(deviation)}`;

const unsignedCents: Shown = (micros) => signedCents(micros).replace('+', '');

/** ± is the deviation between repeats. */
export const REPEAT_LINES: readonly RepeatLine[] = [
  ['Result, mean', ({ resultMicros }) => meanAndSpread(formatGain, formatMoney, resultMicros)],
  ['  lowest', ({ resultMicros }) => formatGain(resultMicros.lowest)],
  ['  highest', ({ resultMicros }) => formatGain(resultMicros.highest)],
  ['  95 % interval, from', ({ intervalMicros }) => formatGain(intervalMicros?.[0] ?? null)],
  ['  95 % interval, to', ({ intervalMicros }) => formatGain(intervalMicros?.[1] ?? null)],
  ['Spread earned', ({ spreadMicros }) => meanAndSpread(formatGain, formatMoney, spreadMicros)],
  ['Fills', ({ fills }) => meanAndSpread(count, count, fills)],
  ['Markout 5 s, cents', ({ markout5sMicros }) => meanAndSpread(signedCents, unsignedCents, markout5sMicros)],
  ['Markout 60 s, cents', ({ markout60sMicros }) => meanAndSpread(signedCents, unsignedCents, markout60sMicros)],
];
