/** Files that are too large or too deep are rejected before the YAML parser reads them. */

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findYamlExcess } from '../../../src/shared/base/yaml-bounds.js';
import { venueProfile } from '../../../src/shell/client/client.js';
import { loadConfig } from '../../../src/shell/config/load.js';
import { parseYaml } from '../../../src/shell/config/yaml-source.js';
import { folderOf } from '../../support/folders.js';
import { trader } from './files.js';

const MAX_YAML_ENTRIES = 5_000;
const each = (count: number, write: (index: number) => string) => Array.from({ length: count }, (_, at) => write(at));
const TOO_MANY = MAX_YAML_ENTRIES + 1;

const lists: readonly (readonly [style: string, text: string])[] = [
  ['block keys', each(TOO_MANY, (at) => `k${at}: 1\n`).join('')],
  ['quoted keys', each(TOO_MANY, (at) => `"k\\"${at}": 1\n`).join('')],
  ['explicit keys', each(TOO_MANY, (at) => `? k${at}\n`).join('')],
  ['keys without a value', `{${each(TOO_MANY + 1, (at) => `k${at}`).join(',')}}`],
  ['flow keys on one line', `{${each(TOO_MANY, (at) => `k${at}: 1`).join(', ')}}`],
  ['flow keys without a space', `{${each(TOO_MANY, (at) => `"${at}":1`).join(',')}}`],
  ['block items', '- 1\n'.repeat(TOO_MANY)],
  ['flow items', `[${'1,'.repeat(TOO_MANY)}]`],
  ['anchors', `[${'&a '.repeat(TOO_MANY)}]`],
  ['aliases', `a: &a 1\nb: [${'*a '.repeat(TOO_MANY)}]`],
  ['tags', `[${'!a '.repeat(TOO_MANY)}]`],
  ['documents', '---\n'.repeat(TOO_MANY)],
];

const nested: readonly (readonly [style: string, text: string])[] = [
  ['lists in brackets', '['.repeat(100_000)],
  ['mappings in brackets', '{'.repeat(100_000)],
  ['items on one line', '- '.repeat(3_000)],
  ['explicit keys on one line', '? '.repeat(3_000)],
  ['indented keys', each(500, (at) => `${' '.repeat(at)}a:\n`).join('')],
  ['indented items after closing brackets', `${']\n'.repeat(50)}${each(500, (at) => `${' '.repeat(at)}-\n`).join('')}`],
];

describe('bounds on a YAML text', () => {
  test.each(lists)('%s are counted', (_style, text) => {
    expect(findYamlExcess(text)).toMatch(/^has \d+ keys and list items; at most 5000 are read$/);
  });

  test.each(nested)('%s are refused as nested too deeply', (_style, text) => {
    expect(findYamlExcess(text)).toBe('is nested too deeply; at most 20 levels are read');
  });

  test('keys up to the bound are read, and text in quotes, blocks and comments is not counted', () => {
    const keys = each(MAX_YAML_ENTRIES - 4, (at) => `k${at}: 1\n`).join('');
    const text = `${keys}a: "${'x: 1, '.repeat(2_000)}"\nb: |\n${'  - x: 1\n'.repeat(2_000)}${'# x: 1\n'.repeat(2_000)}c:\n - 1`;
    expect(findYamlExcess(text)).toBeNull();
    expect(Object.keys(parseYaml(text, '/s.yaml', 's.yaml').value as object)).toHaveLength(MAX_YAML_ENTRIES - 1);
  });

  test('bytes are counted as the file has them', () =>
    expect(findYamlExcess(`a: ${'é'.repeat(131_072)}`)).toBe('has 262147 bytes; at most 262144 are read'));
});

describe('every file of a configuration is bounded', () => {
  const many = each(60_000, (at) => `k${at}: 1\n`).join('');
  const wide = each(10_000, (at) => `k${at}: 1\n`).join('');
  test.each([
    ['trader.yaml', many, 'has 588890 bytes; at most 262144 are read'],
    ['s.yaml', wide, 'has 10000 keys and list items; at most 5000 are read'],
    ['venue.yaml', wide, 'has 10000 keys and list items; at most 5000 are read'],
  ])('%s: the error names the size found and allowed', async (file, text, complaint) => {
    const yaml = trader('', '[s.yaml]').replace('paper', file === 'venue.yaml' ? './venue.yaml' : 'paper');
    const loading = loadConfig('trader.yaml', { env: {}, cwd: folderOf({ 'trader.yaml': yaml, [file]: text }) });
    const message = expect.stringContaining(`${file}: ${complaint}`);
    await expect(loading).rejects.toMatchObject({ code: 'config_invalid', message });
  });

  test('a venue profile for the client alone', () => {
    const folder = folderOf({ 'venue.yaml': '{'.repeat(100_000) });
    expect(() => venueProfile(join(folder, 'venue.yaml'))).toThrow(/venue\.yaml: is nested too deeply/);
  });
});
