/** Reports to the core whether this trader holds its wallet's lease, and releases the wallet at the end. */

import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { TwinbookError } from '../../shared/base/errors.js';
import { formatDecimal, type Micros, ZERO } from '../../shared/base/micros.js';
import type { FleetCommand, Lane } from '../../shared/protocol/seam.js';
import type { MarketStatus } from '../../shared/protocol/trader-status.js';
import type { TraderSnapshot } from '../../trader/engine/snapshot.js';
import type { IntentSigner } from '../../trader/executor/contract.js';
import type { StoredDraftRow } from '../../trader/ledger/contract.js';
import type { Config, Environment } from '../config/config.js';
import { VERSION } from '../config/shipped.js';
import { fleetPassword } from '../fleet/database.js';
import { FleetMember } from '../fleet/member.js';
import type { TraderSummary } from '../fleet/owner-desk.js';
import type { Wallet } from '../wallet/wallet.js';
import { cancelUntilNothingRests, type DirectCancel } from './direct-cancel.js';

/** Interval between two checks of the wallet's lease, ms; at most `BEAT_MS`, the interval of the core's timer. */
const LOOK_MS = 100;

interface FleetHooks {
  readonly loop: { command(command: FleetCommand): boolean };
  snapshot(): TraderSnapshot;
  /** Called when the wallet is lost. The trader then ends; it cancels orders only if no other trader has the wallet. */
  fail(error: TwinbookError): void;
}

/** Reports the state of the wallet's lease to the core until `end` is called. Call before the core's first step. */
export function followLease(member: FleetMember, hooks: FleetHooks) {
  let told: FleetCommand | null = null;
  let hasEnded = false;
  const look = (): void => {
    if (hasEnded) return;
    const { standing, markets, foreign, lease } = member;
    if (standing === 'lost') {
      end();
      return hooks.fail(explainLoss(lease));
    }
    const hold = standing === 'held' ? null : (told?.hold ?? describeTrouble(member));
    const command: FleetCommand = { kind: 'fleet', hold, markets, foreign };
    if (isDeepStrictEqual(command, told)) return;
    told = command;
    hooks.loop.command(command);
  };
  const timer = setInterval(look, LOOK_MS);
  const end = () => {
    hasEnded = true;
    clearInterval(timer);
  };
  member.attach({
    summarize: () => summarize(hooks.snapshot()),
    wanted: () => listWanted(hooks.snapshot()),
    onChange: look,
  });
  look();
  return {
    end,
    /** Releases the wallet after proof that no order rests. A wallet that holds shares keeps its granted capital. */
    release: ({ markets }: TraderSnapshot, capitalMicros: Micros): Promise<void> => {
      end();
      return member.release(markets.some(isHeld) ? capitalMicros : ZERO);
    },
  };
}

function describeTrouble({ trouble, lease }: FleetMember): string {
  const why = trouble ?? 'the lease was not renewed for too long';
  return `the fleet's lease on the wallet was not renewed for ${lease.rules.pullMs / 1000} s, so all orders are canceled until it is renewed (${why})`;
}

/** Explains why the trader lost its wallet. If no other trader has it, only this trader can cancel the orders. */
export function explainLoss({ successor, term }: Pick<FleetMember['lease'], 'successor' | 'term'>): TwinbookError {
  if (successor === null || successor.isFree) {
    return new TwinbookError(
      'fleet_unusable',
      `no trader of the fleet holds the wallet after our term ${term}: the wallet was released, or the database lost its row`,
      'This trader cancels all its orders, because no other trader will cancel them. `twinbook fleet status` shows which trader holds which wallet.',
    );
  }
  return new TwinbookError(
    'wallet_taken',
    `this trader has lost the wallet: ${successor.holder} holds it in the fleet (term ${successor.term}), after our term ${term}`,
    'This trader cancels nothing, because the new holder of the wallet owns the resting orders. `twinbook fleet status` shows which trader holds which wallet.',
  );
}

export const isTakenOver = (error: unknown): boolean => error instanceof TwinbookError && error.code === 'wallet_taken';

