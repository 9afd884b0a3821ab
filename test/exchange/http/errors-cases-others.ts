/** What credentials, the controls and margin refuse. */

import { expect } from 'vitest';
import { type Case, type ErrorWorld, type MarketName, WRONG_SIGNATURE } from './errors-world.js';
import { control, send, sendJson } from './harness.js';

export const otherCases: Case[] = [
  {
    call: 'keys.challenge',
    slug: 'invalid_request_params',
    when: 'the wallet is none',
    field: 'wallet_address',
    answer: (w) => sendJson(w.base, 'POST', '/auth/keys/challenge/', { wallet_address: 'me' }),
  },
  ...(['wallet_address', 'message', 'nonce', 'signature'] as const).map((field) => ({
    call: 'keys.create' as const,
    slug: 'invalid_request_params' as const,
    when: `the ${field} is wrong`,
    field,
    answer: async (w: ErrorWorld) => {
      const challenge = await sendJson(w.base, 'POST', '/auth/keys/challenge/', { wallet_address: w.trader.wallet });
      const message = String(challenge.row['message']);
      const body = { wallet_address: w.trader.wallet, message, nonce: challenge.row['nonce'] };
      const signed = { ...body, signature: w.trader.sign(message) };
      return sendJson(w.base, 'POST', '/auth/keys/create/', {
        ...signed,
        [field]: field === 'signature' ? WRONG_SIGNATURE : 'x',
      });
    },
  })),
  {
    call: 'keys.revoke',
    slug: 'not_found',
    when: 'the key is somebody else’s',
    answer: (w) => w.trader.call('DELETE', `/auth/keys/${w.other.apiKey}/`),
  },
  {
    call: 'paper',
    slug: 'permission_denied',
    when: 'a web page asks',
    answer: (w) =>
      send(w.base, 'GET', `/paper/accounts/${w.trader.wallet}/`, { headers: { origin: 'https://a.example' } }),
  },
  ...(['POST', 'DELETE'] as const).map((method) => ({
    call: method === 'POST' ? ('positions.setTpSl' as const) : ('positions.deleteTpSl' as const),
    slug: 'hyperliquid_margin_tp_sl_not_supported' as const,
    when: 'the position is on the other backend',
    answer: async (w: ErrorWorld) => {
      const path = `/margin/positions/${await openPosition(w, 'hyperliquid')}/tp-sl/`;
      return method === 'POST' ? w.trader.post(path, { take_profit_price: '0.9' }) : w.trader.call('DELETE', path);
    },
  })),
];

async function openPosition(w: ErrorWorld, name: MarketName): Promise<string> {
  const path = '/margin/positions/requests/';
  await control(w.base, `/markets/${w.id(name)}/reference-price/`, { price: '0.5' });
  const body = { type: 'market', market_condition_id: w.id(name), is_yes: true, leverage: 2, funds: '10' };
  const submitted = await w.trader.complete(path, body);
  expect(submitted.error).toBeNull();
  await w.pass(10);
  const { rows } = await w.trader.get(`/margin/positions/?market_condition_id=${w.id(name)}`);
  return String(rows[0]?.['pubkey']);
}
