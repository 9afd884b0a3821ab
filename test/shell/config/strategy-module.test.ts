import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { must } from '../../../src/shared/base/errors.js';
import { loadConfig } from '../../../src/shell/config/load.js';
import { jsonSchema, type SchemaNode } from '../../../src/shell/config/problems.js';
import { strategyFileSchema, traderSchema } from '../../../src/shell/config/schema.js';
import { packageRoot, shippedStrategies } from '../../../src/shell/config/shipped.js';
import { findStrategyModule, loadShipped, transformedBy } from '../../../src/shell/config/strategy-module.js';
import { NO_QUOTES } from '../../../src/trader/strategy/strategy.js';
import { folderOf } from '../../support/folders.js';
import { FACTS, ofMarkets, paramsFor, VIEW } from '../../trader/strategy/fixtures.js';

it('a module of the user’s own, and what it imports, get the API that runs here and no copy of it', async () => {
  const folder = folderOf({
    'reasons.ts': "export { NO_QUOTES as ofHelper } from 'twinbook/strategy';",
    'mine.ts': `
      import { defineStrategy, NO_QUOTES } from 'twinbook/strategy';
      import { ofHelper } from './reasons.ts';
      const quote = () => ({ ...NO_QUOTES('mine'), factors: { own: NO_QUOTES, ofHelper } });
      export default defineStrategy({ name: 'mine', summary: 'Shows what it imports.', params: {}, create: () => ({ quote }) });
    `,
  });
  const strategy = must((await findStrategyModule('./mine.ts', folder)).strategy, 'the code');
  const { factors } = ofMarkets(strategy).create(paramsFor(strategy), FACTS).quote(VIEW);
  expect(factors).toEqual({ own: NO_QUOTES, ofHelper: NO_QUOTES });
});

function recorder() {
  const asked: string[] = [];
  const transform = transformedBy({
    transform: ({ source }) => {
      asked.push(source);
      return `made of ${source}`;
    },
  });
  return { asked, transform };
}

it('makes the code of a text once, and anew of another text, of another file and in another way', () => {
  expect(recorder().transform({ source: 'a', filename: '/s.ts', ts: true })).toEqual({ code: 'made of a' });
  // With another loader in this process, and in a thread that gets the kept files.
  const { asked, transform } = recorder();
  expect(transform({ source: 'a', filename: '/s.ts', ts: true })).toEqual({ code: 'made of a' });
  expect(asked).toEqual([]);
  transform({ source: 'b', filename: '/s.ts', ts: true });
  transform({ source: 'a', filename: '/t.ts', ts: true });
  transform({ source: 'a', filename: '/s.ts', ts: false });
  expect(asked).toEqual(['b', 'a', 'a']);
});

/** By name: a user's own files in that folder are not tested. */
const STRATEGY_FILES =
  'bands belief-maker closing-maker crowd-maker event-maker fair-maker grid lmsr-maker mirror-maker quiet-maker touch-maker unwinder';

describe('what is shipped', () => {
  test.each(['config/paper.yaml', 'config/live.example.yaml'])('%s loads', async (file) => {
    expect((await loadConfig(file, { env: {}, cwd: packageRoot })).strategies.length).toBeGreaterThan(0);
  });

  test.each(STRATEGY_FILES.split(' '))('config/strategies/%s.yaml loads', async (name) => {
    const path = join('config/strategies', `${name}.yaml`);
    const config = await loadConfig(path, { env: {}, cwd: packageRoot, strategyFileToo: true, feeds: 'any' });
    expect(config.strategies).toHaveLength(1);
  });

  test.each(shippedStrategies())('the strategy %s loads under its own name', async (name) => {
    expect((await loadShipped(name)).strategy.name).toBe(name);
  });

  test('the packaged examples do not trade real money by default', async () => {
    const paper = await loadConfig(join(packageRoot, 'config/paper.yaml'), { env: {}, cwd: '/' });
    expect(paper.exchange?.embedded).toBe(true);
    expect(new URL(paper.venue.profile.base_url).hostname).toBe('127.0.0.1');
  });

  test('every setting that a person can write is described', () => {
    const undescribed: string[] = [];
    const walk = (node: SchemaNode, path: string): void => {
      for (const [name, inner] of Object.entries(node.properties ?? {})) {
        // The risk room documents its own limits.
        if (path === '' && name === 'risk') continue;
        if ((inner.description ?? '') === '') undescribed.push(`${path}${name}`);
        walk(inner, `${path}${name}.`);
      }
    };
    walk(jsonSchema(traderSchema), '');
    walk(jsonSchema(strategyFileSchema), '');
    expect(undescribed).toEqual([]);
  });
});
