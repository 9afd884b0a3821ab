/**
 * What a step of the trader costs, by what is seen: alone and among a hundred markets with the ledger in memory (as in a
 * backtest), and with it in a file (as live, where a step that writes waits for the disk). Orders are signed with Ed25519.
 */

import type { Observation, Request } from '../../src/shared/protocol/seam.js';
import { type Bench, type BenchRow, percentile, sized } from './bench.js';
import { type LedgerKind, World } from './in-process.js';

const WORLDS: readonly (readonly [markets: number, keeping: LedgerKind, strategy?: string])[] = [
  [1, 'memory'],
  [sized(100, 5), 'memory'],
  [1, 'file'],
  [10, 'memory', 'belief-maker'],
];
/** Looks at books that are timed, after as many that are not. */
const LOOKS = sized(1_500, 20);

async function run(): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const world of WORLDS) rows.push(...(await measured(...world)));
  return rows;
}

async function measured(markets: number, keeping: LedgerKind, strategy?: string): Promise<readonly BenchRow[]> {
  const world = await World.open(markets, keeping, strategy);
  const steps = new Map<string, number[]>();
  for (let looks = 0; looks < 2 * LOOKS; ) {
    world.beat((observation, request, step) => {
      const startedMs = performance.now();
      const requests = step();
      const tookUs = (performance.now() - startedMs) * 1000;
      if (request?.call.endpoint === 'markets.book') looks++;
      const kind = kindOf(observation, request, requests);
      if (looks <= LOOKS || kind === null) return;
      const figures = steps.get(kind);
      if (figures === undefined) steps.set(kind, [tookUs]);
      else figures.push(tookUs);
    });
  }
  world.close();
  const where = `${markets} market${markets === 1 ? '' : 's'}, ledger in ${keeping === 'file' ? 'a file' : 'memory'}`;
  const whose = strategy === undefined ? where : `${strategy}, ${where}`;
  return KINDS.map((kind) => row(`${whose}: ${kind}`, steps.get(kind) ?? []));
}

const KINDS = [
  'a beat without work',
  'a book, nothing to change',
  'a book, orders drafted or canceled',
  'own trades, none new',
  'a draft taken in and signed',
  'a submit answered',
] as const;

function kindOf(
  { kind }: Observation,
  request: Request | null,
  asked: readonly Request[],
): (typeof KINDS)[number] | null {
  const acts = asked.some(({ call }) => call.endpoint === 'orders.create' || call.endpoint === 'orders.cancel');
  if (kind === 'time') return asked.length === 0 ? 'a beat without work' : null;
  switch (request?.call.endpoint) {
    case 'markets.book':
      return acts ? 'a book, orders drafted or canceled' : 'a book, nothing to change';
    case 'trades.list':
      return acts ? null : 'own trades, none new';
    case 'orders.create':
      return 'a draft taken in and signed';
    case 'orders.submit':
      return acts ? null : 'a submit answered';
    default:
      return null;
  }
}

function row(name: string, figures: number[]): BenchRow {
  figures.sort((a, b) => a - b);
  const [low, high] = [percentile(figures, 0.1), percentile(figures, 0.99)];
  const spread = `p10 ${low.toFixed(1)} / p99 ${high.toFixed(0)}, ${figures.length} steps`;
  return { name, figure: percentile(figures, 0.5), unit: 'µs/step', spread };
}

export const bench: Bench = { title: 'engine: what a step costs', run };
