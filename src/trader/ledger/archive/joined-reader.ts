/** A ledger together with its archives, as if nothing had ever left it: for reports, lists and whoever asks why. */

import type { IntentKind, IntentRow, IntentState, LedgerReader, OrderRecord, Page } from '../contract.js';
import { isFinalIntent } from '../contract.js';
import { Database } from '../database.js';
import { Filter, SqliteReader } from '../reads.js';
import * as rows from '../rows.js';
import { ArchiveReader, listArchives } from './archive-file.js';

type IntentPage = Page & { readonly states?: readonly IntentState[]; readonly kind?: IntentKind };
type OrderPage = Page & { readonly statuses?: readonly string[] };

/** Works beside a running trader and without one. Throws as `openReadOnly`, and `file_unreadable` for an archive that cannot be read. */
export function openWithArchives(path: string): LedgerReader {
  const archives: ArchiveReader[] = [];
  try {
    for (const archive of listArchives(path)) archives.unshift(new ArchiveReader(archive.path));
    return new JoinedReader(Database.openReadOnly(path), archives);
  } catch (error) {
    for (const archive of archives) archive.close();
    throw error;
  }
}

class JoinedReader extends SqliteReader {
  /** Newest first. */
  readonly #archives: readonly ArchiveReader[];

  constructor(db: Database, archives: readonly ArchiveReader[]) {
    super(db);
    this.#archives = archives;
  }

  override intent(id: string): IntentRow | null {
    const known = super.intent(id);
    if (known !== null && known.message !== null) return known;
    const filter = new Filter({ limit: 1 }).is('id', id);
    const archived = this.#archives.flatMap((archive) => archive.intents(filter)).map(rows.toIntent)[0] ?? null;
    return known === null || archived === null ? (known ?? archived) : withTexts(known, archived);
  }

  override intents(page: IntentPage = {}): IntentRow[] {
    const own = super.intents(page);
    if (page.states?.some(isFinalIntent) === false) return own;
    const filter = new Filter(page).whereIn('state', page.states).is('kind', page.kind);
    const archived = this.#archives.flatMap((archive) => archive.intents(filter)).map(rows.toIntent);
    const texts = new Map(archived.map((row) => [row.id, row]));
    const whole = own.map((row) => withTexts(row, texts.get(row.id) ?? null));
    return joinRows(whole, archived, page.limit, ({ id }) => id);
  }

  override orders(page: OrderPage = {}): OrderRecord[] {
    const own = super.orders(page);
    const filter = new Filter(page).whereIn('status', page.statuses);
    const archived = this.#archives.flatMap((archive) => archive.orders(filter)).map(rows.toOrder);
    return joinRows(own, archived, page.limit, ({ pubkey }) => pubkey);
  }

  override close(): void {
    super.close();
    for (const archive of this.#archives) archive.close();
  }
}

/** The ledger's own row goes before the archive's: it may have come back, from a backup too, and gone on since. */
function withTexts(row: IntentRow, archived: IntentRow | null): IntentRow {
  if (archived === null || row.message !== null) return row;
  const { message, signature, expiresAtS } = archived;
  return { ...row, message, signature, expiresAtS };
}

function joinRows<Row extends { readonly createdMs: number }>(
  own: readonly Row[],
  archived: readonly Row[],
  limit: number | undefined,
  key: (row: Row) => string,
): Row[] {
  const known = new Set(own.map(key));
  const all = [...own, ...archived.filter((row) => !known.has(key(row)))];
  return all.sort((a, b) => b.createdMs - a.createdMs).slice(0, limit ?? own.length + archived.length);
}
