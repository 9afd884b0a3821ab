import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { locatePageToken, obtainPageToken, readPageToken } from '../../../src/shell/console/page-access.js';
import { folderOf } from '../../support/folders.js';

const place = () => {
  const ledger = join(folderOf({}), 'twinbook.sqlite');
  return { ledger, file: locatePageToken(ledger) };
};

describe('the token of the page', () => {
  it('is drawn once, into a file for its owner alone, and stays', () => {
    const { ledger, file } = place();
    const token = obtainPageToken(ledger);
    expect(token).toMatch(/^[\w-]{32}$/);
    expect([statSync(file).mode & 0o777, readFileSync(file, 'utf8')]).toEqual([0o600, `${token}\n`]);
    expect([obtainPageToken(ledger), readPageToken(ledger)]).toEqual([token, token]);
    expect(obtainPageToken(place().ledger)).not.toBe(token);
  });

  it('is another one after its file was removed', () => {
    const { ledger, file } = place();
    const token = obtainPageToken(ledger);
    rmSync(file);
    expect(() => readPageToken(ledger)).toThrow(`${file} does not exist`);
    expect(existsSync(file)).toBe(false);
    expect(obtainPageToken(ledger)).not.toBe(token);
  });

  it('is refused where others could read it, with the way to another one', () => {
    const { ledger, file } = place();
    obtainPageToken(ledger);
    chmodSync(file, 0o640);
    for (const read of [obtainPageToken, readPageToken])
      expect(() => read(ledger)).toThrow(
        expect.objectContaining({
          message: expect.stringContaining(`${file} has mode 0640; it must be 0600`),
          hint: 'Others could read it. Remove the file and restart the trader, which draws a new token.',
        }),
      );
  });

  it.each(['', 'short', 'a b'.repeat(20)])('is refused where the file holds %j', (text) => {
    const { ledger, file } = place();
    writeFileSync(file, text, { mode: 0o600 });
    expect(() => obtainPageToken(ledger)).toThrow('contains no token');
  });
});
