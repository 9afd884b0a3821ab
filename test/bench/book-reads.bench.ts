/** Book reads per second of the paper exchange and of a fastify server that returns the same text ready-made. */

import { once } from 'node:events';
import { connect } from 'node:net';
import { ServiceClient } from '../../src/shell/client/client.js';
import { Wallet } from '../../src/shell/wallet/wallet.js';
import build from '../support/build.js';
import { ask } from '../support/http.js';
import { program, type Running, twinbook } from '../support/processes.js';
import { paper, profile, UNLIMITED } from '../support/venue.js';
import { type Bench, type BenchRow, percentile, sized } from './bench.js';

const CONNECTIONS = 16;
const LEVELS = sized(20, 2);
const ROUNDS = sized(7, 1);
const ROUND_MS = sized(2_000, 100);

const READY_MADE = `
import Fastify from 'fastify';
const server = Fastify();
server.get('/markets/:id/book/', (_, reply) => reply.header('content-type', 'application/json').send(process.env.TEXT));
console.log('listening on ' + (await server.listen({ port: 0, host: '127.0.0.1' })));`;

const addressOf = async (server: Running) => (await server.waitFor(/listening on (http:\S+)/))[1] ?? '';

/** Answers per second over keep-alive connections, one request in flight on each. */
async function readsPerSecond(url: string, path: string): Promise<number> {
  const { port, host } = new URL(url);
  const request = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`;
  const startedMs = performance.now();
  let answers = 0;
  const read = async () => {
    const socket = connect(Number(port), '127.0.0.1').setNoDelay(true).setEncoding('latin1');
    let missing = 0;
    socket.on('data', (chunk: string) => {
      if (missing === 0) {
        const length = /content-length: (\d+)/i.exec(chunk)?.[1];
        if (!chunk.startsWith('HTTP/1.1 200') || length === undefined) throw new Error(chunk);
        missing = chunk.indexOf('\r\n\r\n') + 4 + Number(length);
      }
      missing -= chunk.length;
      if (missing > 0) return;
      answers++;
      if (performance.now() - startedMs < ROUND_MS) socket.write(request);
      else socket.end();
    });
    socket.write(request);
    await once(socket, 'close');
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, read));
  return (answers * 1000) / (performance.now() - startedMs);
}

/** Rests a bid and an ask on each level. */
async function fillBook(baseUrl: string, market: string): Promise<void> {
  const client = new ServiceClient({ profile, baseUrl, budgets: UNLIMITED });
  const wallet = new Wallet(new Uint8Array(32).fill(7));
  await client.bootstrap(wallet);
  const terms = { market_condition_id: market, side: 'buy', order_type: 'limit', amount: '25' } as const;
  for (let level = 1; level <= LEVELS; level++) {
    for (const is_yes of [true, false])
      await client.place(wallet, { ...terms, is_yes, price: `${(48 - level) / 100}` });
  }
  await client.close();
}

async function run(): Promise<readonly BenchRow[]> {
  build();
  const exchange = twinbook(['exchange', '--port', '0', '--no-crowd', '--no-rate-limits', '--controls']);
  const url = await addressOf(exchange);
  const { condition_id: market } = (await paper(url, '/markets/', { title: 'Market' })) as { condition_id: string };
  await fillBook(url, market);
  const path = `/markets/${market}/book/`;
  const { text } = await ask(url + path);
  const plain = program(process.execPath, ['--input-type=module', '-e', READY_MADE], { TEXT: text });
  const plainUrl = await addressOf(plain);
  const rounds: Record<'exchange' | 'plain' | 'ratio', number>[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const exchange = await readsPerSecond(url, path);
    const plain = await readsPerSecond(plainUrl, path);
    // The first round is warm-up.
    if (round > 0) rounds.push({ exchange, plain, ratio: exchange / plain });
  }
  for (const server of [exchange, plain]) {
    server.process.kill('SIGKILL');
    await server.exited;
  }
  const row = (name: string, unit: string, of: 'exchange' | 'plain' | 'ratio'): BenchRow => {
    const sorted = rounds.map((round) => round[of]).sort((a, b) => a - b);
    const [low, high] = [sorted[0] ?? 0, sorted.at(-1) ?? 0].map((figure) => figure.toPrecision(3));
    return { name, unit, figure: percentile(sorted, 0.5), spread: `${low} to ${high}` };
  };
  return [
    row(`book reads of the exchange (${text.length} bytes)`, 'a second', 'exchange'),
    row('the same text from a fastify server', 'a second', 'plain'),
    row('exchange divided by fastify', 'target 0.75', 'ratio'),
  ];
}

export const bench: Bench = { title: 'book reads over HTTP, beside a plain fastify server', run };
