/** Size of the page's document. */

import { expect, test } from 'vitest';
import { pageDocument } from '../../../src/shell/dashboard/document.js';

test('the document, its libraries within, is no longer than 125 kB', () => {
  const bytes = Buffer.byteLength(pageDocument().html);
  expect(bytes).toBeGreaterThan(60_000);
  expect(bytes).toBeLessThan(125_000);
});
