/** What may come back of a configuration by itself, when nobody gives a reason for anything that holds back less. */

import { createHash } from 'node:crypto';
import { minMicros } from '../../../shared/base/micros.js';
import { tighterOf } from '../../../trader/risk/limits.js';
import type { Config } from '../types.js';
import { liveText } from './live-text.js';

/**
 * The configuration of before, but no limit looser and no capital higher than it is in force, and what was removed since stays removed,
 * unless something else was added in its place. The very same configuration where none of that makes a difference.
 */
export function withoutLoosening(before: Config, inForce: Config): Config {
  const isReplaced = inForce.strategies.some(({ name }) => before.strategies.every((then) => then.name !== name));
  const strategies = before.strategies.flatMap((then) => {
    const now = inForce.strategies.find(({ name }) => name === then.name);
    if (now === undefined) return isReplaced ? [{ ...then, risk: tighterOf(then.risk, inForce.risk) }] : [];
    return [{ ...then, risk: tighterOf(then.risk, now.risk) }];
  });
  const back: Config = {
    ...before,
    capitalMicros: minMicros(before.capitalMicros, inForce.capitalMicros),
    risk: tighterOf(before.risk, inForce.risk),
    strategies,
  };
  const text = liveText(back);
  // No file holds it, so it has a name of its own.
  return text === liveText(before) ? before : { ...back, configHash: createHash('sha256').update(text).digest('hex') };
}
