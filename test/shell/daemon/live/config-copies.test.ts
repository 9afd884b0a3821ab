/** Copies of configurations beside the ledger: complete, private, and bounded in number. */

import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readCopy, saveCopy } from '../../../../src/shell/daemon/live-config.js';
import { newFolder } from '../../../support/folders.js';

const MAIN = '/etc/twinbook/trader.yaml';
const copyOf = (text: string) => ({
  main: MAIN,
  texts: new Map([
    ['/etc/twinbook/strategies/mine.ts', 'export default {};'],
    [MAIN, text],
  ]),
});

function place() {
  const ledger = join(newFolder(), 'twinbook.sqlite');
  const save = (copy: ReturnType<typeof copyOf>) => saveCopy(ledger, copy);
  return { copies: { save, read: (hash: string) => readCopy(ledger, hash) }, folder: `${ledger}.config` };
}

it('gives back what was saved, in plain files that only their owner can read', () => {
  const { copies, folder } = place();
  const hash = copies.save(copyOf('capital: "1"'));
  expect(copies.read(hash)).toEqual(copyOf('capital: "1"'));
  const names = readdirSync(join(folder, hash)).toSorted();
  expect(names).toEqual(['001-mine.ts', '002-trader.yaml', 'files.json']);
  expect(readFileSync(join(folder, hash, '002-trader.yaml'), 'utf8')).toBe('capital: "1"');
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of names) expect(statSync(join(folder, hash, name)).mode & 0o777).toBe(0o600);
});

it('refuses a changed file, a changed list and a name that is no hash', () => {
  const { copies, folder } = place();
  const hash = copies.save(copyOf('capital: "1"'));
  writeFileSync(join(folder, hash, '002-trader.yaml'), 'capital: "9"');
  expect(() => copies.read(hash)).toThrow(/002-trader\.yaml was changed/);
  expect(copies.save(copyOf('capital: "1"'))).toBe(hash);
  expect(copies.read(hash).texts.get(MAIN)).toBe('capital: "1"');
  const list = join(folder, hash, 'files.json');
  writeFileSync(list, readFileSync(list, 'utf8').replace('002-trader.yaml', '../../other.yaml'));
  expect(() => copies.read(hash)).toThrow(/files\.json was changed/);
  for (const name of ['', '..', `../${hash}`]) expect(() => copies.read(name)).toThrow(/no copy .* is stored/);
});

it('keeps the newest twenty', () => {
  const { copies, folder } = place();
  const hashes = Array.from({ length: 25 }, (_, at) => {
    const hash = copies.save(copyOf(`capital: "${at}"`));
    utimesSync(join(folder, hash), at, at);
    return hash;
  });
  expect(readdirSync(folder).toSorted()).toEqual(hashes.slice(5).toSorted());
});
