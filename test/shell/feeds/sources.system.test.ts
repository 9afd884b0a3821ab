/** Good and bad input of each feed source: real files, a real server on loopback, real programs. */

import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FeedValue } from '../../../src/shared/protocol/seam.js';
import type { FeedConfig } from '../../../src/shell/config/config.js';
import { openFeeds } from '../../../src/shell/feeds/feeds.js';
import { newFolder } from '../../support/folders.js';
import { listeningWeb } from '../../support/listening.js';
import { until, untilTrue } from '../../support/waiting.js';

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
  const heard = (market: string, p: number) =>
    until(
      () => values.get(market)?.p,
      (seen) => seen === p,
    );
  return { values, loud, quiet, batches, feeds, heard, problems: () => feeds.status()[0]?.problems ?? 0 };
}

const row = (market: string, p: unknown, more: object = {}) =>
  `${JSON.stringify({ market, p, at: Date.now(), ...more })}\n`;

describe('a file', () => {
  const everyMs = 100;

  it('is read, read on where it grows, and read anew where another takes its name', async () => {
    const folder = newFolder();
    const path = join(folder, 'model.jsonl');
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
    expect(quiet).toEqual(['feed model: it can be read again']);
  });

  it('may be a table, and its last line is not taken before it has an end', async () => {
    const path = join(newFolder(), 'model.csv');
    const now = Date.now();
    writeFileSync(path, `market,p,at\nA,0.55,${now}\nB,0.6`);
    const { loud, values, heard } = followed({ kind: 'file', path, everyMs });
    await heard('A', 0.55);
    await untilTrue(() => loud.length > 0);
    expect(loud[0]).toContain('its last line has no line end');
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
    for (const text of [
      'below 1, got 1.2',
      'sd: wants 0 or more',
      'got Infinity',
      'got NaN',
      'longer than 4096',
      'not UTF-8',
    ])
      expect(
        loud.filter((said) => said.includes(text) || (text === 'got NaN' && said.includes('not JSON'))),
      ).toHaveLength(1);
  });

  it('of very many lines is taken slice by slice: the newest value of a market, and other work in between', async () => {
    const path = join(newFolder(), 'model.jsonl');
    const lines = Array.from({ length: 20_000 }, (_, index) => row('A', (index + 1) / 100_000));
    writeFileSync(path, lines.join(''));
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

describe('an address', () => {
  /** A server whose answer the test changes. */
  async function server() {
    const state: { answer: RequestListener; requests: number } = { answer: (_, to) => to.end('[]'), requests: 0 };
    const { host, url } = await listeningWeb((from, to) => {
      state.requests += 1;
      state.answer(from, to);
    });
    return { state, host, url: `${url}/prices` };
  }

  const rows = (p: number) => JSON.stringify({ values: [JSON.parse(row('A', p)) as unknown] });

  it('is asked again and again, and every bad answer is told once until a good one comes', async () => {
    const { state, url, host } = await server();
    const far = await server();
    const { heard, loud, quiet, feeds } = followed({ kind: 'http', url, hosts: [host], everyMs: 100 });
    const bad: readonly (readonly [RequestListener, string])[] = [
      [(_, to) => void to.writeHead(503).end(), 'answered with status 503'],
      [(_, to) => void to.end('<html>'), 'its answer is not JSON'],
      [(_, to) => void to.end('{"p":1}'), 'its answer is no list of rows'],
      [(_, to) => void to.end('x'.repeat(2_000_000)), 'its answer is longer than'],
      [
        (_, to) => void to.writeHead(302, { location: far.url }).end(),
        `it leads to ${far.host}, which its hosts do not list`,
      ],
      [(_, to) => void to.write('['), 'no whole answer within 5000 ms'],
    ];
    let p = 0.1;
    for (const [answer, text] of bad) {
      state.answer = (_, to) => void to.end(rows(p));
      await heard('A', p);
      const before = loud.length;
      state.answer = answer;
      await untilTrue(() => loud.length > before);
      expect(loud.at(-1)).toContain(text);
      expect(feeds.status()[0]?.trouble).toContain(text);
      p = Math.round((p + 0.1) * 10) / 10;
    }
    expect(far.state.requests).toBe(0);
    expect(loud).toHaveLength(bad.length);
    expect(quiet).toHaveLength(bad.length - 1);
  });

  it('may lead on to a host that is listed', async () => {
    const [first, second] = [await server(), await server()];
    first.state.answer = (_, to) => void to.writeHead(307, { location: second.url }).end();
    second.state.answer = (_, to) => void to.end(`[${row('A', 0.7)}]`);
    const hosts = [first.host, second.host];
    const { heard } = followed({ kind: 'http', url: first.url, hosts, everyMs: 100 });
    await heard('A', 0.7);
  });
});

describe('another venue', () => {
  const VENUES = [
    [
      'polymarket',
      '/book?token_id=NAME',
      { asset_id: 'NAME', bids: [{ price: '0.4', size: '9' }], asks: [{ price: '0.5', size: '9' }] },
    ],
    [
      'kalshi',
      '/markets/NAME/orderbook',
      { orderbook_fp: { yes_dollars: [['0.4', '9']], no_dollars: [['0.5', '9']] } },
    ],
  ] as const;
  it.each(VENUES)('of kind %s is asked for the book of a market under its name there', async (kind, path, book) => {
    const asked: (string | undefined)[] = [];
    let isAway = false;
    const { url, host } = await listeningWeb((from, to) => {
      asked.push(from.url);
      to.writeHead(isAway ? 503 : 200).end(JSON.stringify(book));
    });
    const markets = [{ conditionId: 'ours', nameThere: 'NAME' }];
    const { values, loud } = followed({ kind, url, hosts: [host], markets, everyMs: 100 });
    await untilTrue(() => values.has('ours'));
    expect(values.get('ours')).toMatchObject({ p: null, bid: 0.4, ask: 0.5 });
    isAway = true;
    await untilTrue(() => loud.length > 0);
    expect(loud[0]).toContain('NAME: answered with status 503');
    expect(new Set(asked)).toEqual(new Set([path]));
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
    expect(loud[0]).toBe('feed model: its program ended (code 3): ran out of ideas; it is tried again and again');
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
