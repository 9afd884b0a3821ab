/**
 * `npm run lab -- lag [--seconds N] [--loops N]`: age of the page's figures relative to the trader's own, while N busy
 * loops share the machine. Exits with 1 when a figure was older than 2 s.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { MarketStatus } from '../../../src/shared/protocol/trader-status.js';
import { loadTraderConfig } from '../../../src/shell/config/load.js';
import type { ServedState } from '../../../src/shell/console/page-state.js';
import { askTrader } from '../../../src/shell/control/control-client.js';
import build from '../../support/build.js';
import { openPageSession } from '../../support/page-client.js';
import { program } from '../../support/processes.js';
import { startDemo } from './demo.js';

type PageMarket = ServedState['markets'][number];
type Figures = Readonly<Record<string, number | null>>;

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '40' }, loops: { type: 'string', default: '10' } },
});
const LARGEST_MS = 2_000;
const SAMPLING_MS = 100;

const ofTrader = (one: MarketStatus): Figures => ({
  ...{ best_bid: one.bestBidMicros, best_ask: one.bestAskMicros, fair: one.fairMicros },
  ...{ bid: one.bidMicros, ask: one.askMicros, orders: one.orders.length, age: one.bookSeenMs },
});

const micros = (text: string | null): number | null =>
  text === null || text === '' ? null : Math.round(Number(text) * 1e6);

const ofPage = (one: PageMarket): Figures => ({
  ...{ best_bid: micros(one.best_bid), best_ask: micros(one.best_ask), fair: micros(one.fair) },
  ...{ bid: micros(one.bid), ask: micros(one.ask), orders: one.open_orders, age: one.book_seen },
});

/** The page asks this long after each answer, ms. */
const POLL_MS = 500;
/** Newest state of the page. */
let shown: ServedState | null = null;

async function readStates(url: string, token: string): Promise<void> {
  const { ask } = await openPageSession(url, token);
  for (;;) {
    shown = (await (await ask('/state')).json()) as ServedState;
    await wait(POLL_MS);
  }
}

/** When each value was last the trader's, by market and figure, Unix ms. */
const lastMs = new Map<string, Map<number | null, number>>();
const largest = new Map<string, number>();
/** Comparisons with a value that no sample has. */
const unsampled = new Map<string, number>();

function compare(markets: readonly MarketStatus[], timeMs: number): void {
  for (const market of markets) {
    const page = shown?.markets.find(({ id }) => id === market.conditionId);
    for (const [name, value] of Object.entries(ofTrader(market))) {
      const key = `${market.conditionId} ${name}`;
      const known = lastMs.get(key) ?? new Map<number | null, number>();
      lastMs.set(key, known.set(value, timeMs));
      if (page === undefined) continue;
      const seen = ofPage(page)[name] ?? null;
      // A value between two samples was the trader's for less than a sample; `age` finds a page that is late as a whole.
      if (!known.has(seen)) unsampled.set(name, (unsampled.get(name) ?? 0) + 1);
      const current = known.get(seen) ?? (name === 'age' ? newestBefore(known, seen) : timeMs);
      largest.set(name, Math.max(largest.get(name) ?? 0, timeMs - current));
    }
  }
}

const newestBefore = (known: ReadonlyMap<number | null, number>, seen: number | null): number =>
  Math.max(0, ...[...known].filter(([value]) => (value ?? 0) <= (seen ?? 0)).map(([, timeMs]) => timeMs));

build();
const place = mkdtempSync(join(tmpdir(), 'twinbook-lag-'));
const demo = await startDemo(place);
const { socket } = loadTraderConfig(demo.file, { cwd: place, env: {} }).control;
const loops = Array.from({ length: Number(values.loops) }, () => program(process.execPath, ['-e', 'for (;;);']));
try {
  void readStates(demo.url, demo.token).catch((error: unknown) => console.log(String(error)));
  const endMs = Date.now() + Number(values.seconds) * 1000;
  let samples = 0;
  for (; Date.now() < endMs; await wait(SAMPLING_MS)) {
    const { markets } = await askTrader({ command: 'status' }, { socket, timeoutMs: 10_000 });
    compare(markets, Date.now());
    samples += 1;
  }
  console.log(`${samples} samples; brake ${shown === null ? 'not known' : (shown as ServedState).brake}`);
  for (const [name, ms] of largest)
    console.log(
      `${ms > LARGEST_MS ? 'OLD' : 'ok '} ${name}: at most ${ms} ms older; ${unsampled.get(name) ?? 0} not compared`,
    );
  process.exitCode = largest.size === 0 || Math.max(...largest.values()) > LARGEST_MS ? 1 : 0;
} finally {
  for (const loop of loops) loop.process.kill('SIGKILL');
  await demo.stop();
  rmSync(place, { recursive: true, force: true });
}
