/** Access to the page: passwords of roles, from files that only their owner can read. */

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPasses } from '../../../src/shell/console/page-access.js';
import { folderOf } from '../../support/folders.js';

function fileOf(text: string, mode = 0o600): string {
  const path = join(folderOf({}), 'password');
  writeFileSync(path, `${text}\n`);
  chmodSync(path, mode);
  return path;
}

const read = (stop: string | null, view: string | null) =>
  readPasses({ stopPasswordFile: stop, viewPasswordFile: view }, 'of the operator');

describe('passwords of roles', () => {
  test('are read from files of mode 0600, and are none where none is named', () => {
    expect(read(null, null)).toEqual({ stop: null, view: null });
    expect(read(fileOf('only to stop'), fileOf('only to look'))).toEqual({
      stop: 'only to stop',
      view: 'only to look',
    });
  });

  test.each([
    ['others can read', () => read(fileOf('only to stop', 0o644), null), /0600|others/],
    ['is too short', () => read(null, fileOf('short')), /view_password_file.* 5 characters/],
    ['is not there', () => read('/nowhere/at-all', null), /stop_password_file/],
    ['is another role’s too', () => read(fileOf('the same one'), fileOf('the same one')), /same password/],
    ['is the operator’s too', () => read(fileOf('of the operator'), null), /same password/],
  ])('are refused where one %s', (_, work, words) => {
    expect(work).toThrow(words);
  });
});
