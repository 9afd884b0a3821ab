/** The code of a strategy as texts: all of it, and loaded from them again. */

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hashOfFiles, moduleFiles } from '../../../src/shell/config/module-files.js';
import { loadModuleFiles } from '../../../src/shell/config/strategy-module.js';
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

it('loads a module from its texts alone, and tells another text by its hash', async () => {
  const files = moduleFiles(join(folderOf(FILES), 'mine/maker.ts'));
  const { strategy, key } = await loadModuleFiles(files);
  expect(strategy.summary).toBe('It never quotes.');
  expect(key).toBe(`own ${hashOfFiles(files)}`);
  const other = files.map((file) => ({ ...file, text: file.text.replace('never quotes', 'sleeps') }));
  const loaded = await loadModuleFiles(other);
  expect(loaded.strategy.summary).toBe('It sleeps.');
  expect(loaded.key).not.toBe(key);
});

it('lets no file lie outside of its folder', async () => {
  await expect(loadModuleFiles([{ path: '../escaped.ts', text: '' }])).rejects.toThrow(/lies outside/);
});
