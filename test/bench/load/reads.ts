/** Unsigned reads with as little client as possible: pipelined, answers counted by their first line. */

import { connect } from 'node:net';
import { called, plain } from './trader.js';
import type { World } from './traffic.js';
import { Wire } from './wire.js';

const SOCKETS = 8;
/** Requests that one socket has on their way at once. */
const PIPELINE = 16;
const START = Buffer.from('HTTP/1.1 ');

/** Reads per second of these paths, each socket going round them. */
export async function readsPerSecond(port: number, paths: readonly string[], forMs: number): Promise<number> {
  const lines = paths.map((path) => plain('GET', path));
  const untilMs = performance.now() + forMs;
  const beganMs = performance.now();
  const counts = await Promise.all(Array.from({ length: SOCKETS }, (_, at) => reader(port, lines, at, untilMs)));
  return (counts.reduce((sum, count) => sum + count, 0) * 1000) / (performance.now() - beganMs);
}

function reader(port: number, lines: readonly string[], first: number, untilMs: number): Promise<number> {
  let at = first;
  const some = (count: number) => {
    let text = '';
    for (let n = 0; n < count; n++) {
      text += lines[at % lines.length] ?? '';
      at += 1;
    }
    return text;
  };
  let answered = 0;
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(some(PIPELINE)));
    socket.on('error', reject);
    socket.on('close', () => resolve(answered));
    socket.on('data', (part) => {
      const seen = startsIn(part);
      answered += seen;
      if (performance.now() > untilMs) socket.destroy();
      else if (seen > 0) socket.write(some(seen), 'latin1');
    });
  });
}

/** A first line that is cut in two by the network is not counted: it happens once in thousands of answers. */
function startsIn(part: Buffer): number {
  let seen = 0;
  for (let at = part.indexOf(START); at >= 0; at = part.indexOf(START, at + START.length)) seen += 1;
  return seen;
}

/** Lays `count` orders of this trader on both sides of a book, over `levels` prices each, and says how deep it is. */
export async function layOrders(port: number, world: World, count: number, levels: number): Promise<string> {
  const wire = await Wire.open(port);
  const [trader] = world.traders;
  const market = String(world.markets.at(-1));
  for (let done = 0; done < count; done += BATCH) {
    await Promise.all(
      Array.from({ length: Math.min(BATCH, count - done) }, async (_, n) => {
        const place = done + n;
        const price = (0.499 - (Math.floor(place / 2) % levels) / 1000).toFixed(3);
        const terms = { market_condition_id: market, is_yes: place % 2 === 0, side: 'buy', order_type: 'limit' };
        await trader?.complete(wire, '/orders/', { ...terms, price, amount: '12.5' });
      }),
    );
  }
  const path = `/markets/${market}/book/?depth=100`;
  const { bid, ask } = (await called(wire, plain('GET', path))) as { bid?: unknown[]; ask?: unknown[] };
  if (bid?.length !== Math.min(100, levels) || ask?.length !== Math.min(100, levels)) {
    throw new Error('the book is not as deep as it should be');
  }
  wire.close();
  return market;
}
const BATCH = 50;

export interface ChangingReads {
  readonly readsPerSecond: number;
  readonly changesPerSecond: number;
}

/** Connections that place and cancel, each as fast as it is answered. */
const CHANGERS = 8;

/** Reads of a market's book while orders come and go in it. */
export async function readsAmidChanges(
  port: number,
  world: World,
  job: { readonly paths: readonly string[]; readonly forMs: number },
): Promise<ChangingReads> {
  const [trader] = world.traders;
  const market = String(world.markets.at(-1));
  const reading = { done: false };
  const terms = { market_condition_id: market, is_yes: true, side: 'buy', order_type: 'limit' };
  const change = async () => {
    const wire = await Wire.open(port);
    let changes = 0;
    while (!reading.done && trader !== undefined) {
      const order = await trader.complete(wire, '/orders/', { ...terms, price: '0.45', amount: '3' });
      const path = `/orders/${String(order['pubkey'])}/cancel/`;
      const { message } = await called(wire, trader.signed('POST', path));
      const body = { signature: trader.sign(String(message)) };
      await called(wire, trader.signed('POST', `${path}submit/`, body));
      changes += 2;
    }
    wire.close();
    return changes;
  };
  const changing = Promise.all(Array.from({ length: CHANGERS }, change));
  const perSecond = await readsPerSecond(port, job.paths, job.forMs);
  reading.done = true;
  const changes = (await changing).reduce((sum, count) => sum + count, 0);
  return { readsPerSecond: perSecond, changesPerSecond: (changes * 1000) / job.forMs };
}
