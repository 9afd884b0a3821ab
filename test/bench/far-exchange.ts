/** A paper exchange in its own process, with a delay on every byte to it and from it. */

import type { AddressInfo } from 'node:net';
import { delaying } from '../support/far-proxy.js';
import { type Running, twinbook } from '../support/processes.js';

/** The round trip takes twice this time. */
export const ONE_WAY_MS = 25;

export interface FarExchange {
  /** The delayed address; it is the same for every process started behind it. */
  readonly farUrl: string;
  /** The address without the delay, for the bench's own requests. */
  nearUrl: string;
  /** Starts the exchange on the data in this folder. */
  begin(dataDir: string): Promise<void>;
  /** Ends it like kill -9: everything it acknowledged is in the folder. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

const FLAGS = ['--no-crowd', '--no-rate-limits', '--controls'];

export async function farExchange(): Promise<FarExchange> {
  let running: Running | null = null;
  let port = 0;
  const { server, cut } = delaying(() => port, ONE_WAY_MS);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port: farPort } = server.address() as AddressInfo;
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
      cut();
      server.close();
    },
  };
  return exchange;
}
