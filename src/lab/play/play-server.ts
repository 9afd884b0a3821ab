/** A page on the loopback address where a person moves sliders and sees what a strategy quotes. It reads nothing but its strategy. */

import Fastify from 'fastify';
import { ONE } from '../../shared/base/micros.js';
import { findRefusal, groupHeaders } from '../../shell/dashboard/origin-guard.js';
import { OWN_HEADERS } from '../../shell/document/own-document.js';
import type { ShownSubject, TriedStrategy } from '../strategy-checks/contract.js';
import {
  askAtLook,
  askStrategy,
  computeCurves,
  listRecorded,
  RANGES,
  type RecordedPlace,
  readSetting,
} from './ask-strategy.js';
import { playDocument } from './play-document.js';

export interface PlayOptions {
  readonly tried: TriedStrategy;
  /** Looks of a recording to step through; empty for none. */
  readonly recorded: readonly ShownSubject[];
  /** 0 picks a free one. */
  readonly port: number;
}

export interface PlayServer {
  readonly url: string;
  close(): Promise<void>;
}

const ADDRESS = '127.0.0.1';
const MOST_CONNECTIONS = 64;
/** It takes no bodies. */
const MOST_BODY_BYTES = 1024;
const PATIENCE_MS = 10_000;

/** Listens. Rejects with what `listen` rejects with. */
export async function openPlay({ tried, recorded, port }: PlayOptions): Promise<PlayServer> {
  const document = playDocument(tried.strategy.name, tried.strategy.summary);
  const places = listRecorded(recorded);
  const server = Fastify({
    bodyLimit: MOST_BODY_BYTES,
    connectionTimeout: PATIENCE_MS,
    requestTimeout: PATIENCE_MS,
    keepAliveTimeout: PATIENCE_MS,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
  });
  server.server.maxConnections = MOST_CONNECTIONS;
  const listening = () => {
    const address = server.server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };
  server.addHook('onRequest', async (request, reply) => {
    void reply.headers({ ...OWN_HEADERS, 'content-security-policy': document.policy });
    const { method, url: target } = request;
    const head = { method, target, headers: groupHeaders(request.raw.rawHeaders) };
    const refusal = findRefusal(head, listening());
    return refusal === null ? undefined : reply.code(refusal.status).send({ error: refusal.text });
  });
  server.get('/', (_, reply) => reply.type('text/html; charset=utf-8').send(document.html));
  server.get('/about', () => ({ ranges: RANGES, params: shownParams(tried), markets: places.map(aboutMarket) }));
  server.get<{ Querystring: Readonly<Record<string, unknown>> }>('/quotes', ({ query }) => {
    const setting = readSetting(query);
    return tryAnswer(() => ({ said: askStrategy(tried, setting), curves: computeCurves(tried, setting) }));
  });
  server.get<{ Querystring: { market?: string; look?: string } }>('/recorded', ({ query }) => {
    const market = places[Number(query.market ?? 0)];
    if (market === undefined) return { error: 'there is no such market' };
    return tryAnswer(() => ({ said: askAtLook(tried, market, Number(query.look ?? 0)) }));
  });
  await server.listen({ host: ADDRESS, port });
  return { url: `http://${ADDRESS}:${listening()}/`, close: () => server.close() };
}

/** Shares as a strategy file has them. */
const shownParams = ({ strategy, params }: TriedStrategy) =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      strategy.params[name]?.kind === 'shares' ? Number(value) / ONE : value,
    ]),
  );

const aboutMarket = ({ shown, title }: RecordedPlace) => ({
  title,
  times: shown.looks.map(({ view }) => view.nowMs),
});

/** What the strategy throws is shown to its author. */
function tryAnswer<T>(ask: () => T): T | { readonly error: string } {
  try {
    return ask();
  } catch (error) {
    return { error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}
