/** The worlds by name. */

import { closest } from '../../shared/base/closest.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { challenge, news, thin, toxic } from './challenge/challenge.js';
import { event } from './challenge/event.js';
import { type ConditionName, optionOf } from './conditions.js';
import type { World } from './contract.js';
import { crowd, liar, rationed } from './polled/rationed.js';

export const WORLDS: readonly World[] = [challenge, toxic, thin, news, event, rationed, crowd, liar];

/** The world of this name; throws `usage` with the known names. */
export function worldNamed(name: string): World {
  const names = WORLDS.map((world) => world.name);
  const found = WORLDS.find((world) => world.name === name);
  if (found !== undefined) return found;
  const near = closest(name, names);
  const meant = near === null ? '' : `; did you mean '${near}'?`;
  throw new TwinbookError('usage', `no world '${name}'${meant}`, `Known are ${names.join(', ')}.`);
}

/** Throws `usage` for a condition that none of these worlds uses. */
export function requireTaken(asked: readonly ConditionName[], worlds: readonly World[]): void {
  for (const condition of asked) {
    if (worlds.some(({ conditions }) => conditions.includes(condition))) continue;
    const having = WORLDS.filter(({ conditions }) => conditions.includes(condition)).map(({ name }) => name);
    const names = worlds.map(({ name }) => name).join(', ');
    throw new TwinbookError(
      'usage',
      `${optionOf(condition)} changes nothing in ${names}`,
      `Leave it out, or ask for ${having.map((name) => `--world ${name}`).join(' or ')}.`,
    );
  }
}
