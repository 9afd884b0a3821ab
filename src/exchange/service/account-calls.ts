/** Credentials and the account that they belong to. */

import { randomBytes } from 'node:crypto';
import { decodeCursor, encodeCursor } from '../../shared/protocol/cursors.js';
import { BAD_CURSOR, type Handlers, refuse, reply } from './handler-context.js';

type AccountCall = `keys.${'challenge' | 'create' | 'list' | 'revoke'}` | `account.${'detail' | 'assets'}`;

export const accountCalls: Handlers<AccountCall> = {
  'keys.challenge': ({ nowMs, body }, { core }) =>
    reply(core.createChallenge(nowMs, body.wallet_address, randomBytes(16).toString('hex'))),
  'keys.create': ({ nowMs, body }, { core, wallets }) => {
    const isValid = wallets.isValid(body.wallet_address, body.message, body.signature);
    const apiKey = `key_${randomBytes(12).toString('hex')}`;
    const secret = `secret_${randomBytes(24).toString('hex')}`;
    const request = { wallet_address: body.wallet_address, message: body.message, nonce: body.nonce };
    return reply(core.createKey(nowMs, request, isValid, apiKey, secret));
  },
  'keys.list': ({ account }, { core }) => ({ ok: true, data: [...core.keys(account)] }),
  'keys.revoke': ({ nowMs, account, params }, { core }) => reply(core.revokeKey(nowMs, account, params.key_id)),

  'account.detail': ({ account }, { core }) => ({ ok: true, data: core.accountRow(account) }),
  'account.assets': ({ account, query, limit }, { core }) => {
    const offset = query.cursor === undefined ? undefined : decodeCursor(query.cursor, 'o');
    if (offset === null) return refuse(BAD_CURSOR);
    const page = core.assets(account, { limit, offset, marketConditionId: query.market_condition_id });
    const nextCursor = page.nextOffset === null ? null : encodeCursor({ o: page.nextOffset });
    return { ok: true, data: [...page.rows], nextCursor };
  },
};
