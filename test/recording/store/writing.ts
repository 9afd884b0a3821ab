/** Recordings written by tests through the store, and streams read back into plain rows. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedMarket, Recording } from '../../../src/recording/contract.js';
import { openRecordings } from '../../../src/recording/recording.js';
import type { MarketSink, Stamp } from '../../../src/recording/store/segment.js';
import { openRecordingStore, type RecordingStore } from '../../../src/recording/store/store.js';

/** A minute before midnight, so that a stream of some minutes spans two days. */
export const START_MS = Date.UTC(2026, 10, 20, 23, 59);

export const market = (changes: Partial<RecordedMarket> = {}): RecordedMarket => ({
  conditionId: 'market-1',
  eventTitle: 'An event',
  eventConditionId: 'E',
  title: 'Will it happen?',
  category: 'crypto',
  rules: ['It happens.'],
  tickPrecision: 2,
  amountPrecision: 2,
  openTimeMs: START_MS,
  closeTimeMs: START_MS + 600_000,
  outcome: true,
  fees: { makerRateMicros: 0, takerRateMicros: 10_000 },
  source: { kind: 'twinbook', path: '', ticker: 'TICKER' },
  ...changes,
});

/** `ms` after the start; seen 40 ms later. */
export const at = (ms: number): Stamp => ({ timeMs: START_MS + ms, seenMs: START_MS + ms + 40 });

export const openStore = (folder: string, settings: Omit<Parameters<typeof openRecordingStore>[1], 'origin'> = {}) =>
  openRecordingStore(folder, { origin: 'test', ...settings });

/** Opens a store, lets `write` fill one market, closes it. Returns the folder. */
export async function written(
  folder: string,
  write: (sink: MarketSink, store: RecordingStore) => void | Promise<void>,
  settings: Parameters<typeof openStore>[1] = {},
  changes: Partial<RecordedMarket> = {},
): Promise<string> {
  const store = await openStore(folder, settings);
  await write(store.market(market(changes)), store);
  await store.close();
  return folder;
}

/** Records events in the form of `rowsOf`, such as `100 trade bid 0.42 10`. */
export function put(sink: MarketSink, ...rows: readonly string[]): void {
  for (const row of rows) {
    const [ms, kind, side, price, shares] = row.split(' ');
    const [priceMicros = 0, amountMicros = 0] = [price, shares].map((text) => Math.round(Number(text) * 1e6));
    if (kind === 'clear' || kind === 'end') sink[kind](at(Number(ms)));
    else sink[kind === 'level' ? kind : 'trade'](at(Number(ms)), side === 'bid' ? 0 : 1, priceMicros, amountMicros);
  }
}

/** A small market from its first book to its end, over midnight. */
export const shortLife = (sink: MarketSink): void => put(sink, ...SHORT_LIFE);

export const SHORT_LIFE = [
  '0 clear',
  '0 level bid 0.4 10',
  '0 level ask 0.45 20',
  '1000 trade bid 0.45 5',
  '1000 level ask 0.45 15',
  '61000 level bid 0.41 7',
  '120000 end',
];

export async function opened(folder: string): Promise<Recording> {
  const [recording, ...others] = await openRecordings([folder]);
  if (recording === undefined || others.length > 0) throw new Error(`not one recording but ${others.length + 1}`);
  return recording;
}

/** Files of the folder's days, by their names below the market's folder. */
export const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
