/** Every target of the user pages exists. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './programs.js';

const pages = [
  'README.md',
  ...['examples', 'data', 'src', 'test'].map((folder) => `${folder}/README.md`),
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`),
]
  .filter((path) => path.endsWith('.md'))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

/** The source modules of each entry of the package. */
const ENTRIES: Readonly<Record<string, () => Promise<object>>> = {
  backtest: () => import('../../src/lab/backtest/backtest.js'),
  client: () => import('../../src/shell/client/client.js'),
  exchange: () => import('../../src/exchange/exchange.js'),
  protocol: () => import('../../src/shared/protocol/protocol.js'),
  report: () => import('../../src/lab/report/report.js'),
  strategy: () => import('../../src/trader/strategy/strategy.js'),
};

/** As GitHub names headings. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

describe('the pages', () => {
  it.each(pages)('of $path link to files and headings that exist', ({ path, text }) => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    const broken = links.filter(([, file = '', anchor]) => {
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== undefined && !anchorsOf(readFileSync(join(ROOT, target), 'utf8')).includes(anchor);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it('import from the package what it exports', async () => {
    const imports = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/import \{([^}]*)\} from 'twinbook\/(\w+)'/g)].flatMap(([, names = '', entry = '']) =>
        names
          .split(',')
          .map((name) => name.trim())
          .filter((name) => name !== '' && !name.startsWith('type '))
          .map((name) => ({ path, name, entry })),
      ),
    );
    expect(imports.length).toBeGreaterThan(10);
    const exported = new Map<string, object>();
    for (const [entry, load] of Object.entries(ENTRIES)) exported.set(entry, await load());
    expect(imports.filter(({ name, entry }) => !(name in (exported.get(entry) ?? {})))).toEqual([]);
  });
});
