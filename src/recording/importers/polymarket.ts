/** Opens the markets of Polymarket recordings. Two tokens whose prices mirror each other are one market. */

import { basename } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { stepOfPrecision } from '../../shared/base/micros.js';
import {
  deriveConditionId,
  invalidRecording,
  type ReadFindings,
  type RecordedMarket,
  type Recording,
  type RecordingWarning,
} from '../contract.js';
import { fetchRows, fileError, withConnection } from '../store/duckdb.js';
import { parquetSource, quote } from '../store/layout.js';
import { describeColumns } from './message-files.js';
import { brokenRows, formOf, type OpenEvents, openEvents, ROW_IS_SOUND, sortByMarket } from './polymarket-rows.js';
import { type PolymarketCapture, polymarketChunks } from './polymarket-stream.js';

/** Number of decimals of a share amount. The sizes of Polymarket's trades have six decimals. */
const AMOUNT_PRECISION = 6;
/** Number of a token's first changes that are compared with other tokens' mirrored changes, to find its twin. */
const SAMPLE = 400;
/** Minimum fraction of matching changes for twin tokens. The changes of other tokens almost never match. */
const TWIN_SHARE = 0.5;

/** Returns the hour in an archive file's name, in hours since 1970; null for other names. */
function hourOf(path: string): number | null {
  const [, day, hour] = /(\d{4}-\d\d-\d\d)T(\d\d)/.exec(basename(path)) ?? [];
  const ms = day === undefined ? Number.NaN : Date.parse(`${day}T${hour}:00:00Z`);
  return Number.isNaN(ms) ? null : ms / 3_600_000;
}

interface PolymarketReading {
  /** Wanted markets: ids of markets or tokens, or prefixes of them. Without a list, all markets are wanted. */
  readonly markets: readonly string[];
  /** Hours, counted from 1970, of opened archive files that are not empty. Opening such a file adds its hour. */
  readonly hours: Set<number>;
  /** Returns a temporary folder, which the caller removes; null if the whole file is read for each market. */
  readonly scratch: () => string | null;
}

/** Inspects a Parquet file; null if it is not Polymarket's. `openPolymarket` reports an unreadable Parquet file. */
export async function lookAtPolymarket(path: string) {
  if (!path.endsWith('.parquet')) return null;
  return withConnection(async (connection) => {
    const source = parquetSource(path);
    const columns = await describeColumns(connection, source).catch(() => null);
    if (columns === null) return { isEmpty: false };
    if (['event', 'msg', 'market_ticker'].some((name) => columns.has(name))) return null;
    // An archive file without any row means that the file's hour is a gap.
    const isArchive = formOf(columns) === 'archive';
    return { isEmpty: isArchive && (await fetchRows(connection, `SELECT 1 FROM ${source} LIMIT 1`)).length === 0 };
  });
}

/** Opens the wanted markets of one file. The files have neither titles nor outcomes of markets. */
export async function openPolymarket(path: string, reading: PolymarketReading): Promise<Recording[]> {
  const events = await openEvents(path, reading.markets);
  try {
    return await marketsIn(events, path, reading);
  } catch (error) {
    throw fileError('recording_invalid', `cannot read ${path}`, error);
  } finally {
    events.connection.closeSync();
  }
}

async function marketsIn(events: OpenEvents, path: string, { markets: wanted, hours, scratch }: PolymarketReading) {
  const warnings: RecordingWarning[] = [];
  const broken = await brokenRows(events, path);
  if (broken !== null) warnings.push({ path, message: broken, isDamage: true });
  const tokens = await readTokens(events.connection);
  const hour = events.form === 'archive' ? hourOf(path) : null;
  if (hour !== null) hours.add(hour);
  if (tokens.length === 0) {
    if (wanted.length > 0) return [];
    const why = broken ?? 'the file has no event';
    const hint = 'Check whether the file is complete and of this kind; `twinbook data import --help` lists the kinds.';
    throw invalidRecording(`no event can be read from ${path}: ${why}`, hint);
  }
  const pairs = await pairTokens(events.connection, tokens, path, warnings);
  const isSortable = pairs.length > FEW_MARKETS && tokens.every(({ market }) => market !== null);
  let copy: Promise<string> | null = null;
  const sorted = () => {
    const folder = isSortable ? scratch() : null;
    if (folder !== null) copy ??= sortByMarket(path, wanted, folder);
    return copy;
  };
  return pairs.map(([yes, no]) => {
    const { firstMs, lastMs, market } = yes;
    const tickPrecision = Math.max(yes.tickPrecision, no?.tickPrecision ?? 0);
    const file = { path, hour, form: events.form, sorted, warnings };
    return makeRecording([{ ...file, yes: yes.id, no: no?.id ?? null, market, firstMs, lastMs, tickPrecision }], hours);
  });
}

