/** A trader's files and a folder of small recorded markets, for sweeps of real threads over real files. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { latencyChoice } from '../../../src/lab/backtest/latency.js';
import type { SweepPlan, SweepWatcher } from '../../../src/lab/sweep/contract.js';
import { gridSearch, randomSearch, readAxis } from '../../../src/lab/sweep/search.js';
import { deriveConditionId, type RecordedMarket } from '../../../src/recording/contract.js';
import { openRecordings } from '../../../src/recording/recording.js';
import { openRecordingStore } from '../../../src/recording/store/store.js';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import { loadConfig } from '../../../src/shell/config/load.js';
import { type Place, traderPlace } from '../../support/processes.js';
import { resolvable } from '../../support/resolvable.js';
import { FIRST_MS, market, wanderingRows, writeRows } from '../backtest/recordings.js';

const MINUTE_MS = 60_000;
/** From the start of one event to that of the next. */
const EVENT_EVERY_MS = 70_000;

export interface SweepPlace extends Place {
  readonly data: string;
}

/** A maker at others' best prices, or some ticks behind them; parameters make it throw or end its thread. */
const MODULE = `
import { defineStrategy } from 'twinbook/strategy';
export default defineStrategy({
  name: 'joiner',
  summary: 'Joins the best prices of others.',
  params: {
    behind_ticks: { kind: 'integer', unit: 'ticks', min: 0, max: 20, default: 0, help: 'Distance from the best price.' },
    order_shares: { kind: 'shares', min: '1', max: '1000', default: '10', help: 'Size.' },
    lean: { kind: 'number', unit: 'ticks per share', min: 0, max: 1, default: 0, help: 'How inventory moves quotes.' },
    mode: { kind: 'choice', choices: ['sound', 'throws', 'rejects', 'exits', 'kills'], default: 'sound', help: 'What it does.' },
    is_quick: { kind: 'boolean', default: true, help: 'Nothing.' },
    rungs: {
      kind: 'rows', minRows: 0, maxRows: 3, default: [{ at_ticks: 1 }], help: 'Nothing.',
      fields: { at_ticks: { kind: 'integer', unit: 'ticks', min: 0, max: 9, default: 1, help: 'Nothing.' } },
    },
  },
  check: ({ behind_ticks, lean }) => (behind_ticks === 5 && lean > 0 ? 'behind_ticks of 5 and lean do not go together' : null),
  create: ({ behind_ticks, order_shares, mode, lean }, { tickMicros }) => ({
    quote({ others, inventory }) {
      if (mode === 'throws') throw new TypeError('no such figure');
      if (mode === 'rejects') void Promise.reject(new TypeError('no handler'));
      if (mode === 'exits') process.exit(7);
      if (mode === 'kills') process.kill(process.pid, 'SIGKILL');
      const [bid, ask] = [others.bids[0]?.priceMicros, others.asks[0]?.priceMicros];
      const nothing = { fairMicros: null, bids: [], asks: [], keepWithinTicks: 0, keepWithinSizeFraction: 0, note: 'no book', factors: {} };
      if (bid === undefined || ask === undefined || bid >= ask) return nothing;
      const shift = Math.round((inventory.netMicros / 1e6) * lean) * tickMicros;
      const level = (price) => ({ priceMicros: Math.min(980000, Math.max(20000, price)), amountMicros: order_shares });
      const low = level(bid - behind_ticks * tickMicros - shift);
      const high = level(Math.max(low.priceMicros + tickMicros, ask + behind_ticks * tickMicros - shift));
      return { ...nothing, fairMicros: Math.round((bid + ask) / 2), bids: [low], asks: [high], note: 'joined' };
    },
  }),
});
`;

export const MAKER = 'strategy: ../joiner.mjs\nmarkets: { select: { state: open }, max: 20 }\n';

const TRADER = `venue: { profile: paper }
wallet: { file: wallet.json }
ledger: { path: data/ledger.sqlite }
capital: "1000"
risk: { max_loss_day: "500", max_drawdown: "500", min_time_to_resolution_s: 0 }
strategies: [strategies/maker.yaml]
`;

