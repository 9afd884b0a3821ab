import { describe, expect, it, test } from 'vitest';
import { loadConfig } from '../../../src/shell/config/load.js';
import { folderOf } from '../../support/folders.js';
import { trader } from './files.js';

const load = (feeds: string, strategy: string | null = null, more: readonly string[] = []) => {
  const cwd = folderOf({
    'trader.yaml': trader(feeds, strategy === null ? '[]' : '[fair.yaml]'),
    ...(strategy === null ? {} : { 'fair.yaml': strategy }),
  });
  return { cwd, config: loadConfig('trader.yaml', { env: {}, cwd, feeds: more }) };
};

const fair = (feed: string) => `strategy: fair-maker\nparams:\n  feed: ${feed}\n`;

describe('the feeds of a trader file', () => {
  it('are resolved: paths from the file, defaults filled in', async () => {
    const { cwd, config } = load(`feeds:
  a: { kind: file, path: prices.csv }
  c: { kind: child, command: [node, model.js], env: [MODEL_KEY], max_age_s: 2.5 }`);
    expect((await config).feeds).toEqual([
      { name: 'a', maxAgeMs: 60_000, kind: 'file', path: `${cwd}/prices.csv`, everyMs: 1000 },
      { name: 'c', maxAgeMs: 2500, kind: 'child', command: ['node', 'model.js'], cwd, env: ['MODEL_KEY'] },
    ]);
  });

  it('change the hash by what shapes a decision, not by where they come from', async () => {
    const hashOf = async (feeds: string) => (await load(feeds).config).configHash;
    const file = await hashOf('feeds: { a: { kind: file, path: x.csv } }');
    expect(await hashOf('feeds: { a: { kind: file, path: y.csv } }')).toBe(file);
    expect(await hashOf('feeds: { a: { kind: file, path: x.csv, max_age_s: 9 } }')).not.toBe(file);
    expect(await hashOf('feeds: {}')).toBe(await hashOf(''));
  });

  test.each([
    ['{ kind: pipe }', 'trader.yaml:6:21: feeds.a.kind: wants "file" or "child", got the text "pipe"'],
    ['{ kind: file }', "trader.yaml:6:13: feeds.a: a feed of kind file needs the key 'path'"],
    ['{ kind: child, command: [x], path: y }', "feeds.a.path: a feed of kind child has no key 'path'; remove it"],
    ['{ kind: child, command: [x], env: [A=B] }', 'feeds.a.env[0]: wants a name of an environment variable'],
    [
      '{ kind: child, command: [x], env: [twinbook_secret] }',
      'feeds.a.env[0]: starts with TWINBOOK_, which is reserved for the trader; feed programs never get such variables',
    ],
    ['{ kind: file, path: x, env: [A] }', "feeds.a.env: a feed of kind file has no key 'env'; remove it"],
    ['{ kind: child, command: [] }', 'feeds.a.command: wants at least 1 entries, got 0'],
    ['{ kind: file, path: x }, B C: { kind: file, path: x }', 'wants a name in lower case with dashes'],
  ])('a: %s', (feed, message) => expect(load(`feeds: { a: ${feed} }`).config).rejects.toThrow(message));

  it('are those that strategies may name', async () => {
    const feeds = 'feeds: { model: { kind: file, path: x.csv } }';
    expect((await load(feeds, fair('model')).config).strategies[0]?.params['feed']).toBe('model');
    await expect(load(feeds, fair('modle')).config).rejects.toThrow(
      "fair.yaml:3:9: params.feed: there is no feed 'modle' in the trader's file, which has model; did you mean 'model'?",
    );
    await expect(load('', fair('model')).config).rejects.toThrow('which has no feeds');
    const { file, texts: copy } = await load(feeds, fair('model')).config;
    await expect(loadConfig(file, { env: {}, cwd: '/', copy, fixed: { feeds: [] } })).rejects.toThrow('has no feeds');
    expect((await load('', fair('model'), ['model']).config).strategies).toHaveLength(1);
  });
});
