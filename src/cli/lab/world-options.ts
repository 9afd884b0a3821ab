/** Options of commands that play worlds and their conditions. */

import type { Command } from 'commander';
import { CONDITION_ROWS, CONDITIONS, type Conditions, chooseConditions, optionOf } from '../../lab/arena/conditions.js';
import type { World } from '../../lab/arena/contract.js';
import { integerBetween, numberBetween } from '../arguments.js';

export const HIGHEST_SEED = 2 ** 31;
export const MOST_SEEDS = 1_000_000;

export type ConditionFlags = Partial<Record<(typeof CONDITIONS)[keyof typeof CONDITIONS]['flag'], number>>;

/** Venue of worlds with the whole trader. */
export function withConditions(command: Command): Command {
  for (const [name, { takes, range, isFraction, help }] of CONDITION_ROWS)
    command.option(
      `${optionOf(name)} ${takes}`,
      help,
      (isFraction === true ? numberBetween : integerBetween)(...range),
    );
  return command;
}

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
