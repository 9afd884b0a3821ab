/** Small recordings written by tests, and streams read into plain rows. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { EVENT, type EventChunk, type Recording, SIDE } from '../../src/recording/contract.js';
import { newFolder } from '../support/folders.js';

/** The real recordings of this machine; tests that use them are skipped where it is missing. */
export const REAL_DATA = resolve(import.meta.dirname, '../../../shared/data');

export const TICKER = 'KXTEST-26AUG01-00';
/** Open and close of the market that the samples are about. */
export const OPEN_MS = Date.parse('2026-08-01T10:00:00Z');
export const CLOSE_MS = Date.parse('2026-08-01T10:15:00Z');

type Level = readonly [price: string, size: string];

export const snapshot = (receivedMs: number, yes: readonly Level[], no: readonly Level[], ticker = TICKER): string =>
  line('orderbook_snapshot', receivedMs, {
    market_ticker: ticker,
    ...(yes.length > 0 ? { yes_dollars_fp: yes } : {}),
    ...(no.length > 0 ? { no_dollars_fp: no } : {}),
  });

export const delta = (ms: number, side: 'yes' | 'no', price: string, change: string, ticker = TICKER): string =>
  line('orderbook_delta', ms + 20, { market_ticker: ticker, price_dollars: price, delta_fp: change, side, ts_ms: ms });

export const trade = (ms: number, taker: 'yes' | 'no', yesPrice: string, noPrice: string, count: string): string =>
  line('trade', ms + 20, {
    market_ticker: TICKER,
    yes_price_dollars: yesPrice,
    no_price_dollars: noPrice,
    count_fp: count,
    taker_side: taker,
    ts_ms: ms,
  });

const line = (type: string, receivedMs: number, msg: object): string =>
  JSON.stringify({ recv_ms: receivedMs, event: { type, sid: 1, seq: 1, msg } });

/** Irrelevant messages, which keep the share of broken lines below one in a hundred. */
export const PADDING = Array.from({ length: 600 }, (_, at) =>
  JSON.stringify({ recv_ms: OPEN_MS, event: { type: 'subscribed', id: at } }),
);
export const PADDED = '600 messages that are neither about a book nor a trade were skipped';

/** Writes a set of one window and returns its folder; `about: false` omits its description. */
export function writeKalshi(lines: readonly string[], { about = true, result = 'yes', settlement = '' } = {}): string {
  const set = newFolder();
  const file = kalshiFile(set);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, gzipSync(`${lines.join('\n')}\n`));
  if (about) {
    writeFileSync(
      join(set, 'MARKETS.csv'),
      `window,event_ticker,open_time,close_time,result,settlement_value_dollars\n${TICKER},KXTEST-26AUG01,2026-08-01T10:00:00Z,2026-08-01T10:15:00Z,${result},${settlement}\n`,
    );
  }
  return set;
}

export const kalshiFile = (set: string): string => join(set, 'events', TICKER, '2026-08-01.ndjson.gz');

/** An event as the tests write it: `100 trade bid 0.42 10`. */
export async function rowsOf(recording: Recording | undefined, zeroMs = 0): Promise<string[]> {
  const rows: string[] = [];
  for await (const chunk of recording?.chunks() ?? []) {
    for (let at = 0; at < chunk.length; at++) rows.push(rowOf(chunk, at, zeroMs));
  }
  return rows;
}

const KINDS = Object.entries(EVENT);

function rowOf(chunk: EventChunk, at: number, zeroMs: number): string {
  const kind = KINDS.find(([, code]) => code === chunk.kind[at])?.[0] ?? '?';
  const timeMs = (chunk.timeMs[at] ?? Number.NaN) - zeroMs;
  if (kind === 'clear' || kind === 'end') return `${timeMs} ${kind}`;
  const side = chunk.side[at] === SIDE.bid ? 'bid' : 'ask';
  return `${timeMs} ${kind} ${side} ${(chunk.priceMicros[at] ?? 0) / 1e6} ${(chunk.amountMicros[at] ?? 0) / 1e6}`;
}
