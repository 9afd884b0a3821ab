/** Present address of the venue: as configured, or the embedded paper exchange's. */

import { existsSync } from 'node:fs';
import { TwinbookError } from '../shared/base/errors.js';
import type { TraderConfig } from '../shell/config/load.js';
import { askTrader } from '../shell/control/control-client.js';
import { nullOn } from './control/reach.js';

export interface VenueAddress {
  readonly url: string;
  close(): Promise<void>;
}

const nothingToClose = async (): Promise<void> => undefined;

/**
 * The address to call. An embedded exchange is asked of the running trader; without one its stored state is opened for
 * this command alone, without simulated traders, so that orders can be read and canceled there too.
 * `controls`: whether it then answers the controls under `/paper/`. Throws `venue_unreachable` when it has never run.
 */
export async function venueAddress(
  { venue, exchange, control }: TraderConfig,
  controls = false,
): Promise<VenueAddress> {
  const { profile } = venue;
  if (exchange === null || !exchange.embedded) return { url: profile.base_url, close: nothingToClose };
  const running = await askTrader({ command: 'status' }, { socket: control.socket, timeoutMs: 5000 }).catch(
    nullOn('not_running'),
  );
  if (running !== null) return { url: running.process.baseUrl, close: nothingToClose };
  if (!existsSync(exchange.dataDir)) {
    const text = `the embedded exchange has never run: there is no ${exchange.dataDir}`;
    throw new TwinbookError('venue_unreachable', text, 'Start the trader once.');
  }
  const { startExchange } = await import('../exchange/exchange.js');
  return startExchange({
    port: 0,
    profile,
    dataDir: exchange.dataDir,
    seed: exchange.seed,
    controls,
    crowd: false,
    rateLimits: exchange.rateLimits,
    startingFunds: exchange.startingFundsMicros,
    landingMs: exchange.landingMs,
    draftLifetimeS: exchange.draftLifetimeS,
    marketData: [],
    speed: 1,
  });
}
