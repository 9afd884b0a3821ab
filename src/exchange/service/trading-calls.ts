/** Orders, own trades, share merges, splits and redeems. */

import { submittedSignature } from '../../shared/protocol/signing.js';
import type { DraftKind, Result } from '../core/contract.js';
import type { ExchangeCore } from '../core/core.js';
import { badField } from './envelope.js';
import {
  answerFound,
  type HandlerContext,
  type Handlers,
  keysetPage,
  refuse,
  reply,
  type ServiceCall,
} from './handler-context.js';

export const tradingCalls = {
  'orders.list': ({ account, query, limit }, { core }) =>
    keysetPage('orders.list', query.cursor, (beforeId) => core.orders(account, { ...query, limit, beforeId })),
  'orders.create': ({ nowMs, account, body }, { core }) => reply(core.draftOrder(nowMs, account, body)),
  'orders.submit': (call, context) => submitSigned('order', call, context, context.core.submitOrder),
  'orders.detail': ({ account, params }, { core }) => answerFound(core.order(account, params.pubkey)),
  'orders.cancel': ({ nowMs, account, params }, { core }) => reply(core.draftCancel(nowMs, account, params.pubkey)),
  'orders.cancelSubmit': (call, context) => submitSigned('cancel', call, context, context.core.submitCancel),

  'trades.list': ({ account, query, limit }, { core }) =>
    keysetPage('trades.list', query.cursor, (beforeId) => core.ownTrades(account, { ...query, limit, beforeId })),

  'merges.list': ({ account, query, limit }, { core }) =>
    keysetPage('merges.list', query.cursor, (beforeId) => core.merges(account, { ...query, limit, beforeId })),
  'merges.create': ({ nowMs, account, body }, { core }) =>
    reply(core.draftMerge(nowMs, account, body.market_condition_id, body.amount)),
  'merges.submit': (call, context) => submitSigned('merge', call, context, context.core.submitMerge),
  'merges.detail': ({ account, params }, { core }) => answerFound(core.merge(account, params.pubkey)),

  'splits.list': ({ account, query, limit }, { core }) =>
    keysetPage('splits.list', query.cursor, (beforeId) => core.splits(account, { ...query, limit, beforeId })),
  'splits.create': ({ nowMs, account, body }, { core }) =>
    reply(core.draftSplit(nowMs, account, body.market_condition_id, body.amount)),
  'splits.submit': (call, context) => submitSigned('split', call, context, context.core.submitSplit),
  'splits.detail': ({ account, params }, { core }) => answerFound(core.split(account, params.pubkey)),

  'redeems.list': ({ account, query, limit }, { core }) =>
    keysetPage('redeems.list', query.cursor, (beforeId) => core.redeems(account, { ...query, limit, beforeId })),
  'redeems.create': ({ nowMs, account, body }, { core }) =>
    reply(core.draftRedeem(nowMs, account, body.market_condition_id)),
  'redeems.submit': (call, context) => submitSigned('redeem', call, context, context.core.submitRedeem),
  'redeems.detail': ({ account, params }, { core }) => answerFound(core.redeem(account, params.pubkey)),
} satisfies Partial<Handlers>;

type SubmitCall = ServiceCall<
  'orders.submit' | 'merges.submit' | 'splits.submit' | 'redeems.submit' | 'requests.submit'
>;

/** Last step of every draft: the signature is checked here, and the core decides on the result. */
export function submitSigned<T>(
  kind: DraftKind,
  { nowMs, account, params, body }: SubmitCall,
  { core, wallets }: HandlerContext,
  submit: (this: ExchangeCore, nowMs: number, account: number, pubkey: string, signatureValid: boolean) => Result<T>,
) {
  if (submittedSignature(body.signature) === null) return refuse(badField('signature', SIGNATURE_WANTED));
  const message = core.draftMessage(kind, account, params.pubkey);
  const wallet = core.readWallet(account);
  const isValid = message !== null && wallet !== null && wallets.signsDraft(wallet, message, body.signature);
  return reply(submit.call(core, nowMs, account, params.pubkey, isValid));
}

const SIGNATURE_WANTED = '128 hex characters are required: the 64-byte signature over the message of the draft.';