/** For up to this number of markets, reading the file once for each market is faster than sorting the file. */
const FEW_MARKETS = 2;

/** Pairs the two tokens of each market by the market's id, or by mirrored changes if no message has the id. */
async function pairTokens(
  connection: DuckDBConnection,
  tokens: readonly Token[],
  path: string,
  warnings: RecordingWarning[],
): Promise<[yes: Token, no: Token | null][]> {
  const lonely = new Map(tokens.map((token) => [token.id, token]));
  const byMarket = new Map<string, Token[]>();
  for (const token of tokens)
    if (token.market !== null) byMarket.set(token.market, [...(byMarket.get(token.market) ?? []), token]);
  const pairs: [Token, Token | null][] = [];
  const samples = new Map<string, ChangeSample>();
  for (const token of tokens) if (token.market === null) samples.set(token.id, await readSample(connection, token.id));
  for (const first of tokens) {
    if (!lonely.delete(first.id)) continue;
    const twin =
      first.market === null
        ? findMirror(first, [...lonely.values()], samples)
        : (byMarket.get(first.market)?.find(({ id }) => lonely.has(id)) ?? null);
    if (twin !== null) lonely.delete(twin.id);
    else warnings.push({ path, message: `token ${short(first.id)} has no opposite token; it is a separate market` });
    pairs.push(twin?.isYes === true ? [twin, first] : [first, twin]);
  }
  return pairs;
}

type Token = Awaited<ReturnType<typeof readTokens>>[number];

/** Returns the tokens, sorted by id, so that the choice of the YES token does not depend on the file's order. */
async function readTokens(connection: DuckDBConnection) {
  const sql = `SELECT asset_id, any_value(market_id) AS market, bool_or(is_yes) AS is_yes, min(time_ms) AS first,
      max(time_ms) AS last, max(${FINEST_DECIMALS}) AS decimals
    FROM events WHERE ${ROW_IS_SOUND} GROUP BY asset_id ORDER BY asset_id`;
  return (await fetchRows(connection, sql)).map((row) => ({
    id: String(row['asset_id']),
    /** The venue's id of the token's market; null if no message has it. */
    market: row['market'] === null ? null : String(row['market']),
    // The column `is_yes` contains booleans and nulls.
    isYes: row['is_yes'] as boolean | null,
    firstMs: Number(row['first']),
    lastMs: Number(row['last']),
    tickPrecision: Number(row['decimals']),
  }));
}

/** Returns SQL for a price's number of decimals, 2 to 4. The number is 2 for an invalid price. */
const decimals = (price: string) => `CASE WHEN ${price} NOT BETWEEN 1 AND 999999 OR ${price} % 100 <> 0 THEN 2
  WHEN ${price} % 1000 <> 0 THEN 4 WHEN ${price} % 10000 <> 0 THEN 3 ELSE 2 END`;

/** SQL for the most decimals of a row's prices. A book is parsed only if a number in it has more than two decimals. */
const FINEST_DECIMALS = `greatest(${['price_micros', 'best_bid_micros', 'best_ask_micros'].map(decimals).join(', ')},
  CASE WHEN regexp_matches(sides, '[^0-9]0*[.][0-9]{2}0*[1-9]') THEN list_max(list_transform(list_transform(
    json_extract_string(sides, '$[*][*][0]') || json_extract_string(sides, '$[*][*].price'),
    lambda price: round(try_cast(price AS DOUBLE) * 1e6)), lambda price: ${decimals('price')})) END)`;

type ChangeSample = Awaited<ReturnType<typeof readSample>>;

