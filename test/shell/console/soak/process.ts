/**
 * A console whose time is that of the received frames: it passes a week in seconds. Everything is real, including its
 * sockets; only the clocks and intervals of this process follow the last frame.
 */

import { statSync } from 'node:fs';
import type { StatusLine } from '../../../../src/shared/protocol/trader-status.js';

/** Figures of this process after it received a frame. */
export interface ConsoleFigures {
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly externalBytes: number;
  readonly arrayBufferBytes: number;
  readonly storeBytes: number;
  /** Processor time since the process started, ms. */
  readonly processorMs: number;
}

export type Told = { readonly url: string } | { readonly figures: ConsoleFigures };

/** Unix ms; the answer has the figures once this frame arrived. */
export interface Asked {
  readonly untilMs: number;
}

const [folder = '', began = ''] = process.argv.slice(2);
let nowMs = Number(began);
let untilMs = Number.POSITIVE_INFINITY;

interface Repeated {
  readonly everyMs: number;
  readonly call: () => void;
  dueMs: number;
}

const repeated = new Set<Repeated>();

function advanceTo(timeMs: number): void {
  for (; nowMs < timeMs; nowMs = nextMs(timeMs)) {
    for (const one of repeated) {
      if (one.dueMs > nowMs) continue;
      one.dueMs = nowMs + one.everyMs;
      one.call();
    }
  }
  answerIfHeard();
}

/** Requests and frames arrive on separate ways, in any order. */
function answerIfHeard(): void {
  if (nowMs < untilMs) return;
  untilMs = Number.POSITIVE_INFINITY;
  setImmediate(() => process.send?.({ figures: figures() } satisfies Told));
}

const nextMs = (timeMs: number): number =>
  Math.min(timeMs, ...[...repeated].map(({ dueMs }) => Math.max(dueMs, nowMs + 1)));

function figures(): ConsoleFigures {
  globalThis.gc?.();
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const sizes = ['', '-wal'].map(
    (end) => statSync(`${folder}/twinbook.sqlite.console${end}`, { throwIfNoEntry: false })?.size ?? 0,
  );
  return {
    residentBytes: rss,
    heapBytes: heapUsed,
    externalBytes: external,
    arrayBufferBytes: arrayBuffers,
    storeBytes: sizes.reduce((sum, size) => sum + size, 0),
    processorMs: (user + system) / 1000,
  };
}

/** Replaces a timer, with the two timer functions that the code uses. */
function makeInterval(call: () => void, everyMs = 1): NodeJS.Timeout {
  const one = { everyMs, call, dueMs: nowMs + everyMs };
  repeated.add(one);
  return Object.assign(one, { unref: () => one, ref: () => one }) as unknown as NodeJS.Timeout;
}

const startedMs = nowMs;
Date.now = () => nowMs;
performance.now = () => nowMs - startedMs;
Object.assign(globalThis, {
  setInterval: makeInterval,
  clearInterval: (one: unknown) => repeated.delete(one as Repeated), // It only holds values of `makeInterval`.
});

// Imported after the clocks are replaced, because these modules start timers.
const PAGE_SECRET = 'the secret of the page, a long one';
const { ShownState } = await import('../../../../src/shell/console/trader-state.js');
const { openConsole } = await import('../../../../src/shell/console/console.js');
const { loadTraderConfig } = await import('../../../../src/shell/config/load.js');

const { onLine } = ShownState.prototype;
ShownState.prototype.onLine = function hear(line: StatusLine): void {
  if (line.type === 'frame') advanceTo(line.time);
  onLine.call(this, line);
};

const { url } = await openConsole({
  config: loadTraderConfig('trader.yaml', { cwd: folder, env: {} }),
  secret: PAGE_SECRET,
  guardian: { status: () => 'watching', isGuarded: () => true },
  note: (text) => process.stderr.write(`${text}\n`),
});
process.on('message', (asked: Asked) => {
  untilMs = asked.untilMs;
  answerIfHeard();
});
process.on('disconnect', () => process.exit(0));
process.send?.({ url: url ?? '' } satisfies Told);
