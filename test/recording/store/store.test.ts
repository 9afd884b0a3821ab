import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { queryRecordings } from '../../../src/recording/inspect/query.js';
import { openRecordings } from '../../../src/recording/recording.js';
import type { MarketSink } from '../../../src/recording/store/segment.js';
import { type RecordingStore, repairFolder } from '../../../src/recording/store/store.js';
import { collected } from '../../support/collected.js';
import { times } from '../../support/effort.js';
import { newFolder } from '../../support/folders.js';
import { rowsOf } from '../samples.js';
import { at, filesIn, market, opened, openStore, put, SHORT_LIFE, START_MS, shortLife, written } from './writing.js';

const MARKET = 'market=market-1';
const DAY_1 = `${MARKET}/date=2026-11-20`;
const DAY_2 = `${MARKET}/date=2026-11-21`;
const EVENTS = 'events-0001.parquet';

let folder: string;
beforeEach(() => (folder = newFolder()));

const manifestIn = (folder: string) => JSON.parse(readFileSync(join(folder, DAY_1, 'manifest.json'), 'utf8'));
const failure = (message: string, code = 'recording_invalid') => ({ code, message: expect.stringContaining(message) });

describe('a recording in our format', () => {
  it('is one folder a market and UTC day, with a manifest, and reads back as it was given', async () => {
    await written(folder, shortLife);
    expect(filesIn(folder)).toEqual(
      [DAY_1, DAY_2].flatMap((day) => [`${day}/events-0001.parquet`, `${day}/manifest.json`, `${day}/market.json`]),
    );
    const recording = await opened(folder);
    expect(await rowsOf(recording, START_MS)).toEqual(SHORT_LIFE);
    expect(recording.market).toEqual(
      market({ source: { kind: 'twinbook', path: join(folder, MARKET), ticker: 'TICKER', origin: 'test' } }),
    );
    expect(recording.summary).toMatchObject({
      firstMs: START_MS,
      lastMs: START_MS + 120_000,
      events: { level: 4, trade: 1, clear: 1, end: 1 },
      gaps: [],
    });
    expect(recording.warnings).toEqual([]);
  });

  it('keeps ids that are no names of folders, and what YES paid where it is neither 1 nor 0', async () => {
    const conditionId = '../a b/ä?*';
    await written(folder, shortLife, {}, { conditionId, outcome: 0.5 });
    expect((await opened(folder)).market).toMatchObject({ conditionId, outcome: 0.5 });
    expect(filesIn(folder).join()).not.toMatch(/[*?[]/);
  });

  it.each(['recordings[1]', 'recordings?', 'recordings*'])('may be in a folder %s, beside another', async (name) => {
    const [other, own] = [join(folder, 'recordings1'), join(folder, name)];
    const others = await openStore(other);
    others.market(market()).clear(at(0));
    await others.flush();
    await written(own, shortLife);
    expect(await rowsOf(await opened(own), START_MS)).toEqual(SHORT_LIFE);
    const answer = await queryRecordings('SELECT count(*)::INTEGER FROM events', [own]);
    const counts: unknown[] = [];
    for await (const batch of answer.rows()) counts.push(...batch);
    answer.close();
    await others.close();
    expect([counts, filesIn(other)]).toEqual([[[10]], expect.arrayContaining([`${DAY_1}/events-0001.parquet`])]);
  });

  it('is read by the folder of the market and of one day, whose book begins with its snapshot', async () => {
    await written(folder, shortLife);
    expect(await rowsOf(await opened(join(folder, MARKET)), START_MS)).toEqual(SHORT_LIFE);
    const second = await opened(join(folder, DAY_2));
    expect(await rowsOf(second, START_MS)).toEqual([
      '61000 clear',
      '61000 level bid 0.4 10',
      '61000 level ask 0.45 15',
      '61000 level bid 0.41 7',
      '120000 end',
    ]);
    expect(second.warnings.map(({ message }) => message)).toEqual([
      'rows before this file are missing: the book starts with this file',
    ]);
  });

  it('makes of a missing file a gap and a new book', async () => {
    await written(folder, async (sink, store) => {
      put(sink, '0 clear', '0 level bid 0.4 1');
      await store.rotate();
      put(sink, '1000 level ask 0.45 2');
      await store.rotate();
      put(sink, '2000 level bid 0.4 3');
    });
    const manifest = manifestIn(folder);
    manifest.files.splice(1, 1);
    writeFileSync(join(folder, DAY_1, 'manifest.json'), JSON.stringify(manifest));
    const recording = await opened(folder);
    expect(await rowsOf(recording, START_MS)).toEqual([
      '0 clear',
      '0 level bid 0.4 1',
      '2000 clear',
      '2000 level bid 0.4 1',
      '2000 level ask 0.45 2',
      '2000 level bid 0.4 3',
      '2000 end',
    ]);
    expect(recording.summary?.gaps).toEqual([{ fromMs: START_MS, toMs: START_MS + 2000, reason: 'a file is missing' }]);
  });

  it('counts and leaves out what is no event of the market', async () => {
    const answers: boolean[] = [];
    await written(folder, (sink) => {
      sink.clear(at(0));
      // The first price is off the tick; only the last is right.
      for (const price of [455_000, 0, 1_000_000, Number.NaN, 450_000]) answers.push(sink.level(at(0), 0, price, 1));
      for (const amount of [-1, 0.5]) answers.push(sink.level(at(0), 0, 450_000, amount));
      answers.push(sink.trade(at(0), 0, 450_000, 0));
      sink.end(at(10));
      answers.push(sink.trade(at(20), 0, 450_000, 1));
    });
    expect(answers).toEqual([false, false, false, false, true, false, false, false, false]);
    const recording = await opened(folder);
    expect(await rowsOf(recording, START_MS)).toEqual(['0 clear', '0 level bid 0.45 0.000001', '10 end']);
    expect(recording.summary?.refused).toBe(8);
    expect(recording.warnings[0]?.message).toBe('invalid events that the recorder rejected: 8');
  });

  it('raises a time that goes back, and counts it', async () => {
    await written(folder, (sink) => put(sink, '100 clear', '50 level bid 0.4 1', '200 end'));
    expect(await rowsOf(await opened(folder), START_MS)).toEqual(['100 clear', '100 level bid 0.4 1', '200 end']);
    expect(manifestIn(folder)).toMatchObject({ stepped_back: 1 });
  });

  it('says of a gap from when to when nothing is known, and why', async () => {
    await written(folder, async (sink, store) => {
      sink.gap(at(0), 'before anything is known there is no gap');
      sink.clear(at(0));
      sink.gap(at(1000), 'a poll failed');
      sink.gap(at(1500), 'still the same gap');
      sink.level(at(3000), 0, 400_000, 1_000_000);
      sink.gap(at(4000), 'the venue was down');
      await store.rotate();
      sink.level(at(70_000), 0, 400_000, 2_000_000);
    });
    const recording = await opened(folder);
    expect(recording.summary?.gaps).toEqual([
      { fromMs: START_MS + 1000, toMs: START_MS + 3000, reason: 'a poll failed' },
      { fromMs: START_MS + 4000, toMs: START_MS + 70_000, reason: 'the venue was down' },
    ]);
    expect(await rowsOf(recording, START_MS)).toEqual([
      '0 clear',
      '3000 level bid 0.4 1',
      '70000 level bid 0.4 2',
      '70000 end',
    ]);
  });

  it('learns an outcome and notes after the market has ended', async () => {
    const store = await openStore(folder);
    const sink = store.market(market({ outcome: null }));
    shortLife(sink);
    await store.rotate();
    expect((await opened(folder)).market.outcome).toBeNull();
    sink.describe({ ...sink.market, outcome: false }, ['the venue took its time']);
    await store.close();
    // A later writer that does not know the field keeps it.
    const later = await openStore(folder);
    later.market(market({ outcome: null, title: 'A new title' }));
    await later.close();
    const recording = await opened(folder);
    expect(recording.market).toMatchObject({ outcome: false, title: 'A new title' });
    expect(recording.warnings.map(({ message }) => message)).toEqual(['the venue took its time']);
  });

  it('keeps polls', async () => {
    const poll = {
      ...{ endpoint: 'markets.book', sentMs: START_MS, seenMs: START_MS + 80, venueMs: START_MS + 41 },
      outcome: 'answered',
    } as const;
    const failed = { ...poll, venueMs: null, outcome: 'unknown' } as const;
    await written(folder, (sink) => {
      shortLife(sink);
      sink.poll(poll);
      sink.poll(failed);
    });
    expect(await collected((await opened(folder)).polls?.() ?? [])).toEqual([poll, failed]);
  });
});

describe('a recording that goes on', () => {
  it('after a restart has a gap where nothing was recorded, and then the new book', async () => {
    const [before, after] = [
      ['0 clear', '0 level bid 0.4 1'],
      ['90000 clear', '90000 level bid 0.42 2', '91000 end'],
    ];
    for (const rows of [before, after]) await written(folder, (sink) => put(sink, ...rows));
    const recording = await opened(folder);
    expect(await rowsOf(recording, START_MS)).toEqual([...before, ...after]);
    const gap = { fromMs: START_MS, toMs: START_MS + 90_000, reason: 'nothing was recorded' };
    expect(recording.summary?.gaps).toEqual([gap]);
  });

  it('after a restart on the same day has the first announced closing time', async () => {
    const [guessed, first, later] = [START_MS + 1000, START_MS + 400_000, START_MS + 200_000];
    for (const [ms, close] of [
      [0, { closeTimeMs: guessed, closeIsGuessed: true }],
      [10_000, { closeTimeMs: first }],
      [20_000, { closeTimeMs: later }],
      [30_000, { closeTimeMs: guessed, closeIsGuessed: true }],
    ] as const) {
      const store = await openStore(folder);
      store.market(market(close)).clear(at(ms));
      await store.close();
    }
    const recording = await opened(folder);
    expect(recording.market.closeTimeMs).toBe(first);
    expect(recording.market.closeIsGuessed).toBeUndefined();
  });

  it('takes no event of a market that has ended', async () => {
    await written(folder, shortLife);
    const store = await openStore(folder);
    expect(store.market(market()).level(at(130_000), 0, 400_000, 1_000_000)).toBe(false);
    await store.close();
    expect(await rowsOf(await opened(folder), START_MS)).toEqual(SHORT_LIFE);
  });

  it('has one writer at a time', async () => {
    const store = await openStore(folder);
    await expect(openStore(folder)).rejects.toMatchObject(failure(String(process.pid), 'file_unreadable'));
    await store.close();
    await (await openStore(folder)).close();
  });

  it('closes segments by rows, by age and by day', async () => {
    let nowMs = 0;
    const store = await openStore(folder, { rotateAfterRows: 5, rotateAfterMs: 1000, now: () => nowMs });
    const sink = store.market(market());
    const parquet = () => filesIn(folder).filter((name) => name.endsWith('.parquet')).length;
    sink.clear(at(0));
    await store.flush();
    expect(parquet()).toBe(0);
    for (const shares of [1, 2, 3, 4]) sink.level(at(0), 0, 400_000, shares * 1_000_000);
    await store.flush();
    expect(parquet()).toBe(1);
    sink.level(at(10), 1, 450_000, 2_000_000);
    nowMs = 1000;
    await store.flush();
    expect(parquet()).toBe(2);
    sink.level(at(20), 1, 450_000, 3_000_000);
    sink.level(at(60_000), 1, 450_000, 4_000_000);
    await store.flush();
    // The recorder's clock may be a day behind the venue's.
    sink.poll({ endpoint: 'markets.book', sentMs: START_MS, seenMs: START_MS, venueMs: null, outcome: 'answered' });
    await store.flush();
    expect(parquet()).toBe(3);
    await store.close();
    expect(parquet()).toBe(5);
  });
});

describe('a writer that dies', () => {
  /** The folder of a store that is left open: flushed data is on the disk, nothing is closed. */
  async function abandoned(write = async (sink: MarketSink, _: RecordingStore) => shortLife(sink)): Promise<string> {
    const store = await openStore(folder);
    await write(store.market(market()), store);
    await store.flush();
    const copy = newFolder();
    cpSync(folder, copy, { recursive: true });
    await store.close();
    rmSync(join(copy, '.writer'));
    return copy;
  }

  it('leaves a segment that is read as it is, and is closed by the next writer', async () => {
    const folder = await abandoned();
    expect(filesIn(folder)).toContain(`${DAY_2}/open-0001.ndjson`);
    expect(await rowsOf(await opened(folder), START_MS)).toEqual(SHORT_LIFE);
    await (await openStore(folder)).close();
    expect(filesIn(folder).filter((name) => name.endsWith('.ndjson'))).toEqual([]);
    expect(await rowsOf(await opened(folder), START_MS)).toEqual(SHORT_LIFE);
    expect((await opened(folder)).market.source.origin).toBe('test');
  });

  it('leaves its counts of refused and raised events', async () => {
    const copy = await abandoned(async (sink, store) => {
      sink.clear(at(100));
      for (let flush = 1; flush <= 2; flush++) {
        sink.level(at(0), 0, 400_000, flush);
        sink.level(at(0), 0, 455_000, 1);
        await store.flush();
      }
    });
    await repairFolder(copy);
    for (const place of [folder, copy])
      expect(manifestIn(place)).toMatchObject({ refused: 2, stepped_back: 2, broken_lines: 0 });
  });

  it('wherever the last line was cut, leaves everything before it', async () => {
    const folder = await abandoned();
    const segment = join(folder, DAY_2, 'open-0001.ndjson');
    const whole = readFileSync(segment, 'utf8');
    const before = SHORT_LIFE.slice(0, -1);
    for (let cut = whole.lastIndexOf('\n', whole.length - 2) + 1; cut < whole.length - 1; cut += 7) {
      writeFileSync(segment, whole);
      truncateSync(segment, cut);
      const recording = await opened(folder);
      expect(await rowsOf(recording, START_MS)).toEqual([...before, '61000 end']);
      expect(recording.warnings.some(({ isDamage }) => isDamage === true)).toBe(whole[cut - 1] !== '\n');
    }
    expect(await repairFolder(folder)).toBe(1);
    const recording = await opened(folder);
    expect(await rowsOf(recording, START_MS)).toEqual([...before, '61000 end']);
    expect(recording.warnings.map(({ message }) => message)).toContain('1 line was lost when the recorder crashed');
  });

  it('between writing a file and listing it, leaves what is written anew', async () => {
    const folder = await abandoned();
    // A file with the segment's number that no manifest lists: half of a closing segment.
    writeFileSync(join(folder, DAY_2, 'events-0001.parquet'), 'half');
    writeFileSync(join(folder, DAY_2, '.events-0001.parquet.tmp'), 'half');
    expect(await rowsOf(await opened(folder), START_MS)).toEqual(SHORT_LIFE);
    expect(await repairFolder(folder)).toBe(1);
    expect(await rowsOf(await opened(folder), START_MS)).toEqual(SHORT_LIFE);
    expect(filesIn(folder).some((name) => name.endsWith('.tmp'))).toBe(false);
  });

  it('between listing a file and removing its segment, leaves no event twice', async () => {
    const folder = await abandoned();
    const segment = join(folder, DAY_2, 'open-0001.ndjson');
    const text = readFileSync(segment);
    await repairFolder(folder);
    writeFileSync(segment, text);
    expect(await rowsOf(await opened(folder), START_MS)).toEqual(SHORT_LIFE);
    await repairFolder(folder);
    expect(existsSync(segment)).toBe(false);
    expect(await rowsOf(await opened(folder), START_MS)).toEqual(SHORT_LIFE);
  });

  it('leaves no work in closed days: their manifests are not read, and other work has its turns', async () => {
    const MARKETS = 50;
    for (let number = 0; number < MARKETS; number++) {
      const day = join(folder, `market=M${number}`, 'date=2026-11-20');
      mkdirSync(day, { recursive: true });
      writeFileSync(join(day, 'manifest.json'), 'this manifest is not read');
    }
    let turns = 0;
    let isOver = false;
    const takeTurn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(takeTurn);
    };
    takeTurn();
    expect(await repairFolder(folder)).toBe(0);
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(MARKETS);
  });

  it('leaves a lock that does not hold', async () => {
    const folder = await abandoned();
    // No process has this number: the maximum is four million.
    writeFileSync(join(folder, '.writer'), '99999999\n');
    await (await openStore(folder)).close();
    writeFileSync(join(folder, '.writer'), 'nonsense');
    await (await openStore(folder)).close();
  });
});

