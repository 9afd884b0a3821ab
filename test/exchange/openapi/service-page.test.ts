import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../src/exchange/http/openapi/document.js';
import { requestSignature } from '../../../src/shared/protocol/signing.js';
import { PROFILE } from '../http/harness.js';
import { blocksOf, withBlocks } from './service-page.js';

const PATH = 'docs/service.md';
const page = readFileSync(PATH, 'utf8');

describe('docs/service.md', () => {
  it('lists the calls, parameters, records and errors that there are (UPDATE_DOCS=1 writes them)', () => {
    const wanted = withBlocks(page, blocksOf(openApiDocument({ profile: PROFILE, controls: true })));
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PATH, wanted);
    else expect(page).toBe(wanted);
  });

  it('shows signatures that are right', () => {
    const secret = /secret `(\w+)`/.exec(page)?.[1] ?? '';
    const vectors = [...page.matchAll(/^\| `(\d{10})(GET|POST)(\/[^`{]*)(\{[^`]*)?` \| `([0-9a-f]{64})` \|$/gm)];
    expect(vectors.length).toBeGreaterThanOrEqual(3);
    for (const [, timestamp = '', method = '', pathWithQuery = '', body = '', hex] of vectors) {
      expect(requestSignature(secret, { timestamp, method, pathWithQuery, body })).toBe(hex);
    }
  });

  it('links only to places that it has', () => {
    const anchors = new Set(
      [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
        heading
          .toLowerCase()
          .replace(/[^\w\s-]/g, '')
          .replace(/\s/g, '-'),
      ),
    );
    const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor);
    expect(links.filter((anchor) => !anchors.has(anchor))).toEqual([]);
  });
});
