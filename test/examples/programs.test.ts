import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { must } from '../../src/shared/base/errors.js';
import { loadConfig } from '../../src/shell/config/load.js';
import { findStrategyModule } from '../../src/shell/config/strategy-module.js';
import { checkQuotes } from '../../src/trader/strategy/check.js';
import { m } from '../trader/market/fixtures.js';
import { FACTS, ofMarkets, paramsFor, VIEW } from '../trader/strategy/fixtures.js';
import { FOLDER, programs, ROOT } from './programs.js';

const readme = readFileSync(join(FOLDER, 'README.md'), 'utf8');
const { exports, files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly files: readonly string[];
};

describe('the examples', () => {
  it('are at least eight, and packed with the package', () => {
    expect(programs.length).toBeGreaterThanOrEqual(8);
    expect(files).toContain('examples');
  });

  it.each(programs)('$file says in its opening comment how it is run, as the README does', ({ file, command }) => {
    expect(command).not.toBe('');
    const row = readme.split('\n').find((line) => line.includes(`](${file})`)) ?? '';
    expect(row).toContain(`| \`${command}\` |`);
  });

  it('are all in the README, with the files that they read', () => {
    const listed = [...readme.matchAll(/\]\(([\w-]+\.\w+)\)/g)].map(([, name = '']) => name);
    expect(listed.filter((name) => !existsSync(join(FOLDER, name)))).toEqual([]);
    const others = ['README.md', 'tsconfig.json', 'new'];
    expect(readdirSync(FOLDER).filter((name) => !others.includes(name) && !listed.includes(name))).toEqual([]);
  });

  it.each(programs)('$file imports only what the package exports, and modules of Node', ({ text }) => {
    const specifiers = [...text.matchAll(/(?:\bfrom |\bimport\()'([^']+)'/g)].map(([, specifier = '']) => specifier);
    expect(specifiers.length).toBeGreaterThan(0);
    const isAllowed = (name: string) => name.startsWith('node:') || name.replace(/^twinbook/, '.') in exports;
    expect(specifiers.filter((name) => !isAllowed(name))).toEqual([]);
  });
});

describe('the strategy of the examples', () => {
  it('loads by its YAML file', async () => {
    const { strategies } = await loadConfig(join(FOLDER, 'own-strategy.yaml'), {
      strategyFileToo: true,
      env: {},
      cwd: ROOT,
    });
    expect(strategies.map(({ module }) => module.name)).toEqual(['inventory-maker']);
  });

  it('quotes both sides, and lower once it holds YES', async () => {
    const strategy = must((await findStrategyModule('./own-strategy.ts', FOLDER)).strategy, 'the code');
    const quoter = ofMarkets(strategy).create(paramsFor(strategy, { risk_aversion: 0.1 }), FACTS);
    const flat = quoter.quote(VIEW);
    expect(checkQuotes(flat, VIEW)).toBeNull();
    expect([flat.bids.length, flat.asks.length]).toEqual([1, 1]);
    const holding = { ...VIEW, inventory: { ...VIEW.inventory, netMicros: m(10) } };
    const held = quoter.quote(holding);
    expect(checkQuotes(held, holding)).toBeNull();
    expect(held.factors['centre_price']).toBeLessThan(flat.factors['centre_price'] ?? Number.NaN);
  });
});
