/** Checks of the doctor that ask the venue: clock, credentials, one signed call, request budget. */

import { existsSync } from 'node:fs';
import type { ServiceClient } from '../../shell/client/client.js';
import type { ClientAnswer } from '../../shell/client/contract.js';
import type { Config } from '../../shell/config/types.js';
import { type Check, fail, failCheck, ok, warn } from '../check.js';
import type { CliIo } from '../output/io.js';
import { type VenueAddress, venueAddress } from '../venue-address.js';
import { requireAnswer } from '../venue-session.js';

/** A larger offset, ms, comes from a wrong clock, not from the venue's one-second resolution. */
const CLOCK_OK_MS = 2000;

export async function checkVenue(config: Config, io: CliIo, wallet: string | null): Promise<readonly Check[]> {
  const [{ ServiceClient }, { loadCredentials }] = await Promise.all([
    import('../../shell/client/client.js'),
    import('../../shell/wallet/credentials.js'),
  ]);
  const { profile } = config.venue;
  const checks: Check[] = [];
  let credentials: ReturnType<typeof loadCredentials> = null;
  let address: VenueAddress;
  try {
    if (wallet !== null) {
      credentials = loadCredentials(config.wallet.credentials, { baseUrl: profile.base_url, wallet }, io.env);
    }
    checks.push(credentialsCheck(config, credentials !== null));
    address = await venueAddress(config, true);
  } catch (error) {
    return [...checks, neverRun(config) ?? failCheck(checks.length === 0 ? 'credentials' : 'venue', error)];
  }
  const client = new ServiceClient({ profile, baseUrl: address.url, ...(credentials === null ? {} : { credentials }) });
  try {
    const listed = await client.call('markets.list', { query: { limit: 1 } });
    requireAnswer(listed, 'its markets');
    checks.push(
      ok('venue', `${address.url} answers`),
      clockCheck(client, profile.clock_tolerance_s),
      budgetCheck(listed),
    );
    if (credentials !== null) {
      checks.push(...(await signedChecks(client)));
      const { checkSignedRequests } = await import('./signing.js');
      const venueSeconds = Math.floor((Date.now() + (client.clockOffset?.offsetMs ?? 0)) / 1000);
      checks.push(await checkSignedRequests({ baseUrl: address.url, profile, credentials, venueSeconds }));
    }
  } catch (error) {
    checks.push(failCheck('venue', error));
  } finally {
    await client.close();
    await address.close();
  }
  return checks;
}

/** Before the first start no exchange exists. */
function neverRun({ exchange }: Config): Check | null {
  if (exchange === null || !exchange.embedded || existsSync(exchange.dataDir)) return null;
  return ok('venue', 'the embedded exchange will be made at the first start');
}

function credentialsCheck({ wallet, venue, exchange }: Config, found: boolean): Check {
  const name = 'credentials';
  if (found) return ok(name, `found for ${venue.profile.base_url}`);
  const text = `none for this wallet at ${venue.profile.base_url} in ${wallet.credentials}`;
  if (exchange?.embedded === true || venue.name === 'paper')
    return warn(name, text, 'They will be made at the first start.');
  return fail(name, text, 'Make them with `twinbook keys bootstrap`, with the same -c FILE.');
}

function clockCheck(client: ServiceClient, toleranceS: number): Check {
  const offset = client.clockOffset;
  const name = 'clock';
  if (offset === null) {
    const hint = 'Keep this clock synchronised: a wrong one makes signed calls fail.';
    return warn(name, 'the venue did not say its time', hint);
  }
  const seconds = `${(Math.abs(offset.offsetMs) / 1000).toFixed(1)} s ${offset.offsetMs >= 0 ? 'behind' : 'ahead of'} the venue's`;
  if (Math.abs(offset.offsetMs) <= CLOCK_OK_MS)
    return ok(name, `this clock agrees with the venue's within its resolution`);
  const text = `this clock is ${seconds} (it accepts ${toleranceS} s); signed calls are corrected for it`;
  return warn(name, text, 'Synchronise this clock (NTP): logs and schedules use it.');
}

function budgetCheck({ budget }: ClientAnswer): Check {
  if (budget === null) return warn('request budget', 'the venue named no remaining requests');
  return ok(`request budget (${budget.scope})`, `${budget.remaining} of ${budget.limit} requests left in this minute`);
}

async function signedChecks(client: ServiceClient): Promise<readonly Check[]> {
  const answer = await client.call('orders.list', { query: { limit: 1 } });
  try {
    requireAnswer(answer, 'own orders');
  } catch (error) {
    return [failCheck('signed call', error)];
  }
  return [ok('signed call', 'the venue accepted a signed request'), budgetCheck(answer)];
}
