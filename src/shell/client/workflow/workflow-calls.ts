/** The changes that `ServiceClient` carries out whole, and what the states of their records mean. */

import { type Micros, ZERO } from '../../../shared/base/micros.js';
import type { DraftTerms } from '../../../shared/protocol/drafts/draft-text.js';
import type { VenueProfile } from '../../../shared/protocol/profile.js';
import type { ConversionRow, OrderRow, PositionRow, RedeemRow, RequestRow } from '../../../shared/protocol/records.js';
import { isFinalOrder, ORDER_STANDING } from '../../../shared/protocol/states.js';
import type { Wallet } from '../../wallet/wallet.js';
import type { AccountCalls } from '../calls/account.js';
import type { ConversionInput, MergeCalls, RedeemCalls, SplitCalls } from '../calls/conversions.js';
import type { MarginInput, PositionCalls, RequestCalls } from '../calls/margin.js';
import type { OrderCalls, OrderInput } from '../calls/orders.js';
import type { CallOptions } from '../contract.js';
import { NotDone, ServiceRefused } from '../errors.js';
import { type CloseInput, closeMargin } from '../safe/close-margin.js';
import { type Change, type Patience, runDraftWorkflow, type Stage, type World } from './draft-workflow.js';
import { decimal, marginTerms, orderTerms } from './expected-terms.js';
import type { DraftToSign } from './sign-draft.js';

/** How long a whole change may take, and what may be signed. */
export interface WorkflowOptions {
  /** From the call to its end, ms; what has not ended by then is an OutcomeUnknown. Default 30,000. */
  readonly withinMs?: number;
  /** Between two looks at a record that is not final, ms. Each look is one signed request. Default 500. */
  readonly pollMs?: number;
  /** Signs what nobody can read, where the venue's profile says that its drafts are such. Default false. */
  readonly allowBlindSigning?: boolean;
}

interface Shares {
  readonly yes: Micros;
  readonly no: Micros;
}

const DEFAULTS: Patience = { withinMs: 30_000, pollMs: 500, allowBlindSigning: false };

interface Calls {
  readonly orders: OrderCalls;
  readonly merges: MergeCalls;
  readonly splits: SplitCalls;
  readonly redeems: RedeemCalls;
  readonly requests: RequestCalls;
  readonly positions: PositionCalls;
  readonly account: AccountCalls;
}

/** Whole changes in one call each: draft, check, sign, submit, and read until it is final. */
export class WorkflowCalls {
  readonly #calls: Calls;
  readonly #world: World;

  constructor(calls: Calls, profile: VenueProfile, world: Omit<World, 'profile'>) {
    this.#calls = calls;
    this.#world = { profile, ...world };
  }

