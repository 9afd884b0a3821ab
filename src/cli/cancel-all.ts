/** `twinbook cancel-all`: through the running trader, or by itself straight at the exchange. */

import type { Command } from 'commander';
import { TwinbookError } from '../base/errors.js';
import type { ServiceClient } from '../client/client.js';
import { loadTraderConfig, type TraderConfig } from '../config/load.js';
import type { CancelAllData } from '../daemon/control-protocol.js';
import type { OrderRow } from '../protocol/records.js';
import { RESTING_STATUSES } from '../protocol/states.js';
import type { StoredDraft } from '../wallet/drafts.js';
import { askTrader } from './control-client.js';
import { type ControlOptions, SLOW_S, withControl } from './control-options.js';
import { EXIT, type ExitCode } from './exit.js';
import { action, type CliIo, type Session } from './io.js';
import { json } from './table.js';
import { allRows, type VenueSession, withVenue } from './venue-session.js';

/** A cancel whose answer was lost, or an order that rested meanwhile, is seen and canceled in the next round. */
const ROUNDS = 3;

export function addCancelAllCommand(program: Command, session: Session): void {
  const command = program
    .command('cancel-all')
    .description('cancels every open order; works without a running trader too')
    .option('--verify', 'read twice that nothing rests; exit code 1 if something does');
  withControl(command, SLOW_S);
  action<ControlOptions & { verify?: true }>(command, session, async (options) => {
    const config = loadTraderConfig(options.config, session.io);
    const verify = options.verify === true;
    const data = await cancelAll(config, verify, options.timeout * 1000, session.io);
    const { text, exitCode } = cancelAllOutcome(data, verify);
    session.io.out(options.json === true ? json(data) : `${text}\n`);
    return exitCode;
  });
}

async function cancelAll(config: TraderConfig, verify: boolean, timeoutMs: number, io: CliIo): Promise<CancelAllData> {
  try {
    return await askTrader({ command: 'cancel-all', verify }, { socket: config.control.socket, timeoutMs });
  } catch (error) {
    if (!(error instanceof TwinbookError) || error.code !== 'not_running') throw error;
    io.err('The trader is not running; canceling at the exchange directly.\n');
    return withVenue(config, io, (venue) => cancelDirectly(config, venue, verify));
  }
}

async function cancelDirectly(config: TraderConfig, venue: VenueSession, verify: boolean): Promise<CancelAllData> {
  const asked = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const resting = await restingOrders(venue.client);
    if (resting.length === 0) break;
    const refusals: string[] = [];
    for (const order of resting) {
      if (order.pubkey === null) continue; // nothing to name it by
      asked.add(order.pubkey);
      const refusal = await cancelOne(config, venue, order.pubkey, order.market.condition_id);
      if (refusal !== null) refusals.push(refusal);
    }
    if (refusals.length === resting.length && round === ROUNDS - 1) {
      throw new TwinbookError('venue_refused', `no order could be canceled: ${refusals[0]}`);
    }
    if (!verify && refusals.length === 0) return { asked: asked.size, resting: 0, verified: false };
  }
  const first = (await restingOrders(venue.client)).length;
  const second = (await restingOrders(venue.client)).length;
  return { asked: asked.size, resting: Math.max(first, second), verified: first === 0 && second === 0 };
}

const restingOrders = (client: ServiceClient): Promise<OrderRow[]> =>
  allRows(client, 'orders.list', { status: RESTING_STATUSES }, 'open orders');

/** Draft, sign, submit. Null when the exchange has it; otherwise why not. An order that is gone already is no problem. */
async function cancelOne(
  config: TraderConfig,
  { client, wallet }: VenueSession,
  orderPubkey: string,
  marketConditionId: string,
): Promise<string | null> {
  const params = { pubkey: orderPubkey };
  const drafted = await client.call('orders.cancel', { params }, { lane: 'cancel' });
  if (drafted.outcome.kind === 'refused' && drafted.outcome.slug === 'order_not_cancelable') return null;
  if (drafted.outcome.kind !== 'answered') return reasonOf(drafted.outcome);
  const stored: StoredDraft = {
    intentId: orderPubkey,
    marketConditionId,
    draftPubkey: drafted.outcome.data.pubkey,
    message: drafted.outcome.data.message,
    terms: { action: 'cancel-order', orderPubkey },
  };
  const { profile, allowBlindSigning } = config.venue;
  const signer = wallet.draftSigner({
    serviceName: profile.service_name,
    draftMessage: profile.draft_message,
    allowBlindSigning,
    loadDraft: (id) => (id === orderPubkey ? stored : null),
  });
  const signed = signer.sign(orderPubkey);
  if (!signed.ok) return `the wallet refused to sign: ${signed.reason}`;
  const submitted = await client.call(
    'orders.cancelSubmit',
    { params, body: { signature: signed.signature } },
    { lane: 'cancel' },
  );
  if (submitted.outcome.kind === 'refused' && submitted.outcome.slug === 'order_not_cancelable') return null;
  return submitted.outcome.kind === 'answered' ? null : reasonOf(submitted.outcome);
}

const reasonOf = (
  outcome: { kind: 'refused'; slug: string; message: string } | { kind: 'unknown'; reason: string },
): string => (outcome.kind === 'refused' ? `${outcome.slug}, ${outcome.message}` : outcome.reason);

/** What a cancel-all came to, and its exit code: orders that still rest after being asked to verify are a failure. */
export function cancelAllOutcome(
  data: CancelAllData,
  verify: boolean,
): { readonly text: string; readonly exitCode: ExitCode } {
  const orders = (count: number): string => `${count} order${count === 1 ? '' : 's'}`;
  if (!verify) return { text: `asked to cancel ${orders(data.asked)}`, exitCode: EXIT.ok };
  if (data.resting === 0 && data.verified)
    return { text: `canceled ${orders(data.asked)}; two reads show that none rests`, exitCode: EXIT.ok };
  return { text: `${orders(data.resting)} still resting after ${data.asked} cancels`, exitCode: EXIT.failed };
}
