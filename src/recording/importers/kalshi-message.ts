/** Groups Kalshi files by market, and parses their messages (with old or new field names) by SQL. */

import { basename, dirname, resolve } from 'node:path';
import { ONE } from '../../shared/base/micros.js';
import { parseJson } from '../../shared/base/text.js';
import { isPrice } from '../chunks.js';
import { type RecordingWarning, SIDE } from '../contract.js';
import { fetchRows, numberOrNull, withConnection } from '../store/duckdb.js';
import { quote } from '../store/layout.js';
import { isCoarseSql, lineSource, numberTimeSql, timeSql, validTimeSql } from './message-files.js';
import { isPolymarketMessage } from './polymarket-rows.js';

const LOOKED_AT = 400;
/** Maximum length of an inspected line, bytes. The read buffer has twice this size. */
const LOOK_BYTES = 256 * 1024;
/** Minimum fraction of consecutive message numbers in a file. Below this fraction, other markets share the numbers. */
const DENSE = 0.9;
const LEAST_NUMBERED = 5;
const FINEST_TICK_MICROS = 100;

type KalshiFacts = NonNullable<Awaited<ReturnType<typeof lookAt>>>;

export type KalshiGroup = ReturnType<typeof makeGroup>;

export async function kalshiGroups(files: readonly string[]) {
  const paths = [...new Map(files.map((file) => [resolve(file), file])).values()];
  const groups = new Map<string, KalshiFacts[]>();
  // Files with Polymarket's messages (`others`), and files without any message (`strangers`).
  const others: string[] = [];
  const strangers: string[] = [];
  for (const path of paths) {
    const look = await lookAt(path);
    if (look === null) others.push(path);
    else if (look.example === null && paths.length > 1 && MAY_BE_ANYTHING.test(path)) strangers.push(path);
    else groups.set(look.ticker, [...(groups.get(look.ticker) ?? []), look]);
  }
  return { groups: [...groups.values()].map(makeGroup), others, strangers };
}

/** Endings of files that often contain no recording. */
const MAY_BE_ANYTHING = /\.json(\.gz|\.zst)?$/;

function makeGroup(looks: readonly KalshiFacts[]) {
  const sorted = [...looks].sort((a, b) => a.firstMs - b.firstMs || (basename(a.path) < basename(b.path) ? -1 : 1));
  const first = new Map<string, KalshiFacts>();
  const warnings: RecordingWarning[] = [];
  for (const look of sorted) {
    const { path } = look;
    const known = first.get(basename(path));
    const message = `${path} is left out: ${known?.path} is a recording of the same market with the same file name`;
    if (known === undefined) first.set(basename(path), look);
    else warnings.push({ path, message });
  }
  return {
    ticker: looks[0]?.ticker ?? '',
    files: [...first.values()],
    /** Number of decimals of the finest prices: 2 for whole cents, 3 for tenths of a cent, 4 for hundredths. */
    tickPrecision: Math.max(2, ...looks.map(({ tickPrecision }) => tickPrecision)),
    /** True if message numbers are consecutive, so that a missing number means a gap. */
    isNumbered: looks.every(({ isNumbered }) => isNumbered),
    warnings,
  };
}

/** Inspects a file; null for Polymarket's. The ticker is the folder's name, unless messages have only other tickers. */
async function lookAt(path: string) {
  const folder = basename(dirname(resolve(path)));
  const lines = await firstLines(path);
  const seen = lines.filter(({ isMessage }) => isMessage);
  if (seen.length === 0 && lines.some(({ line }) => isPolymarketMessage(line))) return null;
  const counts = new Map<string, number>();
  for (const { ticker } of seen) counts.set(ticker, (counts.get(ticker) ?? 0) + 1);
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  const [place = null, ...otherPlaces] = new Set(seen.map((line) => line.place));
  return {
    path,
    /** Path of the content, for a faster parser; null if messages have different paths or old field names. */
    place: otherPlaces.length === 0 && seen.some(({ isSnapshot }) => !isSnapshot) ? place : null,
    ticker: most === undefined || counts.has(folder) ? folder : most[0],
    example: seen[0]?.line ?? null,
    firstMs: seen.find(({ timeMs }) => timeMs !== null)?.timeMs ?? Number.MAX_SAFE_INTEGER,
    tickPrecision: findTick(seen),
    isNumbered: areNumbered(seen),
  };
}

/** Returns the decimals of the finest price. A single finer price outside a snapshot counts as a broken line. */
function findTick(seen: readonly FirstLine[]): number {
  const [, second = 2] = seen.map(({ price }) => precisionOf(price)).sort((a, b) => b - a);
  const books = seen.flatMap(({ line, isSnapshot }) => (isSnapshot ? (readBook(line, FINEST_TICK_MICROS) ?? []) : []));
  return Math.max(second, ...books.map(({ priceMicros }) => precisionOf(priceMicros)));
}