  async place(wallet: Wallet, order: OrderInput, options: WorkflowOptions): Promise<OrderRow> {
    const { orders } = this.#calls;
    const terms = orderTerms(order);
    return this.#run(wallet, options, {
      endpoint: 'orders.submit',
      draft: async (within) => ({
        ...(await orders.create(order, within)),
        marketConditionId: order.market_condition_id,
        terms,
      }),
      submit: (draft, signature, within) => orders.submit(draft, signature, within),
      read: (draft, within) => orders.detail(draft, within),
      getStage: placeStage,
    });
  }

  async cancel(wallet: Wallet, pubkey: string, options: WorkflowOptions): Promise<OrderRow> {
    const { orders } = this.#calls;
    const { withinMs } = { ...DEFAULTS, ...options };
    const startMs = this.#world.monotonicMs();
    const bounded = { latestMs: this.#world.nowMs() + withinMs };
    const order = await orders.detail(pubkey, bounded);
    if (cancelStage(order).kind === 'done') return order;
    const marketConditionId = order.market.condition_id;
    const terms = { action: 'cancel-order', orderPubkey: pubkey } as const;
    const rest = { ...options, withinMs: withinMs - (this.#world.monotonicMs() - startMs) };
    try {
      return await this.#run(wallet, rest, {
        endpoint: 'orders.cancelSubmit',
        draft: async (within) => ({ ...(await orders.cancel(pubkey, within)), marketConditionId, terms }),
        // The order's own pubkey, whatever the draft calls itself: the signer has compared them.
        submit: (_, signature, within) => orders.cancelSubmit(pubkey, signature, within),
        read: (_, within) => orders.detail(pubkey, within),
        getStage: cancelStage,
      });
    } catch (error) {
      if (!(error instanceof ServiceRefused && error.is('order_not_cancelable'))) throw error;
      // It was filled meanwhile, most likely: its record says so.
      const now = await orders.detail(pubkey, bounded);
      if (cancelStage(now).kind === 'done') return now;
      throw error;
    }
  }

  merge(wallet: Wallet, merge: ConversionInput, options: WorkflowOptions): Promise<ConversionRow> {
    return this.#convert(wallet, merge, options, 'merge-shares', this.#calls.merges);
  }

  split(wallet: Wallet, split: ConversionInput, options: WorkflowOptions): Promise<ConversionRow> {
    return this.#convert(wallet, split, options, 'split-shares', this.#calls.splits);
  }

  async #convert(
    wallet: Wallet,
    input: ConversionInput,
    options: WorkflowOptions,
    action: 'merge-shares' | 'split-shares',
    calls: MergeCalls | SplitCalls,
  ): Promise<ConversionRow> {
    const { market_condition_id: marketConditionId } = input;
    const terms: DraftTerms = { action, amount: decimal('amount', input.amount) };
    return this.#run(wallet, options, {
      endpoint: action === 'merge-shares' ? 'merges.submit' : 'splits.submit',
      draft: async (within) => ({ ...(await calls.create(input, within)), marketConditionId, terms }),
      submit: (draft, signature, within) => calls.submit(draft, signature, within),
      read: (draft, within) => calls.detail(draft, within),
      getStage: conversionStage,
    });
  }

  async redeem(wallet: Wallet, marketConditionId: string, options: WorkflowOptions): Promise<RedeemRow> {
    const { redeems } = this.#calls;
    return this.#run(wallet, options, {
      endpoint: 'redeems.submit',
      draft: async (within) => {
        const terms = { action: 'redeem-shares', ...(await this.#sharesToRedeem(marketConditionId, within)) } as const;
        return { ...(await redeems.create(marketConditionId, within)), marketConditionId, terms };
      },
      submit: (draft, signature, within) => redeems.submit(draft, signature, within),
      read: (draft, within) => redeems.detail(draft, within),
      getStage: redeemStage,
    });
  }

  /**
   * What the account's assets say that there is to redeem, read before the draft, which locks it. Where all of it is locked
   * already an earlier draft holds it, most likely one whose answer was lost; the service answers that one again.
   */
  async #sharesToRedeem(market_condition_id: string, within: CallOptions): Promise<Shares> {
    const [free, held] = [
      { yes: ZERO, no: ZERO },
      { yes: ZERO, no: ZERO },
    ];
    const assets = this.#calls.account.allAssets({ market_condition_id }, within);
    for await (const { position, amounts } of assets) {
      const outcome = position.is_yes ? 'yes' : 'no';
      free[outcome] = amounts.available;
      held[outcome] = amounts.total;
    }
    return free.yes === ZERO && free.no === ZERO ? held : free;
  }

  async openMargin(wallet: Wallet, request: MarginInput, options: WorkflowOptions): Promise<RequestRow> {
    const { requests } = this.#calls;
    const terms = marginTerms(request);
    return this.#run(wallet, options, {
      endpoint: 'requests.submit',
      draft: async (within) => toSign(await requests.create(request, within), request.market_condition_id, terms),
      submit: (draft, signature, within) => requests.submit(draft, signature, within),
      read: (draft, within) => requests.detail(draft, within),
      getStage: requestStage,
    });
  }

  /** Needs no signature of a wallet. */
  closeMargin(close: CloseInput, options: WorkflowOptions): Promise<PositionRow> {
    return closeMargin(this.#calls.positions, close, this.#world, { ...DEFAULTS, ...options });
  }

  #run<R>(wallet: Wallet, options: WorkflowOptions, change: Change<R>): Promise<R> {
    return runDraftWorkflow(change, wallet, this.#world, { ...DEFAULTS, ...options });
  }
}

function toSign(row: RequestRow, marketConditionId: string, terms: DraftTerms): DraftToSign {
  const { pubkey, message } = row;
  if (message !== null) return { pubkey, message, marketConditionId, terms };
  throw new NotDone('requests.create', 'failed', 'its draft could not be made', pubkey, row);
}

const UNSIGNED: Stage = { kind: 'unsigned' };
const LANDING: Stage = { kind: 'landing' };
const DONE: Stage = { kind: 'done' };

/** An order that was in the book has taken effect, however it ended. */
function placeStage({ status }: OrderRow): Stage {
  if (status === null || ORDER_STANDING[status].phase === 'unsigned') return UNSIGNED;
  if (ORDER_STANDING[status].tookEffect) return DONE;
  return { kind: 'over', why: status === 'expired' ? 'expired' : 'failed' };
}

/** An order that rests is one whose cancel was not submitted. */
const cancelStage = ({ status }: OrderRow): Stage => (status !== null && isFinalOrder(status) ? DONE : UNSIGNED);

function conversionStage({ state }: ConversionRow): Stage {
  if (state === 'failed' || state === 'expired') return { kind: 'over', why: state };
  if (state === 'waiting_to_sign') return UNSIGNED;
  return state === 'done' ? DONE : LANDING;
}

function redeemStage({ state }: RedeemRow): Stage {
  if (state === 'failed' || state === 'expired') return { kind: 'over', why: state };
  if (state === 'waiting_to_sign' || state === 'created') return UNSIGNED;
  return state === 'done' || state === 'completed' ? DONE : LANDING;
}

function requestStage({ state }: RequestRow): Stage {
  if (state === 'failed' || state === 'cancelled') return { kind: 'over', why: state };
  if (state === 'created') return UNSIGNED;
  return state === 'order_placed' || state === 'completed' ? DONE : LANDING;
}
