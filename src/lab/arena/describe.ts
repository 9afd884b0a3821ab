/** The tables of an arena and their words, the same on the terminal and in the page. */

import { count, decimal } from '../report/figures.js';
import type { ArenaResult } from './arena.js';
import { conditionOptions } from './conditions.js';
import type { NamedSimulation } from './contract.js';
import type { EdgeDifference, Mean, Standing } from './standings.js';

export interface ArenaColumn<Row> {
  readonly title: string;
  readonly explains?: string;
  /** Null: not known. */
  readonly text: (row: Row) => string | null;
  /** Absent for a text. */
  readonly value?: (row: Row) => number | null;
  /** Whether the page shows its sign in colour. */
  readonly isToned?: true;
  /** The lowest goes first where a narrow terminal has no room for all; those without one go last. */
  readonly keep?: number;
}

/** `+1.23 ± 0.45`, currency; without an error where there is only one simulation. */
export function meanText({ mean, standardError }: Mean, places = 2): string {
  const sign = mean >= 0.5 * 10 ** -places ? '+' : '';
  const error = standardError === null ? '' : ` ± ${decimal(standardError, places)}`;
  return `${sign}${decimal(mean, places)}${error}`;
}

type More<Row> = Pick<ArenaColumn<Row>, 'explains' | 'isToned' | 'keep'>;

/** A mean with its error. */
const meanColumn = <Row>(title: string, mean: (row: Row) => Mean, more: More<Row> = {}): ArenaColumn<Row> => ({
  title,
  text: (row) => meanText(mean(row)),
  value: (row) => mean(row).mean,
  ...more,
});

const plainColumn = <Row>(
  title: string,
  value: (row: Row) => number | null,
  places: number,
  more: More<Row> = {},
): ArenaColumn<Row> => {
  const text = (row: Row) => {
    const figure = value(row);
    return figure === null ? null : decimal(figure, places);
  };
  return { title, text, value, ...more };
};

const partColumn = <Row extends { readonly simulations: number }>(
  title: string,
  part: (row: Row) => number,
  more: More<Row>,
): ArenaColumn<Row> => ({
  title,
  text: (row) => `${count(part(row))} of ${count(row.simulations)}`,
  value: (row) => part(row) / row.simulations,
  ...more,
});

type NamedEntry = Pick<Standing, 'world' | 'strategy'>;
const NAMES: readonly ArenaColumn<NamedEntry>[] = [
  { title: 'World', text: ({ world }) => world },
  { title: 'Strategy', text: ({ strategy }) => strategy },
];

const STANDING_COLUMNS: readonly ArenaColumn<Standing>[] = [
  ...NAMES,
  meanColumn('Edge', ({ edge }) => edge, {
    explains: 'shares × (true probability − price), mean a simulation ± standard error',
    isToned: true,
  }),
  partColumn('Below 0', ({ belowZero }) => belowZero, {
    explains: 'part of the simulations whose edge is negative',
    keep: 90,
  }),
  meanColumn('Uninformed', ({ uninformedEdge }) => uninformedEdge, {
    explains: 'edge from takers without knowledge of the truth',
    keep: 70,
  }),
  meanColumn('Informed', ({ informedEdge }) => informedEdge, {
    explains: 'edge lost to takers with knowledge of the truth',
    keep: 70,
  }),
  plainColumn('Fills', ({ fills }) => fills.mean, 1, { keep: 60 }),
  plainColumn('Shares', ({ shares }) => shares.mean, 0, { keep: 20 }),
  plainColumn('Actions', ({ actions }) => actions.mean, 0, { explains: 'orders placed and canceled', keep: 10 }),
  meanColumn('Result', ({ result }) => result, { explains: 'won or lost after settlement, luck included', keep: 80 }),
  plainColumn('Drawdown', ({ drawdown }) => drawdown.mean, 1, {
    explains: 'largest fall of wealth at the truth',
    keep: 50,
  }),
];
const REQUESTS = plainColumn<Standing>('Requests', ({ requests }) => requests?.mean ?? null, 0, { keep: 40 });

/** Requests only where a world has some. */
export const listStandingColumns = ({ standings }: ArenaResult): readonly ArenaColumn<Standing>[] =>
  standings.some(({ requests }) => requests !== null) ? [...STANDING_COLUMNS, REQUESTS] : STANDING_COLUMNS;

export const DIFFERENCE_COLUMNS: readonly ArenaColumn<EdgeDifference>[] = [
  ...NAMES,
  { title: 'Against', text: ({ against }) => against },
  meanColumn('Edge more', ({ edge }) => edge, {
    explains: 'mean of the differences seed by seed ± their standard error: below two errors it may well be chance',
    isToned: true,
  }),
  partColumn('Better', ({ better }) => better, { explains: 'seeds with more edge' }),
];

export const listWorstColumns = (result: ArenaResult): readonly ArenaColumn<NamedSimulation>[] => [
  ...NAMES,
  { title: 'Seed', text: ({ seed }) => String(seed), value: ({ seed }) => seed },
  plainColumn('Edge', ({ edge }) => edge, 2, { isToned: true }),
  plainColumn('Uninformed', ({ uninformedEdge }) => uninformedEdge, 2, { isToned: true }),
  plainColumn('Informed', ({ informedEdge }) => informedEdge, 2, { isToned: true }),
  plainColumn('Fills', ({ fills }) => fills, 0),
  plainColumn('Result', ({ result: won }) => won, 2, { isToned: true }),
  { title: 'Run it again', text: (simulation) => rerunCommand(result, simulation) },
];

/** Halts and failures. */
export const listCautions = ({ standings }: ArenaResult): readonly string[] => [
  ...standings
    .filter(({ halted }) => halted > 0)
    .map(
      ({ strategy, world, halted, simulations }) =>
        `A limit of risk halted ${strategy} in ${halted} of ${simulations} simulations of ${world}.`,
    ),
  ...standings
    .filter(({ failed }) => failed > 0)
    .map(
      ({ strategy, world, failed, simulations, firstFailure }) =>
        `${strategy} failed in ${failed} of ${simulations} simulations of ${world}, which count as far as they went; the first, ${firstFailure}`,
    ),
];

/** The command that runs one simulation again. */
export function rerunCommand(result: ArenaResult, { world, strategy, seed }: NamedSimulation): string {
  const file = result.strategies.find(({ name }) => name === strategy)?.file ?? '';
  const found = result.worlds.find(({ name }) => name === world);
  const conditions = conditionOptions(found?.conditions ?? [], result.conditions);
  return `./twinbook arena -c ${quoteWord(file)} --world ${world} --first ${seed} --seeds 1${conditions}`;
}

/** As a shell takes it for one word. */
const quoteWord = (text: string): string =>
  /^[\w./@%+:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
