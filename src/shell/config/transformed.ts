/**
 * Compiled text of strategies, cached for this process and for threads that it starts later: the compiler takes a third
 * of a second to load, and each thread of a sweep or arena would load it for the same text.
 */

import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import type { Jiti, JitiOptions } from 'jiti';

type Transform = NonNullable<JitiOptions['transform']>;

/** Name of the data passed to threads at their start. */
const KEPT = 'twinbook strategies, transformed';
/** Maximum texts kept, the newest ones, even for a trader that reads its strategies again for months. */
const MOST = 32;

/** Equal text, file name and options give equal code: the file's present content counts. */
export function transformedBy(jiti: Pick<Jiti, 'transform'>): Transform {
  return (options) => {
    const kept = readKept();
    const key = JSON.stringify(options);
    const code = kept.get(key) ?? jiti.transform(options);
    kept.delete(key);
    kept.set(key, code);
    const [oldest] = kept.keys();
    if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
    setEnvironmentData(KEPT, kept);
    return { code };
  };
}

/** A thread has its own copy of its parent's cache at its start. */
function readKept(): Map<string, string> {
  const kept: unknown = getEnvironmentData(KEPT);
  return kept instanceof Map ? kept : new Map<string, string>();
}
