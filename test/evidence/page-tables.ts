/** The two tables of a strategy's page: edges in the worlds of the arena, and results on the shipped sample. */

import { meanText } from '../../src/cli/lab/arena.js';
import { estimateMean } from '../../src/lab/arena/arena.js';
import type { SimulationResult } from '../../src/lab/arena/contract.js';
import { count, formatGain, signedCents } from '../../src/lab/report/figures.js';
import type { EvidenceRow } from './figures.js';

/** Result of the simulations of one world. */
export interface WorldEdge {
  readonly edge: string;
  readonly belowZero: number;
  readonly simulations: number;
  /** Fills per simulation. */
  readonly fills: number;
  readonly failed: number;
}

export interface EdgeRow {
  /** Label in the first column. */
  readonly row: string;
  readonly worlds: Readonly<Record<string, WorldEdge>>;
}

/** The fields of a backtest that the table shows. */
export type SampleRow = Pick<
  EvidenceRow,
  'strategy' | 'model' | 'resultMicros' | 'fills' | 'takerFills' | 'markout60sMicros'
>;

export interface Measured {
  /** A date such as `2026-11-23`. */
  readonly day: string;
  readonly firstSeed: number;
  readonly seeds: number;
  readonly crowdSeeds: number;
}

export const edgeOf = (results: readonly SimulationResult[]): WorldEdge => ({
  edge: meanText(estimateMean(results.map(({ edge }) => edge)), 1),
  belowZero: results.filter(({ edge }) => edge < 0).length,
  simulations: results.length,
  fills: Math.round(estimateMean(results.map(({ fills }) => fills)).mean),
  failed: results.filter(({ failure }) => failure !== null).length,
});

export function arenaTable(rows: readonly EdgeRow[], { day, firstSeed, seeds, crowdSeeds }: Measured): string {
  const worlds = Object.keys(rows[0]?.worlds ?? {});
  const lead =
    `[Arena](../arena.md), ${day}: mean edge of a simulation ± its standard error; simulations below 0; fills. ` +
    `Seeds from ${firstSeed} on, ${seeds} of each world, ${crowdSeeds} of \`crowd\`.`;
  const head = `| | ${worlds.join(' | ')} |\n|---|${'---:|'.repeat(worlds.length)}`;
  const lines = rows.map((row) => `| ${row.row} | ${worlds.map((world) => cellOf(row.worlds[world])).join(' | ')} |`);
  return [lead, '', head, ...lines].join('\n');
}

function cellOf(world: WorldEdge | undefined): string {
  if (world === undefined || (world.fills === 0 && world.failed === 0)) return 'no fill';
  const failed = world.failed === 0 ? '' : `, ${world.failed} failed`;
  return `${world.edge}; ${world.belowZero} of ${world.simulations}; ${count(world.fills)}${failed}`;
}

export function sampleTable(rows: readonly SampleRow[], latency: string): string {
  if (rows.every(({ fills }) => fills === 0)) return 'On the three markets of the shipped sample it has no fill.';
  const lead = `Shipped sample, ${latency}, no fees; three markets prove only that it trades:`;
  const lines = rows.map((row) => {
    const markout = row.markout60sMicros === null ? '–' : signedCents(row.markout60sMicros);
    return `| ${row.strategy} | \`${row.model}\` | ${formatGain(row.resultMicros)} | ${count(row.fills)} (${count(row.takerFills)}) | ${markout} |`;
  });
  return [lead, '', '| | fill model | result | fills (taker) | 60 s ¢ |', '|---|---|---:|---:|---:|', ...lines].join(
    '\n',
  );
}
