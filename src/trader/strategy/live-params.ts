/** What other values of parameters ask of a running quoter. */

import { isDeepStrictEqual } from 'node:util';
import { LIVE_CLASSES, type LiveClass, type ParamSpecs, type ParamValues } from './params.js';

/** The strictest class of those that differ; null when none does. */
export function findLiveClass(specs: ParamSpecs, before: ParamValues, after: ParamValues): LiveClass | null {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  const strictest = Math.max(-1, ...changed.map((name) => LIVE_CLASSES.indexOf(specs[name]?.live ?? 'restart')));
  return LIVE_CLASSES[strictest] ?? null;
}
