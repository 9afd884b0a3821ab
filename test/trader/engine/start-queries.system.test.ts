/** The ledger queries of a trader, from start to end, must not take longer on an old ledger. */

import type Sqlite from 'better-sqlite3';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { simulate } from '../../simulation/simulate.js';
import { HOLDER, inFolder } from '../ledger/books.js';

/** Tables to which every order, fill, conversion, capital change and event adds rows. */
const HISTORY =
  /^(SCAN|SEARCH) (intents|orders|fills|failed_trades|conversions|transactions|postings|events|oddities|runs)\b/;

/** Partial indexes with unfinished rows only. */
const BOUNDED_INDEX = /USING (COVERING )?INDEX (intents_active|orders_unsettled|balances_held)/;

/** Omits pragmas, the schema, the writer lock, and `verify`, which checks everything and which no trader calls. */
const OF_TABLES = /^(?!.*\b(sqlite_schema|holder|AS found)\b)\s*(SELECT\b.*\bFROM|INSERT INTO|UPDATE|DELETE FROM)\b/s;

/** Found by its key, or the newest few. */
const isBounded = (sql: string, step: string): boolean =>
  step.startsWith('SEARCH') || BOUNDED_INDEX.test(step) || /ORDER BY (seq|id) DESC LIMIT \?$/.test(sql.trim());

interface Step {
  readonly detail: string;
}

/** Every statement that a writer prepares while traders run, crash, are killed and restart. */
function statementsOfTraders(): ReadonlySet<string> {
  const prepared = new Set<string>();
  const { prepare } = SqliteDriver.prototype;
  vi.spyOn(SqliteDriver.prototype, 'prepare').mockImplementation(function (this: Sqlite.Database, sql: string) {
    // Read-only connections belong to observers.
    if (!this.readonly && OF_TABLES.test(sql)) prepared.add(sql);
    return prepare.call(this, sql);
  });
  simulate({ seed: 10, faultyMs: 60_000 });
  vi.restoreAllMocks();
  return prepared;
}

const plansOf = (statements: Iterable<string>) =>
  inFolder((path) => {
    openLedger(path, HOLDER).close();
    const sqlite = new SqliteDriver(path, { readonly: true });
    try {
      return [...statements].flatMap((sql) => {
        const explain = sqlite.prepare<unknown[], Step>(`EXPLAIN QUERY PLAN ${sql}`);
        const values = Array.from({ length: sql.split('?').length - 1 }, () => null);
        return explain.all(...values).map(({ detail }) => ({ sql, detail }));
      });
    } finally {
      sqlite.close();
    }
  });

afterEach(() => vi.restoreAllMocks());

describe('the statements of a trader', () => {
  it('look at rows by key, at what is under way, or at the newest few: never at all of a history', () => {
    const statements = statementsOfTraders();
    expect(statements.size).toBeGreaterThan(20);
    const growing = plansOf(statements).filter(({ sql, detail }) => HISTORY.test(detail) && !isBounded(sql, detail));
    expect(growing).toEqual([]);
  });

  it('that a status asks count events of one kind without looking at the others', () => {
    const sql = inFolder((path) => {
      const ledger = openLedger(path, HOLDER);
      const prepare = vi.spyOn(SqliteDriver.prototype, 'prepare');
      ledger.eventCount('signing_refused');
      ledger.close();
      return prepare.mock.calls.map(([text]) => text).filter((text) => OF_TABLES.test(text));
    });
    vi.restoreAllMocks();
    expect(plansOf(sql).map(({ detail }) => detail)).toEqual([
      'SEARCH events USING COVERING INDEX events_kind (kind=?)',
    ]);
  });

  it('would be found out if one of them did', () => {
    const sql = "SELECT * FROM intents WHERE state = 'live'";
    const [plan] = plansOf([sql]);
    expect(plan?.detail).toMatch(HISTORY);
    expect(isBounded(sql, plan?.detail ?? '')).toBe(false);
  });
});
