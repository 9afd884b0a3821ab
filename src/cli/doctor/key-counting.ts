/**
 * `twinbook doctor --keys`: whether the venue counts signed requests by API key or by wallet. A dozen cheap reads under one stored
 * key, between two under another: the other's room falls by its own two, or by all of them.
 */

import { TwinbookError } from '../../shared/base/errors.js';
import type { ServiceClient } from '../../shell/client/client.js';
import type { Config } from '../../shell/config/types.js';
import type { Credentials } from '../../shell/wallet/credentials.js';
import { EXIT, type ExitCode } from '../output/exit.js';
import type { CliIo } from '../output/io.js';
import { json, prose } from '../output/table.js';
import { venueAddress } from '../venue-address.js';
import { openWallet, requireAnswer } from '../venue-session.js';

/** Reads under the first key, between two under the second. */
const READS = 12;
/** What the two rooms must have left before anything is asked more than once: a trader that runs needs the rest. */
const LEAST_LEFT = 60;
/** Others' requests and those that leave the window meanwhile: so many are taken for noise. */
const NOISE = 3;

export interface KeyCounting {
  /** Null: it cannot be told. */
  readonly countedBy: 'key' | 'wallet' | null;
  readonly declared: 'key' | 'wallet' | null;
  /** By how much the room of either key fell meanwhile. */
  readonly firstFell: number | null;
  readonly secondFell: number | null;
  readonly text: string;
}

/** Fails when the venue counts otherwise than is declared, or when it cannot be told. */
export async function showKeyCounting(config: Config, asJson: boolean, io: CliIo): Promise<ExitCode> {
  const wallet = await openWallet(config, io);
  const [{ ServiceClient }, { loadAllCredentials }] = await Promise.all([
    import('../../shell/client/client.js'),
    import('../../shell/wallet/credentials.js'),
  ]);
  const { profile } = config.venue;
  const owner = { baseUrl: profile.base_url, wallet: wallet.address };
  const stored = loadAllCredentials(config.wallet.credentials, owner, io.env);
  const [first, second] = stored;
  if (first === undefined || second === undefined) {
    const text = `two API keys are needed, and ${stored.length} of this wallet are stored in ${config.wallet.credentials}`;
    throw new TwinbookError('usage', text, '`twinbook keys bootstrap --add` makes another.');
  }
  const limit = profile.rate_limits.signed_per_minute;
  const plan = `asks ${READS + 2} signed reads, one after another: ${READS} under ${first.apiKey}, two under ${second.apiKey}, of ${limit} a minute`;
  if (!asJson) io.out(`${prose(plan, io.columns, '  ')}\n`);
  const address = await venueAddress(config, true);
  const client = new ServiceClient({ profile, baseUrl: address.url, credentials: [first, second] });
  try {
    const counting = await measureCounting(client, first, second, profile.signed_limit_per ?? null);
    io.out(asJson ? json(counting) : `${prose(counting.text, io.columns, '  ')}\n`);
    return counting.countedBy !== null && counting.countedBy === counting.declared ? EXIT.ok : EXIT.failed;
  } finally {
    await client.close();
    await address.close();
  }
}

async function measureCounting(
  client: ServiceClient,
  first: Credentials,
  second: Credentials,
  declared: KeyCounting['declared'],
): Promise<KeyCounting> {
  const left = async ({ apiKey }: Credentials): Promise<number | null> => {
    const answer = await client.call('orders.list', { query: { limit: 1 } }, { apiKey });
    requireAnswer(answer, `own orders under ${apiKey}`);
    return answer.budget?.remaining ?? null;
  };
  const found = (countedBy: KeyCounting['countedBy'], text: string, fell: readonly number[] = []): KeyCounting => ({
    countedBy,
    declared,
    firstFell: fell[0] ?? null,
    secondFell: fell[1] ?? null,
    text,
  });
  const secondBefore = await left(second);
  const firstBefore = await left(first);
  if (firstBefore === null || secondBefore === null)
    return found(null, 'the venue does not say what is left: it cannot be told');
  if (Math.min(firstBefore, secondBefore) < LEAST_LEFT)
    return found(null, `only ${Math.min(firstBefore, secondBefore)} requests are left in this minute: try again later`);
  let firstAfter = firstBefore;
  for (let read = 1; read < READS; read++) firstAfter = (await left(first)) ?? firstAfter;
  const secondAfter = (await left(second)) ?? secondBefore;
  const fell = [firstBefore - firstAfter, secondBefore - secondAfter] as const;
  // Whatever the venue counts by, the first key's own reads are counted there; else somebody else spends, or a window moves on.
  if (Math.abs(fell[0] - (READS - 1)) > NOISE) return found(null, unclear(fell), fell);
  if (Math.abs(fell[1] - 1) <= NOISE) return found('key', told('key', declared), fell);
  if (Math.abs(fell[1] - (READS + 1)) <= NOISE) return found('wallet', told('wallet', declared), fell);
  return found(null, unclear(fell), fell);
}

const unclear = ([first, second]: readonly [number, number]): string =>
  `the keys' room fell by ${first} and ${second}: something else spends it meanwhile. Stop the trader and try again in a minute`;

function told(countedBy: 'key' | 'wallet', declared: KeyCounting['declared']): string {
  const means = countedBy === 'key' ? 'each key by itself: several add up' : 'all keys of a wallet together';
  const said = `the venue counts ${means}`;
  if (declared === countedBy) return `${said}, as signed_limit_per of the profile says`;
  const before = declared === null ? 'the profile does not say so' : `signed_limit_per says ${declared}`;
  return `${said}; ${before}: write signed_limit_per: ${countedBy} under venue`;
}