/** Returns a token's first changes as texts `time|price|size|side`, and the mirrored changes of its twin. */
async function readSample(connection: DuckDBConnection, id: string) {
  const sql = `SELECT time_ms, price_micros, amount_micros, is_bid FROM events
    WHERE ${ROW_IS_SOUND} AND is_level AND asset_id = ${quote(id)} LIMIT ${SAMPLE}`;
  const rows = await fetchRows(connection, sql);
  const keys = (isMirrored: boolean) =>
    new Set(
      rows.map(({ time_ms: time, price_micros: price, amount_micros: size, is_bid: isBid }) =>
        [time, isMirrored ? 1_000_000 - Number(price) : price, size, isMirrored !== isBid].join('|'),
      ),
    );
  return { own: keys(false), mirrored: keys(true) };
}

/** Returns the other token that mirrors the largest fraction of this token's changes; null if no token matches. */
function findMirror(token: Token, others: readonly Token[], samples: ReadonlyMap<string, ChangeSample>): Token | null {
  let [best, most]: [Token | null, number] = [null, 0];
  for (const other of others) {
    const share = sharedWith(samples.get(token.id), samples.get(other.id));
    if (share >= TWIN_SHARE && share > most) [best, most] = [other, share];
  }
  return best;
}

function sharedWith(a: ChangeSample | undefined, b: ChangeSample | undefined): number {
  if (a === undefined || b === undefined) return 0;
  const shared = [...a.own].filter((key) => b.mirrored.has(key)).length;
  return shared / Math.max(1, Math.min(a.own.size, b.mirrored.size));
}

/** Files of a market, oldest first. */
type Captures = readonly [PolymarketCapture, ...PolymarketCapture[]];

type PolymarketRecording = Recording & Readonly<{ captures: Captures; hours: ReadonlySet<number> }>;

const isCaptured = (recording: Recording): recording is PolymarketRecording => 'captures' in recording;

/** Joins consecutive files of a market into one recording. Files that overlap stay separate recordings. */
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
  const [first, ...later] = [...recordings].sort((a, b) => startOf(a) - startOf(b) || firstOf(a) - firstOf(b));
  if (first === undefined) return [];
  const chain: [PolymarketCapture, ...PolymarketCapture[]] = [...first.captures];
  const apart: Recording[] = [];
  for (const recording of later) {
    const [{ hour, firstMs }] = recording.captures;
    const last = chain.at(-1) ?? chain[0];
    // An archive file has the rows received in one hour, so the venue's times in two files may overlap.
    const isLater = hour !== null && last.hour !== null && hour > last.hour;
    if (isLater || firstMs > last.lastMs) chain.push(...recording.captures);
    else apart.push(recording);
  }
  return [chain.length === 1 ? first : makeRecording(chain, first.hours), ...apart];
}

const firstOf = ({ captures: [{ firstMs }] }: PolymarketRecording): number => firstMs;
const startOf = ({ captures: [{ hour, firstMs }] }: PolymarketRecording): number => (hour ?? 0) * 3_600_000 || firstMs;

function makeRecording(captures: Captures, hours: ReadonlySet<number>): PolymarketRecording {
  const { path, market: id, yes, firstMs } = captures[0];
  const file = basename(path, '.parquet');
  const name = id ?? yes;
  const market: RecordedMarket = {
    conditionId: deriveConditionId('polymarket', name),
    eventTitle: id === null ? `Recorded in play: ${file}` : `Polymarket ${short(name)}`,
    title: id === null ? `${file}, token ${short(yes)}` : `Market ${short(name)}`,
    category: 'sports',
    rules: ['This recorded market’s question and outcome are not known. It closes unresolved at the recording’s end.'],
    tickPrecision: Math.max(...captures.map(({ tickPrecision }) => tickPrecision)),
    amountPrecision: AMOUNT_PRECISION,
    openTimeMs: firstMs,
    closeTimeMs: Math.max(...captures.map(({ lastMs }) => lastMs)),
    closeIsGuessed: true,
    outcome: null,
    source: { kind: 'polymarket', path, ticker: name },
  };
  const found: ReadFindings = { warnings: [], gaps: [] };
  return {
    market,
    captures,
    hours,
    get gaps() {
      return found.gaps;
    },
    get warnings() {
      return [...captures.flatMap(({ warnings }) => warnings), ...found.warnings];
    },
    chunks: () => polymarketChunks(captures, hours, stepOfPrecision(market.tickPrecision), found),
  };
}

const short = (token: string): string => `${token.slice(0, 4)}…${token.slice(-4)}`;