function precisionOf(priceMicros: number): number {
  if (!isPrice(priceMicros, 1) || priceMicros % 10_000 === 0) return 2;
  return priceMicros % 1000 === 0 ? 3 : 4;
}

function areNumbered(seen: readonly FirstLine[]): boolean {
  const last = new Map<number, number>();
  let [steps, dense] = [0, 0];
  for (const { sid, seq } of seen) {
    if (sid === null || seq === null) continue;
    const before = last.get(sid);
    last.set(sid, seq);
    if (before === undefined || before === seq) continue;
    steps++;
    if (seq === before + 1) dense++;
  }
  return steps >= LEAST_NUMBERED && dense >= DENSE * steps;
}

type FirstLine = Awaited<ReturnType<typeof firstLines>>[number];

/** Reads the first lines of a file; empty for an unreadable file, for which a later reader reports the reason. */
async function firstLines(path: string) {
  return withConnection(async (connection) => {
    const source = await lineSource(connection, path, LOOK_BYTES).catch(() => null);
    if (source === null) return [];
    const sql = `SELECT line, ticker, sid, seq, price, type, ${PLACE} AS place, coalesce(ticker, '') <> '' AND type IN ${TYPES} AS known,
        CASE WHEN ${validTimeSql('coalesce(received, time)')} THEN coalesce(received, time) END AS ms
      FROM (${figuresSql(fieldsSql(`(SELECT line FROM ${source} LIMIT ${LOOKED_AT})`))})`;
    const rows = await fetchRows(connection, sql).catch(() => []);
    return rows.map((row) => ({
      line: String(row['line']),
      /** True for a message about a book or a trade. */
      isMessage: row['known'] === true,
      isSnapshot: row['type'] === 'orderbook_snapshot',
      /** Path of the content in a message; null if the message does not have current field names. */
      place: row['place'] as ContentPlace | null,
      ticker: String(row['ticker']),
      sid: numberOrNull(row['sid']),
      seq: numberOrNull(row['seq']),
      timeMs: numberOrNull(row['ms']),
      price: Number(row['price'] ?? Number.NaN),
    }));
  });
}
const LOT_MICROS = 10_000;

/** Maximum time by which a message's time may exceed its receive time, ms. A larger difference means a wrong time. */
const MOST_AHEAD_MS = 60_000;

/** Numbers for the kinds of rows. Only rows of the kinds `broken` and `snapshot` include the text of their line. */
export const ROW_KIND = { broken: 0, other: 1, foreign: 2, snapshot: 3, delta: 4, trade: 5 } as const;

const typed = (type: string, names: readonly string[]) => Object.fromEntries(names.map((name) => [name, type]));
const FIELDS = {
  ...typed('VARCHAR', ['market_ticker', 'side', 'taker_side', 'taker_outcome_side', 'ts_ms', 'ts']),
  ...typed('DOUBLE', ['price_dollars', 'yes_price_dollars', 'no_price_dollars', 'price', 'yes_price', 'no_price']),
  ...typed('DOUBLE', ['delta_fp', 'delta', 'count_fp', 'count']),
};
const TYPES = "('orderbook_snapshot', 'orderbook_delta', 'trade')";
const SHAPE = JSON.stringify({ type: 'VARCHAR', sid: 'DOUBLE', seq: 'DOUBLE', ...FIELDS, msg: FIELDS });

const micros = (number: string, ones = ONE as number): string => `round(${number} * ${ones})`;
const known = (number: string): string => `coalesce(${number}, 'NaN'::DOUBLE)`;

const isMultiple = (number: string, of: number): string => `trunc(${number} / ${of}) * ${of} = ${number}`;

