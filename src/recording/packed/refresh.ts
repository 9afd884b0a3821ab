/** What is learnt of a market after its day was packed, such as its outcome. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withConnection } from '../store/duckdb.js';
import { writeJson } from '../store/json-file.js';
import { MANIFEST } from '../store/layout.js';
import { MARKET_COLUMNS, type MarketRow } from './index-table.js';
import type { PackedManifest } from './manifest.js';
import { marketsName } from './names.js';
import { findHindrance, readSourceDay, type SourceDay } from './plan.js';
import type { PackedDay, PackedMarket } from './read-day.js';
import { describeDay, writeLines } from './write-tables.js';

/**
 * Takes up descriptions that the folders of the day's markets know better. Tells in `left` which of these folders the packed
 * day does not hold: they came later, or are others than were packed.
 */
export async function refreshMarkets(day: PackedDay, folders: readonly string[], left: string[]): Promise<void> {
  const newer = new Map<string, MarketRow>();
  for (const folder of folders) {
    if (findHindrance(folder) !== null) {
      left.push(`${day.date} is packed already, ${folder} was written since: it stays as it is`);
      continue;
    }
    const source = readSourceDay(folder);
    const packed = day.markets.get(source.market);
    if (packed === undefined || !holdsFiles(packed, source)) {
      const what = packed === undefined ? 'came later' : 'has other files than were packed';
      left.push(`${day.date} is packed already, ${folder} ${what}: it stays as it is`);
    } else if (packed.description !== source.description) newer.set(source.market, describeDay(source));
  }
  if (newer.size === 0) return;
  const rows = [...day.markets.values()].map((market) => newer.get(market.market) ?? describePacked(market));
  await replaceMarkets(day, rows);
}

/** Whether the packed day was made of exactly these files. */
export function holdsFiles({ rows, manifest: was }: PackedMarket, { manifest }: SourceDay): boolean {
  return (
    rows.length === manifest.files.length &&
    manifest.files.every(
      ({ name, sha256 }, at) => rows[at]?.source_name === name && rows[at]?.source_sha256 === sha256,
    ) &&
    was.refused === manifest.refused &&
    was.stepped_back === manifest.stepped_back &&
    was.broken_lines === manifest.broken_lines
  );
}

const describePacked = ({ market, manifest, description, described }: PackedMarket): MarketRow =>
  describeDay({
    market,
    folder: '',
    manifest,
    description,
    ticker: described?.market.source.ticker ?? null,
    title: described?.market.title ?? null,
  });

/** The manifest names the new table in one step; the old one is removed after. */
async function replaceMarkets({ folder, manifest }: PackedDay, rows: readonly MarketRow[]): Promise<void> {
  const before = manifest.files.filter(({ table }) => table === 'markets').map(({ name }) => name);
  const numbers = before.map((name) => Number(/\d+/.exec(name)?.[0] ?? 0));
  const name = marketsName(Math.max(0, ...numbers) + 1);
  const written = await withConnection((connection) => writeLines(connection, folder, name, MARKET_COLUMNS, rows));
  const kept = manifest.files.filter(({ table }) => table !== 'markets');
  const next: PackedManifest = { ...manifest, files: [...kept, { table: 'markets', name, ...written }] };
  writeJson(join(folder, MANIFEST), next);
  for (const old of before) await rm(join(folder, old), { force: true });
}
