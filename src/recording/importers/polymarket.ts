/** Finds the markets of a Polymarket recording: two tokens that mirror each other are one market. */

import { basename } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { TwinbookError } from '../../shared/base/errors.js';
import type { RecordedMarket, Recording, RecordingWarning } from '../contract.js';
import { deriveConditionId } from '../identity.js';
import { brokenRows, fetchChunks, openParquet, ROW_IS_SOUND, readNumbers, readTexts } from '../parquet.js';
import { fileError } from '../store/duckdb.js';
import { type PolymarketFindings, type PolymarketTokens, polymarketChunks } from './polymarket-stream.js';

export const isPolymarketFile = (path: string): boolean => path.endsWith('.parquet');

/** Sizes of trades come with six decimals. */
const AMOUNT_PRECISION = 6;
/** Changes of a token that are compared with the mirror of another's; they come in the same millisecond. */
const SAMPLE = 400;
/** Share of the sample that must agree. A stranger shares next to nothing, a twin all but the edges of the file. */
const TWIN_SHARE = 0.5;

/** Every market of one file. Nothing in it says what the markets are called or how they ended. */
export async function openPolymarket(path: string): Promise<Recording[]> {
  const connection = await openParquet(path);
  try {
    return await marketsIn(connection, path);
  } catch (error) {
    throw fileError('recording_invalid', `cannot read ${path}`, error);
  } finally {
    connection.closeSync();
  }
}

async function marketsIn(connection: DuckDBConnection, path: string): Promise<Recording[]> {
  const warnings: RecordingWarning[] = [];
  const broken = await brokenRows(connection);
  if (broken !== null) warnings.push({ path, message: broken, isDamage: true });
  const tokens = await readTokens(connection);
  if (tokens.length === 0) {
    const why = broken ?? 'it has none';
    throw new TwinbookError(
      'recording_invalid',
      `no event can be read from ${path}: ${why}`,
      'Look whether the file is whole and of this kind; `twinbook data import --help` lists the kinds.',
    );
  }
  const markets: Recording[] = [];
  const lonely = new Map(tokens.map((token) => [token.id, token]));
  for (const yes of tokens) {
    if (!lonely.delete(yes.id)) continue;
    const no = findMirror(yes, [...lonely.values()]);
    if (no === null) warnings.push({ path, message: `token ${short(yes.id)} has no mirror: it is a market by itself` });
    else lonely.delete(no.id);
    const { firstMs, lastMs, tickPrecision } = yes;
    const tokens = { path, yes: yes.id, no: no?.id ?? null };
    markets.push(makeRecording([{ tokens, firstMs, lastMs, tickPrecision, warnings }]));
  }
  return markets;
}

interface Token {
  readonly id: string;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly tickPrecision: number;
  /** `time|price|size|side` of its first changes, and the same as the mirrored token would show them. */
  readonly own: ReadonlySet<string>;
  readonly mirrored: ReadonlySet<string>;
}

/** Sorted by id, so that the choice of the YES token does not depend on the file's order. */
async function readTokens(connection: DuckDBConnection): Promise<Token[]> {
  const about = await fetchChunks(
    connection,
    `SELECT asset_id, min(time_ms), max(time_ms), count(*) FILTER (price_micros % 10000 <> 0)
     FROM events WHERE ${ROW_IS_SOUND} GROUP BY asset_id ORDER BY asset_id`,
  );
  const tokens: Token[] = [];
  const [ids, first, last, fine] = [
    readTexts(about, 0),
    readNumbers(about, 1),
    readNumbers(about, 2),
    readNumbers(about, 3),
  ];
  for (const [at, id] of ids.entries()) {
    const sample = await fetchChunks(
      connection,
      `SELECT time_ms, price_micros, amount_micros, is_bid::DOUBLE FROM events
       WHERE ${ROW_IS_SOUND} AND is_level AND asset_id = '${id}' ORDER BY file_row_number LIMIT ${SAMPLE}`,
    );
    const [times, prices, sizes, bids] = [0, 1, 2, 3].map((column) => readNumbers(sample, column));
    const own = new Set<string>();
    const mirrored = new Set<string>();
    for (const [row, time] of (times ?? []).entries()) {
      const price = prices?.[row] ?? 0;
      const isBid = bids?.[row] === 1;
      own.add(`${time}|${price}|${sizes?.[row]}|${isBid}`);
      mirrored.add(`${time}|${1_000_000 - price}|${sizes?.[row]}|${!isBid}`);
    }
    const tickPrecision = (fine[at] ?? 0) > 0 ? 3 : 2;
    tokens.push({ id, firstMs: first[at] ?? 0, lastMs: last[at] ?? 0, tickPrecision, own, mirrored });
  }
  return tokens;
}

