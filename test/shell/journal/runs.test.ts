import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findRun, runFolders } from '../../../src/shell/journal/runs.js';
import { folderOf } from '../../support/folders.js';

const description = (startedMs: number, more: object = {}): string =>
  JSON.stringify({ format: 1, runId: 'run', version: '0', startedMs, strategies: [], ledgerMissing: null, ...more });

const place = (): string =>
  folderOf({
    'abc1/run.json': description(3),
    'abd2/run.json': description(1),
    'abd23/run.json': description(2),
    'torn/run.json': '{"format": 1',
    'note.txt': 'no run',
  });

const refusal = (hint: RegExp, message = '') =>
  expect.objectContaining({
    code: 'usage',
    message: expect.stringContaining(message),
    hint: expect.stringMatching(hint),
  });

describe('a run is found', () => {
  it.each([
    ['by its whole id, though another begins with it', 'abd2', 'abd2'],
    ['by the beginning of its id', 'abc', 'abc1'],
    ['as the one that began last, whatever it is called', 'last', 'abc1'],
  ])('%s', (_, name, expected) => {
    const dir = place();
    expect(findRun(name, dir, '/')).toBe(join(dir, expected));
  });

  it('by its path, from where the user stands', () => {
    const dir = place();
    expect(findRun('abc1', join(dir, 'nowhere'), dir)).toBe(join(dir, 'abc1'));
    expect(findRun(join(dir, 'abd2'), '/nowhere', '/')).toBe(join(dir, 'abd2'));
  });

  it('oldest first in a list, and without what is no run', () => {
    const dir = place();
    expect(runFolders(dir)).toEqual(['abd2', 'abd23', 'abc1'].map((name) => join(dir, name)));
  });
});

describe('a run that is not found', () => {
  it('is answered with those that are there, newest first', () => {
    const dir = place();
    const hint = /^There are: abc1, started 1970-01-01T00:00:00.003Z; abd23, .*; abd2, .*\.$/;
    expect(() => findRun('xyz', dir, '/')).toThrow(refusal(hint, `there is no run 'xyz' in ${dir}`));
  });

  it('because its name has several meanings is answered with those', () => {
    const refused = refusal(/^There are: abc1.*abd23.*abd2,/, "the names of several runs begin with 'ab' in ");
    expect(() => findRun('ab', place(), '/')).toThrow(refused);
  });

  it('because there is none says how one comes about', () =>
    expect(() => findRun('last', '/nowhere', '/')).toThrow(refusal(/^There are no runs: `twinbook start` begins/)));

  it('among very many is not answered with all of them', () => {
    const dir = place();
    for (let i = 0; i < 20; i++) {
      mkdirSync(join(dir, `r${i}`));
      writeFileSync(join(dir, `r${i}`, 'run.json'), description(10 + i));
    }
    expect(() => findRun('xyz', dir, '/')).toThrow(refusal(/^There are: r19, .*r10, .*; and 13 older\.$/));
  });
});
