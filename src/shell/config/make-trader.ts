/**
 * Makes a trader's configuration from its file's content: defaults that follow from other settings, absolute paths,
 * units.
 */

import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Micros, micros, ONE } from '../../shared/base/micros.js';
import { toSettings } from '../../shared/base/settings.js';
import { batchOf, type Economics, SECONDS_PER_DAY, USUAL_PAIRS_PER_S } from '../../trader/strategy/economics.js';
import type { At } from './explain-issues.js';
import { configError } from './problems.js';
import { type TraderFile, traderSchema } from './schema.js';
import { makeAlerts } from './sections/alerts.js';
import { makeFeeds } from './sections/feeds.js';
import { makeFleet } from './sections/fleet.js';
import type { VenueConfig } from './sections/venue.js';

/** Profile whose page is on by default. */
const PAPER = 'paper';

/** The content must be without a problem. */
export function makeTrader(content: TraderFile, venue: VenueConfig, file: string, at: At) {
  const folder = dirname(file);
  const absolute = (text: string): string => resolve(folder, text);
  const { shape } = traderSchema;
  const wallet = toSettings(shape.wallet, content.wallet, absolute);
  const ledgerPath = fileBehind(absolute(content.ledger.path));
  const { cancelAllWithinS, ...polling } = toSettings(shape.polling, content.polling);
  const merge = toSettings(shape.merge, content.merge);
  const economics: Economics = {
    currencyPricePerS: content.economics.currency_price_per_day / ONE / SECONDS_PER_DAY,
    requestPrice: content.economics.request_price / ONE,
  };
  const journal = toSettings(shape.journal, content.journal, absolute);
  const guardian = toSettings(shape.guardian, content.guardian, absolute);
  const dashboard = toSettings(shape.dashboard, content.dashboard, absolute);
  return {
    file,
    venue,
    exchange: makeExchange(content, venue.profile.draft_lifetime_s, absolute),
    wallet: { ...wallet, credentials: wallet.credentials ?? join(dirname(wallet.file), 'credentials.json') },
    ledger: {
      path: ledgerPath,
      backups: toSettings(shape.ledger.shape.backups, content.ledger.backups),
    },
    capitalMicros: content.capital,
    risk: content.risk,
    polling: { ...polling, cancelAllWithinMs: 1000 * cancelAllWithinS },
    merge: { ...merge, minSharesMicros: merge.minSharesMicros ?? usualBatch(economics) },
    economics,
    events: content.events.map(({ event, outcomes, markets }) => ({
      eventConditionId: event,
      outcomes,
      marketConditionIds: markets,
    })),
    schedule: toSettings(shape.schedule, content.schedule),
    log: toSettings(shape.log, content.log, absolute),
    recording: toSettings(shape.recording, content.recording, absolute),
    journal: { ...journal, dir: journal.dir ?? join(dirname(ledgerPath), 'runs') },
    guardian: {
      ...guardian,
      credentials: guardian.credentials ?? join(dirname(wallet.file), 'guardian-credentials.json'),
    },
    fleet: makeFleet(content.fleet, folder),
    feeds: makeFeeds(content.feeds, folder),
    dashboard: { ...dashboard, enabled: dashboard.enabled ?? venue.name === PAPER },
    alerts: makeAlerts(content.alerts, absolute),
    metrics: toSettings(shape.metrics, content.metrics, absolute),
    reload: content.reload,
    control: { socket: chooseSocket(content.control.socket, ledgerPath, absolute, at) },
  };
}

/** Batch size in sets, bounded like `min_shares`. */
const usualBatch = (economics: Economics): Micros =>
  micros(Math.round(Math.min(1e6, Math.max(0.01, batchOf(economics, USUAL_PAIRS_PER_S))) * ONE));

/** An address beside `embedded: true` is where the embedded exchange listens. */
function makeExchange(
  { exchange: file, venue }: TraderFile,
  draftLifetimeS: number,
  absolute: (text: string) => string,
) {
  if (file === undefined) return null;
  const exchange = toSettings(traderSchema.shape.exchange, file, absolute);
  const givenPort = venue.base_url === undefined ? 0 : parsePort(venue.base_url);
  return {
    ...exchange,
    port: file.port === 0 && file.embedded ? givenPort : file.port,
    draftLifetimeS: exchange.draftLifetimeS ?? draftLifetimeS,
  };
}

export const parsePort = (url: string): number => Number(new URL(url).port) || (url.startsWith('https') ? 443 : 80);

/** Maximum links to follow before they count as a circle, as in the system. */
const MOST_LINKS = 40;

/**
 * Target of a link, existing or not: stop file, heartbeat and socket are beside the ledger, and a program that uses
 * another name must find the same ones.
 */
function fileBehind(path: string): string {
  let file = path;
  for (let links = 0; links < MOST_LINKS; links++) {
    try {
      file = resolve(dirname(file), readlinkSync(file));
    } catch {
      return file; // No link, or nothing yet.
    }
  }
  return path;
}

/** Unix socket paths are limited to 107 bytes by Linux, 103 elsewhere. */
const MAX_SOCKET_BYTES = 103;

function chooseSocket(
  given: string | undefined,
  ledgerPath: string,
  absolute: (text: string) => string,
  at: At,
): string {
  const beside = given === undefined ? `${ledgerPath}.sock` : absolute(given);
  if (Buffer.byteLength(beside) <= MAX_SOCKET_BYTES) return beside;
  if (given !== undefined) {
    const text = `a socket's path has at most ${MAX_SOCKET_BYTES} bytes, this one ${Buffer.byteLength(beside)}; write a shorter one`;
    throw configError([at(['control', 'socket'], text)]);
  }
  return `/tmp/twinbook-${createHash('sha256').update(ledgerPath).digest('hex').slice(0, 16)}.sock`;
}