/** Returns SQL that converts lines to the columns of `KalshiStream.take`, in YES space. Unknown numbers are NaN. */
export function kalshiRowSql(lines: string, place: ContentPlace | null, ticker: string, tickMicros: number): string {
  const own = `price > 0 AND price < ${ONE} AND ${isMultiple('price', tickMicros)} AND ${isMultiple('amount', LOT_MICROS)}
    AND abs(amount) <= ${Number.MAX_SAFE_INTEGER} AND ${validTimeSql('time')}
    AND (received IS NULL OR time <= received + ${MOST_AHEAD_MS}) AND outcome IN ('yes', 'no')`;
  return `SELECT kind::UTINYINT, ${known('sid')}, ${known('seq')}, hash(line)::DOUBLE, ${known('received')},
    ${known('time')}, is_coarse::UTINYINT, (CASE outcome WHEN 'yes' THEN ${SIDE.bid} ELSE ${SIDE.ask} END)::UTINYINT,
    (CASE outcome WHEN 'yes' THEN ${known('price')} ELSE ${ONE} - ${known('price')} END), ${known('amount')},
    CASE WHEN kind IN (${ROW_KIND.broken}, ${ROW_KIND.snapshot}) THEN line END
    FROM (SELECT *, CASE WHEN type IS NULL THEN ${ROW_KIND.broken}
      WHEN type NOT IN ${TYPES} THEN ${ROW_KIND.other}
      WHEN coalesce(ticker, '') = '' THEN ${ROW_KIND.broken} WHEN ticker <> ${quote(ticker)} THEN ${ROW_KIND.foreign}
      WHEN type = 'orderbook_snapshot' THEN ${ROW_KIND.snapshot} WHEN (${own}) IS NOT TRUE THEN ${ROW_KIND.broken}
      WHEN type = 'orderbook_delta' THEN ${ROW_KIND.delta} WHEN amount > 0 THEN ${ROW_KIND.trade}
      ELSE ${ROW_KIND.broken} END AS kind
    FROM (${place === null ? figuresSql(fieldsSql(lines)) : currentSql(lines, place)}))`;
}

/** Returns SQL for the fields of each line's message; null if missing. `readContent` reads the same fields. */
function fieldsSql(lines: string): string {
  const names = Object.keys(FIELDS).map((name) => `coalesce(m.msg.${name}, m.${name}) AS ${AS[name] ?? name}`);
  return `(SELECT line, recv, m.type AS type, m.sid AS sid, m.seq AS seq,
    coalesce(m.type = 'trade', false) AS is_trade, ${names.join(', ')}
    FROM (SELECT line, TRY(line ->> '$.recv_ms') AS recv,
      TRY(json_transform(coalesce(line -> '$.event', line), ${quote(SHAPE)})) AS m FROM ${lines}))`;
}

const AS: Readonly<Record<string, string>> = { market_ticker: 'ticker', price: 'own_price', ts: 'ts_text' };

/** Returns SQL for times, prices and amounts, which reads old and new field names. */
const figuresSql = (fields: string): string => `SELECT *, ${timeSql('recv', 'recv_number')} AS received,
    ${timeSql('time_text', 'ts_number')} AS time, ${isCoarseSql('ts_number')} AS is_coarse,
    coalesce(${micros('dollars')}, ${micros('cents', ONE / 100)},
      ${ONE} - ${micros('other_dollars')}, ${ONE} - ${micros('other_cents', ONE / 100)}) AS price,
    ${micros('size')} AS amount
  FROM (SELECT *, try_cast(recv AS DOUBLE) AS recv_number, try_cast(time_text AS DOUBLE) AS ts_number,
    CASE WHEN is_trade THEN CASE outcome WHEN 'yes' THEN yes_price_dollars ELSE no_price_dollars END
      ELSE price_dollars END AS dollars,
    CASE WHEN is_trade THEN CASE outcome WHEN 'yes' THEN yes_price ELSE no_price END ELSE own_price END AS cents,
    CASE WHEN is_trade THEN CASE outcome WHEN 'yes' THEN no_price_dollars ELSE yes_price_dollars END
      END AS other_dollars,
    CASE WHEN is_trade THEN CASE outcome WHEN 'yes' THEN no_price ELSE yes_price END END AS other_cents
  FROM (SELECT *, coalesce(ts_ms, ts_text) AS time_text,
    CASE WHEN is_trade THEN coalesce(count_fp, count) ELSE coalesce(delta_fp, delta) END AS size,
    CASE WHEN is_trade THEN coalesce(taker_side, taker_outcome_side) ELSE side END AS outcome FROM ${fields}))`;

/** Path of a message's content within the JSON of the line. */
type ContentPlace = 'event.msg' | 'event' | 'msg' | '';

const isObject = (path: string) => `coalesce(TRY(json_type(line, '$.${path}')) = 'OBJECT', false)`;

/** SQL for the path of a message's content; null unless the message has current field names and numeric times. */
const PLACE = `CASE WHEN (recv IS NULL OR recv_number IS NOT NULL) AND (type = 'orderbook_snapshot'
    OR try_cast(ts_ms AS DOUBLE) IS NOT NULL AND CASE WHEN is_trade
      THEN taker_side IS NOT NULL AND yes_price_dollars + no_price_dollars + count_fp IS NOT NULL
      ELSE side IS NOT NULL AND price_dollars + delta_fp IS NOT NULL END)
  THEN CASE WHEN ${isObject('event.msg')} THEN 'event.msg' WHEN ${isObject('event')} THEN 'event'
    WHEN ${isObject('msg')} THEN 'msg' ELSE '' END END`;