/** Wraps the wallet's signer: cancels are always signed, other drafts only while this trader holds the wallet. */
export const leasedSigner = (
  inner: IntentSigner,
  member: Pick<FleetMember, 'objection' | 'markets'>,
  loadDraft: (intentId: string) => StoredDraftRow | null,
): IntentSigner => ({
  sign: (intentId) => {
    const draft = loadDraft(intentId);
    if (draft === null || draft.terms.action === 'cancel-order') return inner.sign(intentId);
    const isForeign = draft.terms.action === 'place-order' && !member.markets.includes(draft.marketConditionId);
    const reason = member.objection() ?? (isForeign ? 'this trader has not claimed the market of the order' : null);
    return reason === null ? inner.sign(intentId) : { ok: false, reason, isWithheld: true };
  },
});

const isHeld = ({ yesMicros, noMicros }: MarketStatus): boolean => yesMicros > ZERO || noMicros > ZERO;

/** Lists the markets to claim in the fleet; null until own orders are known, so that earlier claims remain. */
function listWanted({ mode, markets, reconciled, disagreement, accepted }: TraderSnapshot) {
  if (mode === 'starting') return null;
  const isWanted = (market: MarketStatus) =>
    (market.strategies.length > 0 && market.leftOutBecause === null) || market.orders.length > 0 || isHeld(market);
  return {
    markets: markets.filter(isWanted).map(({ conditionId }) => conditionId),
    isComplete: reconciled?.differences.length === 0 && disagreement === null && accepted.length === 0,
  };
}

const summarize = (now: TraderSnapshot): TraderSummary => ({
  mode: now.mode,
  reason: now.reason,
  cash: formatDecimal(now.cashMicros),
  equity: now.equityMicros === null ? null : formatDecimal(now.equityMicros),
  result: now.resultMicros === null ? null : formatDecimal(now.resultMicros),
  openOrders: now.openOrders,
  fills: now.fills,
  version: VERSION,
});

interface Starting {
  readonly config: Pick<Config, 'fleet' | 'capitalMicros'>;
  readonly env: Environment;
  readonly say: (text: string) => void;
  readonly isStopping: () => boolean;
}

/** Joins the fleet; null if stopped. `isSettled`: it is proven that no order of the wallet's previous trader rests. */
export async function joinFleet({ config, env, say, isStopping }: Starting, { address }: Wallet) {
  if (config.fleet === null) return { member: null, isSettled: true };
  const { fleet, capitalMicros } = config;
  const password = fleetPassword(env);
  const joined = await FleetMember.join({ config: fleet, wallet: address, password, capitalMicros, say, isStopping });
  if (joined === null) return null;
  say(`this trader holds the fleet’s lease on the wallet as ${fleet.name} (term ${joined.member.lease.term})`);
  return joined;
}

/** Returns a check for the client: submits and drafts need the wallet's lease, cancels and reads do not. */
export const objectionOf =
  (member: FleetMember | null) =>
  (lane: Lane): string | null =>
    member === null || (lane !== 'submit' && lane !== 'draft') ? null : member.objection();

const SETTLE_LOOK_MS = 200;

/** Cancels the previous trader's orders and waits until its drafts have expired; false if stopped. Throws on loss. */
export async function settleWallet(
  { member, isSettled }: { readonly member: FleetMember | null; readonly isSettled: boolean },
  access: Omit<DirectCancel, 'verify'>,
  { say, isStopping }: Pick<Starting, 'say' | 'isStopping'>,
): Promise<boolean> {
  if (member === null || isSettled) return true;
  const { profile } = access;
  const checkOwner = () => {
    if (member.standing === 'lost' && member.lease.successor?.isFree === false) throw explainLoss(member.lease);
  };
  const endMs = performance.now() + profile.draft_lifetime_s * 1000 + member.lease.rules.marginMs;
  say(
    `this trader took over the wallet (term ${member.lease.term}): canceling orders of its previous trader, and waiting ${profile.draft_lifetime_s} s until the drafts of that trader have expired`,
  );
  await cancelUntilNothingRests({ ...access, checkOwner });
  for (; performance.now() < endMs && !isStopping(); await pause(SETTLE_LOOK_MS)) checkOwner();
  while (!isStopping()) {
    const { verified } = await cancelUntilNothingRests({ ...access, checkOwner });
    if (member.standing === 'lost') throw explainLoss(member.lease);
    if (!verified) continue;
    await member.settle();
    say('all orders of the previous trader are gone');
    return true;
  }
  return false;
}
