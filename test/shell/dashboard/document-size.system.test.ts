/** Size of the documents for a browser, as built. */

import { transformSync } from 'esbuild';
import { expect, test } from 'vitest';
import { shrinkScript } from '../../../scripts/shrink-pages.js';
import { pageDocument } from '../../../src/shell/dashboard/document.js';
import { chartLibrary } from '../../../src/shell/document/chart-library.js';

test('the document, its chart library within, is no longer than 120 kB', async () => {
  const { html } = pageDocument();
  const [, script = ''] = /<script type="module">([\s\S]*)<\/script>/.exec(html) ?? [];
  const own = script.slice(chartLibrary().script.length);
  // The other form keeps a program running, which ends with this test file.
  const built = await shrinkScript(transformSync, own);
  expect(built.length).toBeGreaterThan(10_000);
  expect(Buffer.byteLength(html) - Buffer.byteLength(own) + Buffer.byteLength(built)).toBeLessThan(120_000);
});
