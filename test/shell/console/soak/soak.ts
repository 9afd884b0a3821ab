/** Days of a console in its own process, beside a trader with figures of sixty markets, with one page always open. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { serveControl } from '../../../../src/shell/control/control-server.js';
import type { LineReader } from '../../../../src/shell/control/telemetry.js';
import { openLedger } from '../../../../src/trader/ledger/ledger.js';
import { openPageSession } from '../../../support/page-client.js';
import { HOLDER } from '../../../trader/ledger/books.js';
import { trader } from '../../config/files.js';
import { movingMarket, SECRET } from '../played-console.js';
import { ACCOUNT, hello, PROCESS } from '../state-of-markets.js';
import type { Asked, ConsoleFigures, Told } from './process.js';

const START_MS = Date.UTC(2026, 10, 1);
const DAY_MS = 86_400_000;
/** For days: once per point of the history, so that the history grows as usual. */
const SELDOM_MS = 5_000;
/** The trader's usual interval. */
const USUAL_MS = 500;
/** Duration of the usual interval at the end, to measure processor time, ms. */
const USUAL_FOR_MS = 600_000;
/** Number of different frames, sent in turn. */
const KINDS = 20;
const MOST_UNREAD_BYTES = 2_000_000;
/** The page asks this long after each answer, ms. */
const POLL_MS = 500;
const PAUSE_MS = 5;

export interface ConsoleSoakOptions {
  readonly days: number;
  readonly markets: number;
  /** Interval of measurements, simulated days. */
  readonly everyDays: number;
  readonly usualForMs?: number;
}

export interface ConsoleSoakRow extends ConsoleFigures {
  readonly days: number;
}

export interface ConsoleSoaked {
  readonly rows: readonly ConsoleSoakRow[];
  /** Share of a core, at the trader's usual interval. */
  readonly share: number;
}

/** @param told called with each row */
export async function soakConsole(
  options: ConsoleSoakOptions,
  told: (row: ConsoleSoakRow) => void = () => undefined,
): Promise<ConsoleSoaked> {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-console-soak-'));
  writeFileSync(join(folder, 'trader.yaml'), trader('dashboard: { port: 0 }'));
  const ledger = openLedger(join(folder, 'twinbook.sqlite'), HOLDER);
  ledger.transaction(() =>
    ledger.startRun({ id: PROCESS.run, version: PROCESS.version, configHash: PROCESS.configHash, startedMs: START_MS }),
  );
  let reader: LineReader | null = null;
  const server = await serveControl(join(folder, 'twinbook.sqlite.sock'), {
    answer: async () => ({ ok: false, error: 'it only tells' }),
    subscribe: (socket) => {
      reader = socket;
      return null;
    },
  });
  const child = fork(join(import.meta.dirname, 'process.ts'), [folder, `${START_MS}`], {
    execArgv: ['--expose-gc', '--import', 'tsx'],
  });
  try {
    const hear = listenTo(child);
    const first = await hear();
    if (!('url' in first)) throw new Error('a console says first where it is');
    while (reader === null) await pause(PAUSE_MS);
    const page = await openPage(first.url);
    const feed = openFeed({ child, hear, reader, markets: options.markets });
    const rows: ConsoleSoakRow[] = [];
    for (let days = options.everyDays; days <= options.days; days += options.everyDays) {
      const row = { days, ...(await feed.tellUntil(START_MS + days * DAY_MS, SELDOM_MS)) };
      rows.push(row);
      told(row);
    }
    const { usualForMs = USUAL_FOR_MS } = options;
    const before = rows.at(-1)?.processorMs ?? 0;
    const { processorMs } = await feed.tellFor(usualForMs, USUAL_MS);
    page.stop.abort();
    if (page.read.bytes === 0) throw new Error('the page was told nothing');
    return { rows, share: (processorMs - before) / usualForMs };
  } finally {
    child.kill('SIGKILL');
    server.close();
    ledger.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Each call returns the next message of the console's process, and rejects when it has ended. */
function listenTo(child: ChildProcess): () => Promise<Told> {
  const gone = once(child, 'exit').then(([code]) => {
    throw new Error(`the process of the console ended with ${code}`);
  });
  gone.catch(() => undefined);
  return async () => {
    const [told] = (await Promise.race([once(child, 'message'), gone])) as [Told];
    return told;
  };
}

/** A page of one market that asks as often as a browser. Resolves after its first answer. */
async function openPage(url: string) {
  const stop = new AbortController();
  const read = { bytes: 0 };
  const { ask } = await openPageSession(url, SECRET);
  const readOnce = async () => {
    read.bytes += (await (await ask('/state?market=m0', { signal: stop.signal })).text()).length;
  };
  await readOnce();
  const readAll = async () => {
    while (!stop.signal.aborted) {
      await pause(POLL_MS);
      await readOnce();
    }
  };
  void readAll().catch(() => undefined);
  return { stop, read };
}

interface FeedOptions {
  readonly child: ChildProcess;
  /** The next message of the console's process. */
  readonly hear: () => Promise<Told>;
  readonly reader: LineReader;
  readonly markets: number;
}

/** The trader's telemetry: the same figures repeatedly, each time with a new time. */
function openFeed({ child, hear, reader, markets }: FeedOptions) {
  const ids = Array.from({ length: markets }, (_, i) => `m${i}`);
  reader.write(Buffer.from(`${JSON.stringify(hello({ startedMs: START_MS }))}\n`));
  const bodies = Array.from({ length: KINDS }, (_, kind) => {
    const figures = ids.map((id) => movingMarket(id, `Will ${id} come to pass?`, START_MS + kind * 3_000));
    return `"account":${JSON.stringify(ACCOUNT)},"known":${JSON.stringify(ids)},"markets":${JSON.stringify(figures)}}\n`;
  });
  let [frames, toldMs] = [0, START_MS];
  const tellUntil = async (untilMs: number, everyMs: number): Promise<ConsoleFigures> => {
    child.send({ untilMs } satisfies Asked);
    const heard = hear();
    while (toldMs < untilMs) {
      toldMs += everyMs;
      reader.write(Buffer.from(`{"type":"frame","time":${toldMs},${bodies[frames++ % KINDS]}`));
      while (reader.writableLength > MOST_UNREAD_BYTES) await pause(PAUSE_MS);
    }
    const told = await heard;
    if (!('figures' in told)) throw new Error('a console says where it is once');
    return told.figures;
  };
  return { tellUntil, tellFor: (ms: number, everyMs: number) => tellUntil(toldMs + ms, everyMs) };
}
