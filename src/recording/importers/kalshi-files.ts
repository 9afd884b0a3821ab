/** Assigns Kalshi files to markets: files of one market are one recording, wherever they are. */

import { basename, dirname, resolve } from 'node:path';
import type { RecordingWarning } from '../contract.js';
import { withConnection } from '../store/duckdb.js';
import { ANY_LAYOUT, type KalshiLayout, lookAtMessage, type MessageLook } from './kalshi-message.js';
import { lineSource } from './message-files.js';
import { isPolymarketMessage } from './polymarket-rows.js';

const LOOKED_AT = 400;
/** Bytes per inspected line; twice that is read of a file. */
const LOOK_BYTES = 256 * 1024;
/** Fraction of messages that follow the previous one by number where no other market shares the subscription. */
const DENSE = 0.9;
const LEAST_NUMBERED = 5;

export interface KalshiFile {
  readonly path: string;
  readonly layout: KalshiLayout;
  /** One of its messages; null for a file without any. */
  readonly example: string | null;
}

export type KalshiGroup = ReturnType<typeof makeGroup>;

interface Look extends KalshiFile {
  readonly ticker: string;
  readonly firstMs: number;
  readonly tickPrecision: number;
  readonly isNumbered: boolean;
}

export async function kalshiGroups(files: readonly string[]) {
  const paths = [...new Map(files.map((file) => [resolve(file), file])).values()];
  const groups = new Map<string, Look[]>();
  // Files with messages of Polymarket, and without any message.
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

/** Files with this ending are often of another kind. */
const MAY_BE_ANYTHING = /\.json(\.gz|\.zst)?$/;

function makeGroup(looks: readonly Look[]) {
  const sorted = [...looks].sort((a, b) => a.firstMs - b.firstMs || (basename(a.path) < basename(b.path) ? -1 : 1));
  const first = new Map<string, Look>();
  const warnings: RecordingWarning[] = [];
  for (const look of sorted) {
    const { path } = look;
    const known = first.get(basename(path));
    if (known === undefined) first.set(basename(path), look);
    else
      warnings.push({
        path,
        message: `${path} is left out: ${known.path} is of the same market and has the same name`,
      });
  }
  return {
    ticker: looks[0]?.ticker ?? '',
    files: [...first.values()].map(({ path, layout, example }) => ({ path, layout, example })),
    /** Decimals of the finest prices: 2 for whole cents, 3 for tenths of a cent, 4 for hundredths. */
    tickPrecision: Math.max(2, ...looks.map(({ tickPrecision }) => tickPrecision)),
    /** Message numbers are consecutive: a missing one is a gap. */
    isNumbered: looks.every(({ isNumbered }) => isNumbered),
    warnings,
  };
}

/**
 * In a set, a market's folder has its name. If no message has that market, the messages name it. Null for messages of
 * Polymarket.
 */
async function lookAt(path: string): Promise<Look | null> {
  const folder = basename(dirname(resolve(path)));
  const lines = await firstLines(path, LOOKED_AT);
  const looks = lines.map(lookAtMessage);
  const seen = looks.filter((look) => look !== null);
  if (seen.length === 0 && lines.some(isPolymarketMessage)) return null;
  const counts = new Map<string, number>();
  for (const { ticker } of seen) counts.set(ticker, (counts.get(ticker) ?? 0) + 1);
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  return {
    path,
    ticker: most === undefined || counts.has(folder) ? folder : most[0],
    layout: { ...ANY_LAYOUT, ...seen[0]?.layout, isCurrent: areCurrent(seen) },
    example: lines[looks.findIndex((look) => look !== null)] ?? null,
    firstMs: seen.find(({ timeMs }) => timeMs !== null)?.timeMs ?? Number.MAX_SAFE_INTEGER,
    tickPrecision: findTick(seen),
    isNumbered: areNumbered(seen),
  };
}

/** True when there is a change or trade among them, and all have the current fields. */
const areCurrent = (seen: readonly MessageLook[]): boolean =>
  seen.some(({ isSnapshot }) => !isSnapshot) && seen.every(({ layout }) => layout.isCurrent);

/** A single odd price outside a snapshot is a broken line. */
function findTick(seen: readonly MessageLook[]): number {
  const [, second = 2] = seen.map(({ precision }) => precision).sort((a, b) => b - a);
  return Math.max(second, ...seen.filter(({ isSnapshot }) => isSnapshot).map(({ precision }) => precision));
}

function areNumbered(seen: readonly MessageLook[]): boolean {
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

/** Beginning of a file; empty for an unreadable one, whose reader reports the reason. */
async function firstLines(path: string, count: number): Promise<string[]> {
  return withConnection(async (connection) => {
    const source = await lineSource(connection, path, LOOK_BYTES).catch(() => null);
    if (source === null) return [];
    const rows = await connection.runAndReadAll(`SELECT line FROM ${source} LIMIT ${count}`).catch(() => null);
    return rows === null ? [] : rows.getRows().map(([line]) => String(line));
  });
}
