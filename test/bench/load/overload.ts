/** Clients that do not care about a 429, and one that does. */

import { connect, type Socket } from 'node:net';
import { arrivals, type LoadReport, passed, Tally, until } from './jobs.js';
import { plain, Trader } from './trader.js';
import { Wire } from './wire.js';

export interface RateOverload extends LoadReport {
  /** Most answers other than 429 that one key got. */
  readonly mostLetThrough: number;
}

/** Traders who each ask at this rate, whatever they are told. */
export async function ignoreRefusals(
  port: number,
  job: { readonly traders: number; readonly perSecondEach: number; readonly forMs: number },
): Promise<RateOverload> {
  const wire = await Wire.open(port);
  const traders = Array.from({ length: job.traders }, (_, n) => new Trader(n));
  for (const trader of traders) await trader.join(wire);
  const lines = await Promise.all(traders.map(async (trader) => ({ trader, wire: await Wire.open(port), let: 0 })));
  const tally = new Tally();
  tally.start();
  let at = 0;
  await arrivals(job.perSecondEach * job.traders, job.forMs, (dueMs) => {
    const line = lines[at++ % lines.length];
    line?.wire.ask(line.trader.signed('GET', '/account/assets/'), (status) => {
      if (status !== 429) line.let += 1;
      tally.heard(status, dueMs);
    });
  });
  await until(() => lines.every((line) => line.wire.inFlight === 0), 5000);
  const report = { ...tally.report(), mostLetThrough: Math.max(...lines.map((line) => line.let)) };
  for (const line of [{ wire }, ...lines]) line.wire.close();
  return report;
}

export interface Flood {
  readonly answeredPerSecond: number;
  /** Of the answers. */
  readonly throttledShare: number;
  /** Times that the service ended a connection. */
  readonly cutOff: number;
}

export interface FloodJob {
  readonly connections: number;
  /** Requests that each connection has on their way at every moment. */
  readonly pipeline: number;
  readonly forMs: number;
}

const ANY = Buffer.from('HTTP/1.1 ');
const THROTTLED = Buffer.from('HTTP/1.1 429');

/** Requests without measure over many connections, each of which is opened again when the service ends it. */
export async function flood(port: number, job: FloodJob): Promise<Flood> {
  const line = plain('GET', '/markets/');
  const endMs = performance.now() + job.forMs;
  const counts = { answered: 0, throttled: 0, cutOff: 0 };
  const sockets = new Set<Socket>();
  const pour = () => {
    const socket = connect(port, '127.0.0.1', () => socket.write(line.repeat(job.pipeline)));
    sockets.add(socket);
    socket.on('error', () => socket.destroy()); // cut off amid our words: `close` follows
    socket.on('data', (part) => {
      const answered = occurrences(part, ANY);
      counts.answered += answered;
      counts.throttled += occurrences(part, THROTTLED);
      if (answered > 0) socket.write(line.repeat(answered));
    });
    socket.on('close', () => {
      sockets.delete(socket);
      if (performance.now() > endMs) return;
      counts.cutOff += 1;
      pour();
    });
  };
  for (let n = 0; n < job.connections; n++) pour();
  await passed(job.forMs);
  const answeredPerSecond = (counts.answered * 1000) / job.forMs;
  for (const socket of sockets) socket.destroy();
  return { answeredPerSecond, throttledShare: counts.throttled / counts.answered, cutOff: counts.cutOff };
}

function occurrences(part: Buffer, what: Buffer): number {
  let seen = 0;
  for (let at = part.indexOf(what); at >= 0; at = part.indexOf(what, at + what.length)) seen += 1;
  return seen;
}
