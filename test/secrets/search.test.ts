/** Tests of the search: a planted leak is found in every format. */

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { base58 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withConnection } from '../../src/recording/store/duckdb.js';
import { SqliteDriver } from '../../src/shared/base/sqlite-driver.js';
import { folderOf } from '../support/folders.js';
import { allReadings } from './readings.js';
import { SecretSearch } from './search.js';

const secret = `canary "${randomBytes(9).toString('hex')}" 100 % \\ ü`;
const key = randomBytes(32);
const search = new SecretSearch();
search.add('the secret', secret);
search.add('the key', key);

const formsOf = (bytes: Buffer) => search.in(bytes).map(({ secret: name, form }) => `${name}: ${form}`);

describe('a planted leak', () => {
  it.each<[string, string | Buffer, string]>([
    ['raw', secret, 'the secret: raw'],
    ['in JSON', JSON.stringify({ a: `x${secret}` }), 'the secret: JSON'],
    ['in a log line about JSON', JSON.stringify({ msg: JSON.stringify({ secret }) }), 'the secret: JSON in JSON'],
    ['in an address', `http://x/?q=${encodeURIComponent(secret)}`, 'the secret: URL'],
    ['in hex', Buffer.from(`ab${secret}`).toString('hex'), 'the secret: hex'],
    ['in capital hex', key.toString('hex').toUpperCase(), 'the key: HEX'],
    ['in a printed Buffer', `<Buffer ${key.toString('hex').replace(/..(?=.)/g, '$& ')}>`, 'the key: hex in pairs'],
    ['as numbers', JSON.stringify([...key]), 'the key: numbers'],
    ['as numbers on lines', JSON.stringify({ a: [...key] }, null, 1), 'the key: numbers on lines'],
    ['in base58', `wallet ${base58.encode(key)}`, 'the key: base58'],
    ['as bytes', Buffer.concat([randomBytes(99), key, randomBytes(9)]), 'the key: raw bytes'],
    ['in UTF-16', Buffer.from(secret, 'utf16le'), 'the secret: UTF-16'],
    ...[0, 1, 2].flatMap((before): [string, string, string][] => [
      [
        `in base64 behind ${before}`,
        Buffer.from('x'.repeat(before) + secret).toString('base64'),
        `the secret: base64, ${before} before`,
      ],
      [
        `in base64url behind ${before}`,
        Buffer.concat([Buffer.alloc(before), key]).toString('base64url'),
        `the key: base64url, ${before} before`,
      ],
    ]),
  ])('is found %s', (_, written, form) => {
    expect(formsOf(Buffer.from(written))).toContain(form);
    expect(formsOf(Buffer.concat([Buffer.alloc(3), Buffer.from(written), Buffer.alloc(3)]))).toContain(form);
  });

  it('is found packed, in a row of a database, and in a Parquet file', async () => {
    const folder = folderOf({ 'plain.txt': 'nothing here' });
    writeFileSync(join(folder, 'a.gz'), gzipSync(`${'x'.repeat(1_000)}${secret}`));
    writeFileSync(
      join(folder, 'cut.gz'),
      gzipSync(`${secret}${randomBytes(20_000).toString('hex')}`).subarray(0, 9_000),
    );
    const database = new SqliteDriver(join(folder, 'a.sqlite'));
    // Long enough to be split over pages, with the secret across a page boundary.
    database.exec('CREATE TABLE t (text TEXT)');
    database.prepare('INSERT INTO t VALUES (?)').run(`${'y'.repeat(8_150)}${secret}${'z'.repeat(9_000)}`);
    database.close();
    const sql = `COPY (SELECT '${secret}' AS text) TO '${join(folder, 'a.parquet')}' (FORMAT parquet, COMPRESSION zstd)`;
    await withConnection((connection) => connection.run(sql));
    const found = async (name: string) =>
      (await allReadings(join(folder, name))).flatMap(({ bytes }) => formsOf(bytes));
    for (const name of ['a.gz', 'cut.gz', 'a.sqlite']) expect(await found(name), name).toContain('the secret: raw');
    expect((await found('a.parquet')).length).toBeGreaterThan(0);
    expect(await found('plain.txt')).toEqual([]);
  });
});

it('finds exactly what a slow search finds, in any bytes', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 8, maxLength: 20 }), { maxLength: 5 }), fc.nat(), (secrets, at) => {
      const own = new SecretSearch();
      for (const [index, bytes] of secrets.entries()) own.add(`${index}`, bytes);
      const written = Buffer.concat([randomBytes(at % 50), ...secrets.filter((_, i) => i % 2 === 0), randomBytes(5)]);
      const raw = own.in(written).filter(({ form }) => form === 'raw bytes');
      const expected = secrets
        .map((bytes) => Buffer.from(bytes))
        .filter((bytes) => written.includes(bytes))
        .map((bytes) => written.indexOf(bytes));
      expect(new Set(raw.map((found) => found.at))).toEqual(new Set(expected));
    }),
  );
});
