import { statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import { withLedger } from './books.js';

it('the write-ahead log gives its room back once a reader that looked for long has gone', () => {
  withLedger((ledger, path) => {
    const size = () => statSync(`${path}-wal`).size;
    const write = (events: number, text: string) => {
      ledger.transaction(() => {
        for (let i = 0; i < events; i++) ledger.addEvent({ timeMs: i, severity: 'info', kind: 'test', text });
      });
      ledger.rest();
    };
    const reader = new SqliteDriver(path, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM runs').get();
    write(5_000, 'x'.repeat(2_000));
    write(500, 'x');
    expect(size()).toBeGreaterThan(8_000_000);
    reader.exec('COMMIT');
    reader.close();
    write(500, 'x');
    write(1, 'x');
    expect(size()).toBeLessThanOrEqual(4_000_000);
  });
});