export function sweepPlace(strategy = MAKER): SweepPlace {
  const place = traderPlace(TRADER, strategy);
  writeFileSync(join(place.folder, 'joiner.mjs'), MODULE);
  return { ...place, data: join(place.folder, 'recordings') };
}

interface EventsWanted {
  readonly events: number;
  readonly minutes?: number;
  /** Null: the market does not resolve. */
  readonly outcome?: (event: number) => boolean | null;
  /** From the start of one to that of the next. */
  readonly everyMs?: number;
}

/** One market for each event, one after the other, written as `twinbook record` writes. */
export async function record(folder: string, wanted: EventsWanted): Promise<void> {
  const { events, minutes = 1 / 3, everyMs = EVENT_EVERY_MS, outcome = (event) => event % 2 === 0 } = wanted;
  const store = await openRecordingStore(folder, { origin: 'test' });
  for (let event = 0; event < events; event++) {
    const laterMs = event * everyMs;
    const sink = store.market(marketOf(event, laterMs, minutes, outcome(event)));
    writeRows(sink, wanderingRows(event + 1, minutes), laterMs);
  }
  await store.close();
}

const marketOf = (event: number, laterMs: number, minutes: number, outcome: boolean | null): RecordedMarket =>
  market({
    conditionId: deriveConditionId('test', `market ${event}`),
    eventTitle: `Event ${event}`,
    title: `Will event ${event} happen?`,
    openTimeMs: FIRST_MS + laterMs - MINUTE_MS,
    closeTimeMs: FIRST_MS + laterMs + minutes * MINUTE_MS,
    outcome,
    source: { kind: 'twinbook', path: 'test', ticker: `TEST-${event}`, origin: 'test' },
  });

export function querySweep(folder: string, sql: string): Record<string, unknown>[] {
  const db = new SqliteDriver(join(folder, 'sweep.sqlite'), { readonly: true });
  try {
    return db.prepare<[], Record<string, unknown>>(sql).all();
  } finally {
    db.close();
  }
}

/** Every row of every table and view of a sweep's database, in the order of its key. */
export function readSweepTables(folder: string): Record<string, unknown[]> {
  const names = querySweep(folder, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name");
  const rowsOf = (name: unknown) => querySweep(folder, `SELECT * FROM ${name} ORDER BY 1, 2, 3, 4`);
  return Object.fromEntries(names.map(({ name }) => [name, rowsOf(name)]));
}

export interface PlanWishes extends Partial<SweepPlan> {
  readonly params?: readonly string[];
  readonly random?: number;
}

/** Two configurations under the two usual models, on one thread. */
export async function sweepPlan(place: SweepPlace, wishes: PlanWishes = {}): Promise<SweepPlan> {
  const { params = ['behind_ticks=0:1:1', 'order_shares=10'], random, ...changes } = wishes;
  const source = { file: place.config, env: {}, cwd: place.folder };
  const config = await loadConfig(place.config, { ...source, strategyFileToo: true });
  const axes = params.map((text) => readAxis(text, config.strategies, random !== undefined));
  const recordings = await openRecordings([place.data]);
  return {
    config,
    source,
    recordings,
    paths: [place.data],
    search: random === undefined ? gridSearch(config, axes) : randomSearch(config, axes, random, 1),
    fillModels: ['risk-averse', 'power:3'],
    latency: await latencyChoice('constant:100', recordings),
    seed: 1,
    landingMs: 400,
    fees: { makerRateMicros: 0, takerRateMicros: 0 },
    allMarkets: false,
    folds: null,
    embargoMs: 0,
    workers: 1,
    outDir: join(place.folder, 'out'),
    resume: false,
    ...changes,
  };
}

/** A stopped clock, and a stop that the test controls. `onDone` receives the number of finished backtests. */
export function watching(onDone: (done: number) => void = () => undefined) {
  const said: string[] = [];
  const [stopAsked, stop] = resolvable();
  const watcher: SweepWatcher = {
    now: () => 0,
    progress: ({ phase, done }) => {
      if (phase === 'running') onDone(done);
    },
    say: (text) => void said.push(text),
    stopAsked,
  };
  return { watcher, said, stop };
}
