/**
 * What telemetry costs a step of the trader: sixty markets, four readers over a real socket, two of which never read and come
 * back whenever they are let go. Blocks of beats without readers and with them take turns, so that both see the same machine.
 */

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { AccountFigures, HelloLine } from '../../src/shell/control/telemetry/lines.js';
import { TelemetryPublisher } from '../../src/shell/control/telemetry/publisher.js';
import { type Bench, type BenchRow, percentile, sized } from './bench.js';
import { World } from './in-process.js';

const MARKETS = sized(60, 5);
const BLOCKS = sized(16, 2);
const BEATS = sized(120, 10);
/** Beats are a tenth of a second of the trader's time. */
const BEATS_PER_S = 10;

/** In a process of their own. */
const READERS = `
const { connect } = require('node:net');
for (const reads of [true, true, false, false]) {
  const open = () => {
    const socket = connect(process.argv[1]);
    if (reads) socket.resume(); else socket.pause();
    socket.on('error', () => undefined);
    socket.on('close', () => setTimeout(open, 20));
  };
  open();
}`;

interface Figures {
  readonly steps: number[];
  /** Of telemetry alone, ms. */
  telling: number;
  beats: number;
}

const none = (): Figures => ({ steps: [], telling: 0, beats: 0 });

async function run(): Promise<readonly BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-feed-'));
  const world = await World.open(MARKETS, 'memory');
  const { clock, publisher } = publisherOf(world);
  let [cut, connected] = [0, 0];
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    if (publisher.subscribe(socket) !== null) return void socket.destroy();
    connected++;
    socket.on('close', () => cut++);
  });
  await new Promise<void>((resolve) => server.listen(join(folder, 's'), resolve));
  const readers = spawn(process.execPath, ['-e', READERS, join(folder, 's')], { stdio: 'ignore' });
  while (connected < 4) await turn();
  const [without, told] = [none(), none()];
  // The first ones warm both up and are not looked at.
  for (let block = -1; block < BLOCKS; block++) {
    for (const figures of [without, told]) {
      for (let beat = 0; beat < BEATS; beat++) {
        beatOnce(world, clock, figures === told ? publisher : null, block < 0 ? none() : figures);
        await turn();
      }
    }
  }
  readers.kill('SIGKILL');
  server.close();
  publisher.close('', true);
  world.close();
  rmSync(folder, { recursive: true });
  return rowsOf(without, told, cut);
}

/** Time passes as the trader's does, and within a step as the machine's. */
function publisherOf(world: World) {
  const clock = { beganMs: 0 };
  const source = {
    hello: () => ({ type: 'hello', run: 'bench' }) as HelloLine, // readers of a benchmark look at nothing
    // Of the same weight.
    account: (nowMs: number) =>
      ({ ...world.trader.account(nowMs), risk: world.trader.riskUse(nowMs) }) as unknown as AccountFigures,
    faces: () => world.trader.faces(),
    mode: () => world.trader.mode,
    onFailure: (error: unknown) => {
      throw error;
    },
  };
  const steadyMs = () => world.nowMs + performance.now() - clock.beganMs;
  return { clock, publisher: new TelemetryPublisher(source, { steadyMs, nowMs: () => world.nowMs }) };
}

function beatOnce(world: World, clock: { beganMs: number }, publisher: TelemetryPublisher | null, figures: Figures) {
  figures.beats++;
  world.beat((observation, _, step) => {
    clock.beganMs = performance.now();
    const beganMs = processorMs();
    step();
    const steppedMs = processorMs();
    publisher?.afterStep(observation.kind === 'time' ? 0 : null);
    const endedMs = processorMs();
    figures.steps.push(endedMs - beganMs);
    figures.telling += endedMs - steppedMs;
  });
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function rowsOf(without: Figures, told: Figures, cut: number): readonly BenchRow[] {
  for (const { steps } of [without, told]) steps.sort((a, b) => a - b);
  const spread = `${told.steps.length} steps`;
  const shares = [
    ['p50', 0.5],
    ['p99', 0.99],
    ['p99.9', 0.999],
  ] as const;
  const row = (name: string, figure: number, unit: string): BenchRow => ({ name, figure, unit, spread });
  return [
    ...shares.map(([name, share]) => row(`a step without readers, ${name}`, percentile(without.steps, share), 'ms')),
    ...shares.map(([name, share]) => row(`a step with four readers, ${name}`, percentile(told.steps, share), 'ms')),
    row('delay of a step by telemetry, p99.9', percentile(told.steps, 0.999) - percentile(without.steps, 0.999), 'ms'),
    row('the trader’s time that telemetry takes', (told.telling / ((told.beats / BEATS_PER_S) * 1000)) * 100, '%'),
    row('readers let go', cut, 'readers'),
  ];
}

export const bench: Bench = { title: `feed: telemetry of ${MARKETS} markets, four readers`, run };
