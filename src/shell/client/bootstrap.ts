/** Credentials from nothing: challenge, wallet signature, create. */

import { TwinbookError } from '../../shared/base/errors.js';
import type { EndpointName } from '../../shared/protocol/endpoints.js';
import type { Credentials } from '../wallet/credentials.js';
import { secrets } from '../wallet/secrets.js';
import type { Wallet } from '../wallet/wallet.js';
import type { ClientAnswer, ServiceCaller } from './contract.js';

/** Throws TwinbookError venue_unreachable or venue_refused. A lost answer leaves at worst an unused key behind. */
export async function createCredentials(
  caller: ServiceCaller,
  wallet: Wallet,
  serviceName: string,
): Promise<Credentials> {
  const wallet_address = wallet.address;
  const challenge = requireAnswer(await caller.call('keys.challenge', { body: { wallet_address } }), 'a challenge');
  const { nonce, message } = challenge;
  const signed = wallet.signChallenge(message, { serviceName, nonce });
  if (!signed.ok) {
    const hint = 'Is service_name of the venue profile the name that this venue uses in its challenges?';
    throw new TwinbookError('venue_refused', `the venue's challenge was not signed: ${signed.reason}`, hint);
  }
  const body = { wallet_address, message, signature: signed.signature, nonce };
  const created = requireAnswer(await caller.call('keys.create', { body }), 'an API key');
  secrets.hide(created.secret);
  return { apiKey: created.api_key, secret: created.secret };
}

function requireAnswer<N extends EndpointName>({ outcome }: ClientAnswer<N>, wanted: string) {
  if (outcome.kind === 'answered') return outcome.data;
  if (outcome.kind === 'refused') {
    const details = outcome.details.flatMap((row) => Object.entries(row).map(([name, text]) => `${name}: ${text}`));
    const told = [outcome.message, ...details].join(' ');
    throw new TwinbookError(
      'venue_refused',
      `the venue refused ${wanted}: ${outcome.slug}, ${told}`,
      '`twinbook doctor` checks address, clock and signing; the clock and the wallet are what it mostly is.',
    );
  }
  throw new TwinbookError(
    'venue_unreachable',
    `asking the venue for ${wanted}: ${outcome.reason}`,
    '`twinbook doctor` says whether it can be reached.',
  );
}
