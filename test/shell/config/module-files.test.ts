/** A strategy's code as texts: complete, and loadable from them. */

import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  type CodeRules,
  findStrategyModule,
  hashOfFiles,
  moduleFiles,
} from '../../../src/shell/config/strategy-module.js';
import { SourceTexts } from '../../../src/shell/config/yaml-source.js';
import { folderOf } from '../../support/folders.js';

const FILES = {
  'mine/maker.ts': `import { defineStrategy, NO_QUOTES } from 'twinbook/strategy';
import { WORD } from '../shared/words.js';
export default defineStrategy({
  name: 'mine', summary: WORD, params: {},
  create: () => ({ quote: () => NO_QUOTES(WORD) }),
});
`,
  'shared/words.ts': "export { WORD } from './deeper/word.js';\nimport '../mine/maker.js';\n",
  'shared/deeper/word.js': "export const WORD = 'It never quotes.';\n",
};

it('finds all that a module imports by relative paths, once each', () => {
  const files = moduleFiles(join(folderOf(FILES), 'mine/maker.ts'));
  expect(files.map(({ path }) => path)).toEqual(['mine/maker.ts', 'shared/words.ts', 'shared/deeper/word.js']);
});

it('loads a module from the texts of a copy alone, and gives another text another key', async () => {
  const folder = folderOf(FILES);
  const sources = new SourceTexts();
  const files = moduleFiles(join(folder, 'mine/maker.ts'), sources);
  rmSync(join(folder, 'mine'), { recursive: true });
  const load = (texts: ReadonlyMap<string, string>) =>
    findStrategyModule('./mine/maker.ts', folder, {}, new SourceTexts(texts));
  const { strategy, key } = await load(sources.all);
  expect(strategy?.summary).toBe('It never quotes.');
  expect(key).toBe(`own ${hashOfFiles(files)}`);
  const changed = Array.from(sources.all, ([path, text]) => [path, text.replace('never quotes', 'sleeps')] as const);
  const other = await load(new Map(changed));
  expect(other.strategy?.summary).toBe('It sleeps.');
  expect(other.key).not.toBe(key);
});

it.each(['ts', 'js', 'mts', 'mjs'])('a changed .%s file is loaded anew, with what it imports', async (ending) => {
  const folder = folderOf({ 'package.json': '{ "type": "module" }' });
  for (const word of ['first', 'second']) {
    writeFileSync(join(folder, `word.${ending}`), `export const WORD = '${word}';`);
    writeFileSync(
      join(folder, `own.${ending}`),
      `import { defineStrategy, NO_QUOTES } from 'twinbook/strategy';
import { WORD } from './word.${ending}';
export default defineStrategy({ name: WORD, summary: '${word}', params: {}, create: () => ({ quote: () => NO_QUOTES('') }) });`,
    );
    const { strategy } = await findStrategyModule(`./own.${ending}`, folder);
    expect(strategy).toMatchObject({ name: word, summary: word });
  }
});

it('runs no code that the rules omit or refuse', async () => {
  const folder = folderOf({ 'loud.ts': "globalThis.name = 'it ran';\nexport default {};\n" });
  const find = (code: CodeRules) => findStrategyModule('./loud.ts', folder, code);
  const key = expect.stringMatching(/^own [0-9a-f]{64}$/);
  expect(await find({ other: 'omit' })).toMatchObject({ strategy: null, key });
  await expect(find({ other: () => 'not this one' })).rejects.toThrow('loud.ts: not this one');
  expect(Reflect.get(globalThis, 'name')).toBeUndefined();
});

it('reads no pipe and no device as a module', () => {
  const folder = folderOf({});
  symlinkSync('/dev/zero', join(folder, 'zero.ts'));
  expect(() => moduleFiles(join(folder, 'zero.ts'))).toThrow('is not an ordinary file');
});
