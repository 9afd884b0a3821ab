/** Good and bad input of each feed source: real files and real programs. */

import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { FeedValue } from '../../../src/shared/protocol/seam.js';
import type { FeedConfig } from '../../../src/shell/config/config.js';
import { openFeeds } from '../../../src/shell/feeds/feeds.js';
import { newFolder } from '../../support/folders.js';
import { untilTrue } from '../../support/waiting.js';

/** Variables of the trader's own process. */
const GIVEN = {
  AWS_SECRET_ACCESS_KEY: 'secret',
  LC_TIME: 'C',
  MODEL_KEY: 'named',
  NODE_OPTIONS: '--no-deprecation',
  npm_config__auth: 'secret',
  PGPASSWORD: 'secret',
  TWINBOOK_WALLET_PASSPHRASE: 'secret',
  TZ: 'UTC',
};

/** A feed followed until the end of the test, and its received values. */
function followed(feed: Omit<Extract<FeedConfig, { kind: 'file' }>, 'name' | 'maxAgeMs'> | Partial<FeedConfig>) {
  const values = new Map<string, FeedValue>();
  const loud: string[] = [];
  const quiet: string[] = [];
  const batches: number[] = [];
  const deliver = (_name: string, news: readonly FeedValue[]): void => {
    batches.push(news.length);
    for (const value of news) values.set(value.conditionId, value);
  };
  const ears = { deliver, loud: (text: string) => loud.push(text), quiet: (text: string) => quiet.push(text) };
  // The table above names one complete kind each time.
  const whole = { name: 'model', maxAgeMs: 60_000, ...feed } as FeedConfig;
  const feeds = openFeeds([whole], ears, { ...process.env, ...GIVEN });
  onTestFinished(() => feeds.close());
  const heard = (market: string, p: number) => untilTrue(() => values.get(market)?.p === p);
  return { values, loud, quiet, batches, feeds, heard, problems: () => feeds.status()[0]?.problems ?? 0 };
}

const row = (market: string, p: unknown, more = {}) => `${JSON.stringify({ market, p, at: Date.now(), ...more })}\n`;

describe('a file', () => {
  const everyMs = 100;

  it('is read on where it grows, and from its start where another file takes its name', async () => {
    const path = join(newFolder(), 'model.jsonl');
    const file = await open('package.json');
    const { read } = file;
    // Each read returns only a few bytes.
    const spy = vi.spyOn(Object.getPrototypeOf(file), 'read').mockImplementation(function (this: unknown, ...asked) {
      return Reflect.apply(read, this, asked.with(2, Math.min(7, Number(asked[2]))));
    });
    onTestFinished(() => spy.mockRestore());
    await file.close();
    const { loud, quiet, heard } = followed({ kind: 'file', path, everyMs });
    await untilTrue(() => loud.length > 0);
    writeFileSync(path, row('A', 0.4));
    await heard('A', 0.4);
    appendFileSync(path, row('A', 0.5));
    await heard('A', 0.5);
    writeFileSync(`${path}.new`, row('A', 0.6) + row('B', 0.1));
    renameSync(`${path}.new`, path);
    await heard('A', 0.6);
    await heard('B', 0.1);
    rmSync(path);
    await untilTrue(() => loud.length > 1);
    expect(loud.map((text) => text.replace(/:.*/s, ''))).toEqual(['feed model', 'feed model']);
    expect(quiet).toEqual(['feed model can be read again']);
  });

  it('is read from its start if its old rows are rewritten in place, even if the file grows', async () => {
    const path = join(newFolder(), 'model.csv');
    const at = Date.now();
    writeFileSync(path, `market,p,at\nA,0.62,${at}\nB,0.40,${at}\n`);
    const { values, heard } = followed({ kind: 'file', path, everyMs });
    await heard('B', 0.4);
    writeFileSync(path, `market,p,at\nA,0.35,${at}\nB,0.48,${at}\nC,0.20,${at}\n`);
    await heard('C', 0.2);
    expect([...values.values()].map(({ p }) => p)).toEqual([0.35, 0.48, 0.2]);
  });

  it('may be a table, and its last line is not taken before it has an end', async () => {
    const path = join(newFolder(), 'model.csv');
    const now = Date.now();
    writeFileSync(path, `market,p,at\nA,0.55,${now}\nB,0.6`);
    const { loud, values, heard } = followed({ kind: 'file', path, everyMs });
    await heard('A', 0.55);
    await untilTrue(() => loud.length > 0);
    expect(loud[0]).toContain('the last line of the file has no line end');
    expect(values.has('B')).toBe(false);
    appendFileSync(path, `5,${now}\n`);
    await heard('B', 0.65);
  });

  it('of nonsense is counted, named once a kind, and what is right in it is heard', async () => {
    const path = join(newFolder(), 'model.jsonl');
    const bad = [row('A', 1.2), row('A', 1.2), row('A', 0.5, { sd: -1 }), '{"market":"A","p":1e400,"at":1}\n', 'NaN\n'];
    const latin = Buffer.from([0xff, 0xfe, 0x41, 0x0a]);
    const long = `${'x'.repeat(100_000)}\n`;
    writeFileSync(path, Buffer.concat([Buffer.from(bad.join('') + long), latin, Buffer.from(row('A', 0.3))]));
    const { loud, heard, problems } = followed({ kind: 'file', path, everyMs });
    await heard('A', 0.3);
    expect(problems()).toBe(7);
    expect(loud).toHaveLength(6);
    const kinds = ['below 1, got 1.2', 'sd: wants 0 or more', 'got Infinity', 'not JSON', 'than 4096', 'not UTF-8'];
    for (const kind of kinds) expect(loud.filter((said) => said.includes(kind))).toHaveLength(1);
  });

  it('of very many lines is taken slice by slice: the newest value of a market, and other work in between', async () => {
    const path = join(newFolder(), 'model.jsonl');
    writeFileSync(path, Array.from({ length: 20_000 }, (_, index) => row('A', (index + 1) / 100_000)).join(''));
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    onTestFinished(() => clearInterval(timer));
    const { heard, batches } = followed({ kind: 'file', path, everyMs });
    await heard('A', 0.2);
    // A hundred slices of 200 lines; each batch has one value of the one market.
    expect(turns).toBeGreaterThan(50);
    expect(new Set(batches)).toEqual(new Set([1]));
  });
});

