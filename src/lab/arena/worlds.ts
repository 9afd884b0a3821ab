/** The worlds by their names. */

import { closest } from '../../shared/base/closest.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { challenge, news, thin, toxic } from './challenge/challenge.js';
import type { World } from './contract.js';

export const WORLDS: readonly World[] = [challenge, toxic, thin, news];

/** The world of this name; throws `usage` that names the known ones. */
export function worldNamed(name: string): World {
  const names = WORLDS.map((world) => world.name);
  const found = WORLDS.find((world) => world.name === name);
  if (found !== undefined) return found;
  const near = closest(name, names);
  const meant = near === null ? '' : `; did you mean '${near}'?`;
  throw new TwinbookError('usage', `no world '${name}'${meant}`, `Known are ${names.join(', ')}.`);
}
