/** A paper exchange as a process of its own, some way off: every byte to it and from it is under way for a while. */

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import type { Running } from '../support/processes.js';
import { twinbook } from '../support/processes.js';

/** There and back takes twice as long. */
export const ONE_WAY_MS = 25;

export interface FarExchange {
  /** Where a trader finds it. The same for every process that is begun behind it. */
  readonly farUrl: string;
  /** Without the way: for what the bench itself wants to know. */
  nearUrl: string;
  /** Begins the exchange on what lies in this folder. */
  begin(dataDir: string): Promise<void>;
  /** As by kill -9: what it has told is in the folder. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

const FLAGS = ['--no-crowd', '--no-rate-limits', '--controls'];

export async function farExchange(): Promise<FarExchange> {
  let running: Running | null = null;
  let port = 0;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('data', (bytes) => setTimeout(() => to.writable && to.write(bytes), ONE_WAY_MS));
      from.on('close', () => {
        sockets.delete(from);
        setTimeout(() => to.destroy(), ONE_WAY_MS);
      });
      // A process that was killed resets its connections; `close` follows.
      from.on('error', () => undefined);
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port: farPort } = server.address() as AddressInfo; // of a server that listens on TCP
  const kill = async () => {
    running?.process.kill('SIGKILL');
    await running?.exited;
    running = null;
  };
  const exchange: FarExchange = {
    farUrl: `http://127.0.0.1:${farPort}`,
    nearUrl: '',
    begin: async (dataDir) => {
      running = twinbook(['exchange', '--port', '0', '--data-dir', dataDir, ...FLAGS]);
      exchange.nearUrl = (await running.waitFor(/listening on (http:\S+)/))[1] ?? '';
      port = Number(new URL(exchange.nearUrl).port);
    },
    kill,
    close: async () => {
      await kill();
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  return exchange;
}
