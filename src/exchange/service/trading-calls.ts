/** Orders, own trades, share merges, splits and redeems. */

import { submittedSignature } from '../../shared/protocol/signing.js';
import type { DraftKind, Result } from '../core/contract.js';
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
    keysetPage('orders.list', query, limit, (page) => core.orders.page(account, page)),
  'orders.create': ({ nowMs, account, body }, { core }) => reply(core.at(nowMs).orders.draft(account, body)),
  'orders.submit': (call, context) =>
    submitSigned('order', call, context, ({ orders }, ...signed) => orders.submit(...signed)),
  'orders.detail': ({ account, params }, { core }) => answerFound(core.orders.row(account, params.pubkey)),
  'orders.cancel': ({ nowMs, account, params }, { core }) =>
    reply(core.at(nowMs).orders.draftCancel(account, params.pubkey)),
  'orders.cancelSubmit': (call, context) =>
    submitSigned('cancel', call, context, ({ orders }, ...signed) => orders.submitCancel(...signed)),

  'trades.list': ({ account, query, limit }, { core }) =>
    keysetPage('trades.list', query, limit, (page) => core.orders.trades(account, page)),

  'merges.list': ({ account, query, limit }, { core }) =>
    keysetPage('merges.list', query, limit, (page) => core.conversions.page('merge', account, page)),
  'merges.create': ({ nowMs, account, body }, { core }) =>
    reply(core.at(nowMs).conversions.draft('merge', account, body.market_condition_id, body.amount)),
  'merges.submit': (call, context) =>
    submitSigned('merge', call, context, ({ conversions }, ...signed) => conversions.submit('merge', ...signed)),
  'merges.detail': ({ account, params }, { core }) =>
    answerFound(core.conversions.row('merge', account, params.pubkey)),

  'splits.list': ({ account, query, limit }, { core }) =>
    keysetPage('splits.list', query, limit, (page) => core.conversions.page('split', account, page)),
  'splits.create': ({ nowMs, account, body }, { core }) =>
    reply(core.at(nowMs).conversions.draft('split', account, body.market_condition_id, body.amount)),
  'splits.submit': (call, context) =>
    submitSigned('split', call, context, ({ conversions }, ...signed) => conversions.submit('split', ...signed)),
  'splits.detail': ({ account, params }, { core }) =>
    answerFound(core.conversions.row('split', account, params.pubkey)),

  'redeems.list': ({ account, query, limit }, { core }) =>
    keysetPage('redeems.list', query, limit, (page) => core.redeems.page(account, page)),
  'redeems.create': ({ nowMs, account, body }, { core }) =>
    reply(core.at(nowMs).redeems.draft(account, body.market_condition_id)),
  'redeems.submit': (call, context) =>
    submitSigned('redeem', call, context, ({ redeems }, ...signed) => redeems.submit(...signed)),
  'redeems.detail': ({ account, params }, { core }) => answerFound(core.redeems.row(account, params.pubkey)),
} satisfies Partial<Handlers>;

type SubmitCall = ServiceCall<
  'orders.submit' | 'merges.submit' | 'splits.submit' | 'redeems.submit' | 'requests.submit'
>;

/** Last step of every draft: the signature is checked here, and the core decides on the result. */
export function submitSigned<T>(
  kind: DraftKind,
  { nowMs, account, params, body }: SubmitCall,
  { core, wallets }: HandlerContext,
  submit: (
    core: HandlerContext['core'],
    ...signed: readonly [account: number, pubkey: string, signatureValid: boolean]
  ) => Result<T>,
) {
  if (submittedSignature(body.signature) === null) return refuse(badField('signature', SIGNATURE_WANTED));
  const message = core.draftMessage(kind, account, params.pubkey);
  const wallet = core.readWallet(account);
  const isValid = message !== null && wallet !== null && wallets.signsDraft(wallet, message, body.signature);
  return reply(submit(core.at(nowMs), account, params.pubkey, isValid));
}

const SIGNATURE_WANTED = '128 hex characters are required: the 64-byte signature over the message of the draft.';
