import { expect, test } from 'vitest';
import { DOC_TABLES, readPage, withTables } from './doc-tables.js';

test.each(Object.keys(DOC_TABLES))('%s has the declared tables (`npm run lab -- docs` writes them)', (page) => {
  expect(readPage(page)).toBe(withTables(page));
});
