/** Access to the page: its token, and passwords of roles, from files that only their owner can read. */

import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { locatePageToken, obtainPageToken, readPageToken, readPasses } from '../../../src/shell/console/page-access.js';
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
          hint: 'Others could read the file. Remove the file and restart the trader, which creates a new token.',
        }),
      );
  });

  it.each(['', 'short', 'a b'.repeat(20)])('is refused where the file holds %j', (text) => {
    const { ledger, file } = place();
    writeFileSync(file, text, { mode: 0o600 });
    expect(() => obtainPageToken(ledger)).toThrow('contains no token');
  });
});

function fileOf(text: string, mode = 0o600): string {
  const path = join(folderOf({}), 'password');
  writeFileSync(path, `${text}\n`);
  chmodSync(path, mode);
  return path;
}

const read = (stop: string | null, view: string | null) =>
  readPasses({ stopPasswordFile: stop, viewPasswordFile: view }, 'of the operator');

describe('passwords of roles', () => {
  it('are read from files of mode 0600, and are none where none is named', () => {
    expect(read(null, null)).toEqual({ stop: null, view: null });
    const passes = { stop: 'only to stop', view: 'only to look' };
    expect(read(fileOf(passes.stop), fileOf(passes.view))).toEqual(passes);
  });

  it.each([
    ['others can read', () => read(fileOf('only to stop', 0o644), null), /0600|others/],
    ['is too short', () => read(null, fileOf('short')), /view_password_file.* 5 characters/],
    ['is not there', () => read('/nowhere/at-all', null), /stop_password_file/],
    ['is another role’s too', () => read(fileOf('the same one'), fileOf('the same one')), /same password/],
    ['is the operator’s too', () => read(fileOf('of the operator'), null), /same password/],
  ])('are refused where one %s', (_, work, words) => expect(work).toThrow(words));
});