const CURRENT = {
  ...typed('VARCHAR', ['market_ticker', 'side', 'taker_side']),
  ...typed('DOUBLE', ['price_dollars', 'yes_price_dollars', 'no_price_dollars', 'delta_fp', 'count_fp', 'ts_ms']),
};

/** Returns faster SQL than `figuresSql` with the same result, but only for messages with current field names. */
function currentSql(lines: string, place: ContentPlace): string {
  const head = { type: 'VARCHAR', sid: 'DOUBLE', seq: 'DOUBLE' };
  const message = place.endsWith('msg') ? { ...head, msg: CURRENT } : { ...head, ...CURRENT };
  const isEnveloped = place.startsWith('event');
  const shape = JSON.stringify({ recv_ms: 'DOUBLE', ...(isEnveloped ? { event: message } : message) });
  const [outer, content] = [isEnveloped ? 'j.event' : 'j', place === '' ? 'j' : `j.${place}`];
  const names = Object.keys(CURRENT).map((name) => `${content}.${name} AS ${AS[name] ?? name}`);
  return `SELECT *, ${numberTimeSql('recv')} AS received, ${numberTimeSql('ts_ms')} AS time,
      ${isCoarseSql('ts_ms')} AS is_coarse, ${micros('dollars')} AS price, ${micros('size')} AS amount
    FROM (SELECT *, CASE WHEN is_trade THEN taker_side ELSE side END AS outcome,
      CASE WHEN is_trade THEN CASE taker_side WHEN 'yes' THEN yes_price_dollars ELSE no_price_dollars END
        ELSE price_dollars END AS dollars,
      CASE WHEN is_trade THEN count_fp ELSE delta_fp END AS size
    FROM (SELECT line, j.recv_ms AS recv, ${outer}.type AS type, ${outer}.sid AS sid, ${outer}.seq AS seq,
      coalesce(${outer}.type = 'trade', false) AS is_trade, ${names.join(', ')}
    FROM (SELECT line, TRY(json_transform(line, ${quote(shape)})) AS j FROM ${lines})))`;
}

type LevelAmount = Readonly<{ side: number; priceMicros: number; amountMicros: number }>;

/** Names of a snapshot's two sides in a message, and the factor that converts their prices to micros. */
const SIDES = [
  ['yes_dollars_fp', 'no_dollars_fp', ONE],
  ['yes_dollars', 'no_dollars', ONE],
  ['yes', 'no', ONE / 100],
] as const;

export function readBook(line: string, tickMicros: number): LevelAmount[] | null {
  const content = readContent(line);
  const keys = SIDES.find(([yes, no]) => isThere(content[yes]) || isThere(content[no]));
  // A snapshot with neither side is an empty book. A snapshot whose sides have unknown names is unreadable.
  if (keys === undefined)
    return Object.values(content).some((value) => isThere(value) && typeof value === 'object') ? null : [];
  const [yes, no, ones] = keys;
  const levels = [...readSide(content[yes], SIDE.bid, ones), ...readSide(content[no], SIDE.ask, ones)];
  return levels.every((level) => isLevel(level, tickMicros)) ? levels : null;
}

const isThere = (value: unknown): boolean => value !== undefined && value !== null;

/** Parses one side of a snapshot. Invalid levels have NaN values. A side that is missing or null counts as empty. */
function readSide(rows: unknown, side: number, ones: number): LevelAmount[] {
  if (!isThere(rows)) return [];
  if (!Array.isArray(rows)) return [{ side, priceMicros: Number.NaN, amountMicros: Number.NaN }];
  return rows.map((row: unknown) => {
    const [price, amount] = Array.isArray(row) ? row.map(toNumber) : [];
    const own = Math.round((price ?? Number.NaN) * ones);
    return {
      side,
      priceMicros: side === SIDE.bid ? own : ONE - own,
      amountMicros: Math.round((amount ?? Number.NaN) * ONE),
    };
  });
}

const isLevel = ({ priceMicros, amountMicros }: LevelAmount, tickMicros: number): boolean =>
  isPrice(priceMicros, tickMicros) && amountMicros >= 0 && amountMicros % LOT_MICROS === 0;

const toNumber = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && value !== '') ? Number(value) : Number.NaN;

type Fields = Readonly<Record<string, unknown>>;

/** Returns a message's content, also from an envelope `{recv_ms, event}`. Fields are in `msg` or next to `type`. */
function readContent(line: string): Fields {
  const row = asObject(parseJson(line)) ?? {};
  const message = asObject(row['event']) ?? row;
  return asObject(message['msg']) ?? message;
}

// The cast is safe, because every field is checked before it is used.
const asObject = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
