/** A real window cut in half leads to the same decisions up to the cut. */

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { EVENT } from '../../../src/recording/contract.js';
import { openRecordings } from '../../../src/recording/recording.js';
import { REAL_DATA } from '../../recording/samples.js';
import { times } from '../../support/effort.js';
import { newFolder } from '../../support/folders.js';
import { decisionsBefore, ordersIn, PRINTS_LATE_MS } from './decisions.js';

const KALSHI = join(REAL_DATA, 'kalshi-gold15m');
/** The set's facts about its markets: closing times and outcomes. */
const ABOUT = ['MARKETS.csv', 'metadata'];

/** The first file of messages of a window, below the set's folder. */
function fileOf(ticker: string): string {
  const folder = join('events', ticker);
  const [file = ''] = readdirSync(join(KALSHI, folder));
  return join(folder, file);
}

/** A set of this window alone, with a part of its messages, with or without its facts. */
function setOf(ticker: string, part: number, about: boolean): string {
  const set = newFolder();
  const file = fileOf(ticker);
  const lines = gunzipSync(readFileSync(join(KALSHI, file)))
    .toString('utf8')
    .split('\n');
  mkdirSync(dirname(join(set, file)), { recursive: true });
  writeFileSync(join(set, file), gzipSync(`${lines.slice(0, Math.floor(lines.length * part)).join('\n')}\n`));
  if (about) for (const name of ABOUT) cpSync(join(KALSHI, name), join(set, name), { recursive: true });
  return set;
}

/** Time of the newest level or trade, Unix ms. */
async function lastEventMs(set: string): Promise<number> {
  const [recording] = await openRecordings([set]);
  let lastMs = 0;
  for await (const { length, kind, timeMs } of recording?.chunks() ?? []) {
    for (let at = 0; at < length; at++) if (kind[at] !== EVENT.end) lastMs = timeMs[at] ?? lastMs;
  }
  return lastMs;
}

const tickers = existsSync(KALSHI) ? readdirSync(join(KALSHI, 'events')).sort() : [];
const [first = '', last = ''] = [tickers[0], tickers.at(-1)];

const windows = [
  [first, 'with the record of its market', true],
  [last, 'without one', false],
] as const;

it.skipIf(!existsSync(KALSHI)).each(times(windows.slice(0, 1), [...windows]))(
  'a real window (needs ../shared/data): %s, %s, cut in half it decides the same requests until then',
  async (ticker, _, about) => {
    const [whole, half] = [setOf(ticker, 1, about), setOf(ticker, 0.5, about)];
    const cutMs = await lastEventMs(half);
    expect(await lastEventMs(whole)).toBeGreaterThan(cutMs + 60_000);
    const untilMs = cutMs - PRINTS_LATE_MS;
    const wanted = await decisionsBefore(untilMs, whole);
    expect(ordersIn(wanted)).toBeGreaterThan(10);
    expect(await decisionsBefore(untilMs, half)).toEqual(wanted);
  },
);