describe('a program', () => {
  const child = (script: string) =>
    followed({ kind: 'child', command: [process.execPath, '-e', script], cwd: newFolder(), env: ['MODEL_KEY'] });

  it('gets the variables on the list and those that its feed names, and no others', async () => {
    const { values, heard } = child(`
      for (const name of Object.keys(process.env)) console.log(JSON.stringify({ market: name, p: 0.5, at: Date.now() }));
      console.log(JSON.stringify({ market: 'all', p: 0.2, at: Date.now() }));
      setTimeout(() => undefined, 60_000);
    `);
    await heard('all', 0.2);
    const names = [...values.keys()].filter((name) => !/^(?:all|PATH|HOME|LANG|LC_[A-Z]+|TMPDIR)$/.test(name));
    expect(names.sort()).toEqual(['MODEL_KEY', 'TZ']);
    expect(values.has('LC_TIME')).toBe(true);
  });

  it('is heard, and started again when it ends', async () => {
    const { heard, loud } = child(`
      console.log(JSON.stringify({ market: 'A', p: 0.2, at: Date.now() }));
      console.log(JSON.stringify({ market: 'pid' + process.pid, p: 0.5, at: Date.now() }));
      console.error('ran out of ideas');
      setTimeout(() => process.exit(3), 50);
    `);
    await heard('A', 0.2);
    await untilTrue(() => loud.length >= 2);
    expect(loud[0]).toBe('feed model: its program ended (code 3): ran out of ideas; the feed is retried');
  });

  it('that is not there is said once', async () => {
    const { loud } = followed({ kind: 'child', command: ['/nowhere/model'], cwd: newFolder(), env: [] });
    await untilTrue(() => loud.length > 0);
    expect(loud[0]).toMatch(/cannot be started: .*ENOENT/);
  });

  it('ends with who reads it, and so does what it has started', async () => {
    const { values, feeds } = child(`
      const { spawn } = require('node:child_process');
      process.on('SIGTERM', () => undefined);
      const grandchild = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
      const say = (market) => console.log(JSON.stringify({ market, p: 0.5, at: Date.now() }));
      say(String(process.pid));
      say(String(grandchild.pid));
      setInterval(() => {}, 1000);
    `);
    await untilTrue(() => values.size === 2);
    const pids = [...values.keys()].map(Number);
    expect(pids.map(isAlive)).toEqual([true, true]);
    await feeds.close();
    await untilTrue(() => !pids.some(isAlive));
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