describe('a damaged recording', () => {
  const remove = (folder: string, name: string) => {
    for (const day of [DAY_1, DAY_2]) rmSync(join(folder, day, name));
  };
  const rewrite = (folder: string, from: string | RegExp, to: string) => {
    const path = join(folder, DAY_1, 'manifest.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
  };
  const copy = (folder: string, from: string, to: string) =>
    cpSync(join(folder, from), join(folder, to), { recursive: true });

  const damages: readonly (readonly [name: string, damage: (folder: string) => void, message: string])[] = [
    ['a cut file', (folder) => truncateSync(join(folder, DAY_1, EVENTS), 100), EVENTS],
    ['a missing file', (folder) => rmSync(join(folder, DAY_1, EVENTS)), EVENTS],
    ['a manifest that is none', (folder) => writeFileSync(join(folder, DAY_1, 'manifest.json'), '{}'), 'manifest.json'],
    ['a manifest that is cut', (folder) => truncateSync(join(folder, DAY_1, 'manifest.json'), 20), 'manifest.json'],
    ['a description that is cut', (folder) => truncateSync(join(folder, DAY_2, 'market.json'), 20), 'market.json'],
    ['another market', (folder) => copy(folder, MARKET, 'market=other'), 'market-1'],
    ['no description', (folder) => remove(folder, 'market.json'), 'market.json'],
    ['no manifest', (folder) => remove(folder, 'manifest.json'), 'no events of markets'],
    ['another checksum', (folder) => rewrite(folder, /"sha256": ".{8}/, '"sha256": "00000000'), 'has the checksum'],
    ['a manifest of another file', (folder) => rewrite(folder, EVENTS, '../../x.parquet'), 'is not the name of a file'],
    ['rows of another file', (folder) => copy(folder, `${DAY_2}/${EVENTS}`, `${DAY_1}/${EVENTS}`), 'its manifest says'],
  ];
  it.each(damages)('with %s is an error that names it', async (_, damage, message) => {
    await written(folder, shortLife);
    damage(folder);
    const read = async () => {
      for (const recording of await openRecordings([folder])) await rowsOf(recording);
    };
    await expect(read()).rejects.toMatchObject(failure(message));
  });

  it('with a file that its manifest does not list leaves that file out, and says so', async () => {
    await written(folder, shortLife);
    copy(folder, `${DAY_1}/${EVENTS}`, `${DAY_1}/events-0007.parquet`);
    const recording = await opened(folder);
    expect(await rowsOf(recording, START_MS)).toEqual(SHORT_LIFE);
    expect(recording.warnings).toMatchObject([{ path: join(folder, DAY_1, 'events-0007.parquet'), isDamage: true }]);
  });

  it('is whole when its days are named one by one, in whatever order', async () => {
    await written(folder, shortLife);
    const found = await openRecordings([join(folder, DAY_2), join(folder, DAY_1)]);
    expect(found).toHaveLength(1);
    expect(await rowsOf(found[0], START_MS)).toEqual(SHORT_LIFE);
  });

  it('with one broken market shows the others, when somebody is told', async () => {
    await written(folder, shortLife);
    copy(folder, MARKET, 'market=other');
    rmSync(join(folder, 'market=other/date=2026-11-20/market.json'));
    const told: string[] = [];
    expect(await openRecordings([folder], { onFailure: ({ message }) => told.push(message) })).toHaveLength(1);
    expect(told).toEqual([expect.stringContaining('market=other')]);
  });

  it('says that a single file of ours is to be given with its folder', async () => {
    await written(folder, shortLife);
    await expect(openRecordings([join(folder, DAY_1, EVENTS)])).rejects.toMatchObject(failure('give the folder'));
  });

  it('with a broken line in an open segment says how many lines were left out', async () => {
    const store = await openStore(folder);
    shortLife(store.market(market()));
    await store.flush();
    appendFileSync(join(folder, DAY_2, 'open-0001.ndjson'), '{"table": "events", "seq": \nnot json\n');
    const recording = await opened(folder);
    expect(await rowsOf(recording, START_MS)).toEqual(SHORT_LIFE);
    expect(recording.warnings.map(({ message }) => message)).toEqual(['2 lines were cut or broken: skipped']);
    await store.close();
  });
});

/** One step of a life: `flush`, `rotate` and `restart` are no input, so nothing may change. */
const priced = fc.record({
  do: fc.constantFrom('level' as const, 'level' as const, 'trade' as const),
  afterMs: fc.integer({ min: 0, max: 20_000 }),
  side: fc.integer({ min: 0, max: 1 }),
  tick: fc.integer({ min: 1, max: 99 }),
  amount: fc.integer({ min: 1, max: 1000 }),
});
const step = fc.oneof(
  { weight: 20, arbitrary: priced },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('clear' as const), afterMs: fc.nat(1000) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('flush' as const, 'rotate' as const, 'restart' as const) }) },
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

it('any stream of events comes back as it was given, through every flush, rotation and restart, by day too', () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
      const folder = newFolder();
      const settings = { snapshotEveryMs: 30_000 };
      let store = await openStore(folder, settings);
      let sink = store.market(market());
      const wanted = ['0 clear'];
      sink.clear(at(0));
      let nowMs = 0;
      for (const given of steps) {
        if ('afterMs' in given) {
          nowMs += given.afterMs;
          wanted.push(toRow(given, nowMs));
          put(sink, toRow(given, nowMs));
        } else if (given.do === 'flush') await store.flush();
        else if (given.do === 'rotate') await store.rotate();
        else {
          await store.close();
          store = await openStore(folder, settings);
          sink = store.market(market());
        }
      }
      sink.end(at(nowMs));
      await store.close();
      expect(await rowsOf(await opened(folder), START_MS)).toEqual([...wanted, `${nowMs} end`]);
    }),
    { numRuns: times(8, 15) },
  ));

const toRow = (given: Extract<Step, { afterMs: number }>, ms: number): string =>
  given.do === 'clear'
    ? `${ms} clear`
    : `${ms} ${given.do} ${given.side === 0 ? 'bid' : 'ask'} ${given.tick / 100} ${given.amount / 1e6}`;