/** The token whose changes are most of all this one's mirrored; null when none's are. */
function findMirror(token: Token, others: readonly Token[]): Token | null {
  let [best, most]: [Token | null, number] = [null, 0];
  for (const other of others) {
    const share = sharedWith(token, other);
    if (share >= TWIN_SHARE && share > most) [best, most] = [other, share];
  }
  return best;
}

function sharedWith(a: Token, b: Token): number {
  let shared = 0;
  for (const key of a.own) if (b.mirrored.has(key)) shared++;
  return shared / Math.max(1, Math.min(a.own.size, b.mirrored.size));
}

/** One file's part of a market. */
interface Capture {
  readonly tokens: PolymarketTokens;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly tickPrecision: number;
  readonly warnings: readonly RecordingWarning[];
}

interface PolymarketRecording extends Recording {
  /** Oldest first. */
  readonly captures: readonly [Capture, ...Capture[]];
}

const isCaptured = (recording: Recording): recording is PolymarketRecording => 'captures' in recording;

/**
 * Files of the same market that follow one another in time become one recording, at the place of the first of them. What
 * overlaps an earlier one stays by itself behind it. Others pass as they are.
 */
export function joinCaptures(opened: readonly Recording[]): Recording[] {
  const taken = new Set<string>();
  return opened.flatMap((recording) => {
    if (!isCaptured(recording)) return [recording];
    const { conditionId } = recording.market;
    if (taken.has(conditionId)) return [];
    taken.add(conditionId);
    return joinRecordings(opened.filter(isCaptured).filter(({ market }) => market.conditionId === conditionId));
  });
}

function joinRecordings(recordings: readonly PolymarketRecording[]): Recording[] {
  const [first, ...later] = [...recordings].sort((a, b) => a.captures[0].firstMs - b.captures[0].firstMs);
  if (first === undefined) return [];
  const chain: [Capture, ...Capture[]] = [...first.captures];
  const apart: Recording[] = [];
  for (const recording of later) {
    if (recording.captures[0].firstMs > (chain.at(-1)?.lastMs ?? 0)) chain.push(...recording.captures);
    else apart.push(recording);
  }
  return [chain.length === 1 ? first : makeRecording(chain), ...apart];
}

function makeRecording(captures: readonly [Capture, ...Capture[]]): PolymarketRecording {
  const { tokens, firstMs } = captures[0];
  const file = basename(tokens.path, '.parquet');
  const market: RecordedMarket = {
    conditionId: deriveConditionId('polymarket', tokens.yes),
    eventTitle: `Recorded in play: ${file}`,
    title: `${file}, token ${short(tokens.yes)}`,
    category: 'sports',
    rules: ['A recorded market whose question and outcome are not known. It closes with its recording, unresolved.'],
    tickPrecision: Math.max(...captures.map(({ tickPrecision }) => tickPrecision)),
    amountPrecision: AMOUNT_PRECISION,
    openTimeMs: firstMs,
    closeTimeMs: captures.at(-1)?.lastMs ?? firstMs,
    closeIsGuessed: true,
    outcome: null,
    source: { kind: 'polymarket', path: tokens.path, ticker: tokens.yes },
  };
  const found: PolymarketFindings = { warnings: [], gaps: [] };
  const files = captures.map((capture) => capture.tokens);
  return {
    market,
    captures,
    get gaps() {
      return found.gaps;
    },
    get warnings() {
      return [...captures.flatMap(({ warnings }) => warnings), ...found.warnings];
    },
    chunks: () => polymarketChunks(files, found),
  };
}

const short = (token: string): string => `${token.slice(0, 4)}…${token.slice(-4)}`;
