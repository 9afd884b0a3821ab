import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withFigures } from './doc-figures.js';
import { DOC_TABLES } from './doc-tables.js';

test.each(DOC_TABLES)('%s has the declared table of %s (`npm run lab -- docs` writes it)', (page, name, markdown) => {
  const text = readFileSync(page, 'utf8');
  expect(text).toBe(withFigures(text, name, markdown));
});
