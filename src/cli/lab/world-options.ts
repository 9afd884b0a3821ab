/** Options of commands that play worlds and their conditions. */

import { CONDITION_ROWS, CONDITIONS, type Conditions, chooseConditions, type World } from '../../lab/arena/contract.js';
import { integerBetween, numberBetween, type OptionRow, read } from '../command.js';

export const HIGHEST_SEED = 2 ** 31;
export const MOST_SEEDS = 1_000_000;

type ConditionFlag = (typeof CONDITIONS)[keyof typeof CONDITIONS]['flag'];
type ConditionFlags = { readonly [Flag in ConditionFlag]?: number | undefined };

/** The venue of worlds in which the whole trader trades. Every condition has a row. */
export const CONDITION_OPTIONS = Object.fromEntries(
  CONDITION_ROWS.map(([, { flag, option, range, isFraction, help }]) => [
    flag,
    read(option, help, (isFraction === true ? numberBetween : integerBetween)(...range)),
  ]),
) as Readonly<Record<ConditionFlag, OptionRow<number | undefined>>>;

export async function findWorlds(names: readonly string[]): Promise<readonly World[]> {
  const { WORLDS, worldNamed } = await import('../../lab/arena/worlds.js');
  const others = names.filter((name) => name !== 'all').map(worldNamed);
  return names.includes('all') ? WORLDS : [...new Set(others)];
}

/** Throws `usage` for a condition that none of these worlds uses. */
export async function readConditions(options: ConditionFlags, worlds: readonly World[]): Promise<Conditions> {
  const { requireTaken } = await import('../../lab/arena/worlds.js');
  const asked = CONDITION_ROWS.map(([name]) => name).filter((name) => options[CONDITIONS[name].flag] !== undefined);
  requireTaken(asked, worlds);
  return chooseConditions((name) => options[CONDITIONS[name].flag]);
}
