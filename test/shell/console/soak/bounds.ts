/** Bounds on a console's resources, for any running time. */

import type { ConsoleSoaked } from './soak.js';

const MOST_RESIDENT_MB = 250;
/** The stored history is bounded (`History`); its write-ahead log adds some megabytes. */
const MOST_STORE_MB = 264;
const MOST_PERCENT = 5;
/** From the middle of the days to their end. */
const MOST_GROWTH_MB = 10;

export interface ConsoleVerdict {
  readonly name: string;
  readonly figure: number;
  readonly bound: number;
  readonly unit: string;
  readonly isOver: boolean;
}

export function judgeConsole({ rows, share }: ConsoleSoaked): readonly ConsoleVerdict[] {
  const most = (figure: (row: ConsoleSoaked['rows'][number]) => number) => Math.max(...rows.map(figure)) / 1e6;
  const outside = rows.map(({ heapBytes, externalBytes }) => (heapBytes + externalBytes) / 1e6);
  const grew = (outside.at(-1) ?? 0) - (outside[Math.floor(outside.length / 2)] ?? 0);
  const verdict = (name: string, figure: number, bound: number, unit: string): ConsoleVerdict => ({
    ...{ name, figure, bound, unit },
    isOver: !(figure <= bound),
  });
  return [
    verdict(
      'resident memory, at most',
      most(({ residentBytes }) => residentBytes),
      MOST_RESIDENT_MB,
      'MB',
    ),
    verdict('heap and what is outside of it, second half of the days', grew, MOST_GROWTH_MB, 'MB'),
    verdict(
      'store on the disk, at most',
      most(({ storeBytes }) => storeBytes),
      MOST_STORE_MB,
      'MB',
    ),
    verdict('of a core, told as a trader tells', share * 100, MOST_PERCENT, '%'),
  ];
}
