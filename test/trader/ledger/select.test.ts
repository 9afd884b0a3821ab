import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { selectFromLedger } from '../../../src/trader/ledger/select.js';
import { fillOf, intentOf, m, orderOf, withLedger } from './books.js';
import { testInFolder } from './ledger-tests.js';

const withFill = <T>(work: (path: string) => T): T =>
  withLedger((ledger, path) => {
    ledger.transaction(() => {
      ledger.setCapital(m(1_000_000), 1);
      ledger.addIntent(intentOf({ state: 'live', draftPubkey: 'order-1' }));
      ledger.addOrder(orderOf());
      ledger.bookFill(fillOf({ amountMicros: m(2_500_000) }));
    });
    return work(path);
  });

describe('SQL over a ledger', () => {
  test.each<[string, string, number, unknown]>([
    [
      'its tables beside the writer',
      '-- what\nselect pubkey, amount from fills',
      10,
      { columns: ['pubkey', 'amount'], rows: [['trade-1', 2_500_000]], isCut: false },
    ],
    [
      'no more rows than the limit',
      'with recursive n(i) as (values (1) union all select i + 1 from n) select i from n',
      3,
      { columns: ['i'], rows: [[1], [2], [3]], isCut: true },
    ],
    [
      'large numbers, bytes and nothing as plain data',
      "select 9007199254740993, x'00ff', null, 0.5, 'text'",
      1,
      { rows: [['9007199254740993', '00ff', null, 0.5, 'text']] },
    ],
  ])('reads %s', (_name, sql, limit, answer) =>
    withFill((path) => expect(selectFromLedger(path, sql, limit)).toMatchObject(answer as object)),
  );

  test.each([
    'delete from fills',
    'insert into fills select * from fills',
    'update fills set price = 1 returning pubkey',
    'with x as (select 1) delete from fills returning pubkey',
    'select 1; delete from fills',
    'pragma journal_mode = delete',
    'vacuum into "/tmp/never.sqlite"',
    'begin immediate',
    'drop table fills',
    '/* select */ delete from fills',
    'select no_such_column from fills',
    "select load_extension('/tmp/never.so')",
    '',
  ])('refuses %j and leaves the ledger as it was', (sql) =>
    withFill((path) => {
      expect(() => selectFromLedger(path, sql, 10)).toThrow(/the query must be one SELECT|cannot be run/);
      expect(selectFromLedger(path, 'select count(*) from fills', 1).rows).toEqual([[1]]);
    }),
  );

  testInFolder('opens no other file', (path) => {
    writeFileSync(path, '');
    const other = join(path, '../other.sqlite');
    writeFileSync(other, 'not a word of it');
    expect(() => selectFromLedger(path, `attach '${other}' as other`, 1)).toThrow('the query must be one SELECT');
    expect(readFileSync(other, 'utf8')).toBe('not a word of it');
    expect(() => selectFromLedger(`${path}-missing`, 'select 1', 1)).toThrow('there is no ledger');
  });
});
