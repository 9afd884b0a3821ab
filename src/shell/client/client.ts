/**
 * The venue's service as a library: `import { ServiceClient } from 'twinbook/client'`.
 *
 * Every call is a method with the call's name, such as `client.orders.create`, and resolves to the record. Calls reject
 * with ServiceRefused, OutcomeUnknown, or TwinbookError for invalid input. Received money is `Micros`; sent money is
 * decimal text. `all…` walks a list. Methods such as `place` draft, sign, submit and wait.
 */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { TwinbookError, unreadable } from '../../shared/base/errors.js';
import { type Micros, ZERO } from '../../shared/base/micros.js';
import { findYamlExcess } from '../../shared/base/yaml-bounds.js';
import type { DraftTerms } from '../../shared/protocol/drafts/draft-text.js';
import type { EndpointName } from '../../shared/protocol/endpoints.js';
import { type VenueProfile, venueProfileSchema } from '../../shared/protocol/profile.js';
import type { ConversionRow, OrderRow, PositionRow, RedeemRow, RequestRow } from '../../shared/protocol/records.js';
import { isFinalOrder, ORDER_STANDING } from '../../shared/protocol/states.js';
import { parseBySchema } from '../../shared/protocol/wire.js';
import type { Wallet } from '../wallet/wallet.js';
import { HttpCaller } from './caller.js';
import { type Calls, type ConversionInput, type MarginInput, makeCalls, type OrderInput } from './calls.js';
import { type CallOptions, NotDone, ServiceRefused } from './contract.js';
import {
  type Change,
  type CloseInput,
  closeMargin,
  type DraftToSign,
  decimal,
  marginTerms,
  orderTerms,
  runDraftWorkflow,
  SAFE_DEFAULTS,
  type SafeOptions,
  type Stage,
} from './draft-workflow.js';

/** All calls of the service, with types. A client may be shared; `close()` ends it. */
export class ServiceClient extends HttpCaller {
  readonly #calls: Calls = makeCalls(this);
  readonly keys = this.#calls.keys;
  readonly events = this.#calls.events;
  readonly markets = this.#calls.markets;
  readonly sports = this.#calls.sports;
  readonly search = this.#calls.search;
  readonly orders = this.#calls.orders;
  readonly trades = this.#calls.trades;
  readonly merges = this.#calls.merges;
  readonly splits = this.#calls.splits;
  readonly redeems = this.#calls.redeems;
  readonly account = this.#calls.account;
  readonly positions = this.#calls.positions;
  readonly settlements = this.#calls.settlements;
  readonly requests = this.#calls.requests;

  /**
   * Places an order. Signs only a draft with exactly these terms. Resolves to an order that is or was in the book.
   * ServiceRefused or NotDone prove that the order is not in the book. After OutcomeUnknown read the record
   * `error.pubkey` before placing again. Never makes a second draft. See docs/client.md.
   */
  async place(wallet: Wallet, order: OrderInput, options: SafeOptions = {}): Promise<OrderRow> {
    const terms = orderTerms(order);
    return this.#run(wallet, options, {
      ...landing('orders.submit', this.orders, placeStage),
      draft: async (within) => ({
        ...(await this.orders.create(order, within)),
        marketConditionId: order.market_condition_id,
        terms,
      }),
    });
  }

  /** Cancels an order. Resolves to its row once it no longer rests, also if it was filled or canceled before. */
  async cancel(wallet: Wallet, pubkey: string, options: SafeOptions = {}): Promise<OrderRow> {
    const { withinMs } = { ...SAFE_DEFAULTS, ...options };
    const startMs = this.clock.monotonicMs();
    const bounded = { latestMs: this.clock.nowMs() + withinMs };
    const order = await this.orders.detail(pubkey, bounded);
    if (cancelStage(order).kind === 'done') return order;
    const marketConditionId = order.market.condition_id;
    const terms = { action: 'cancel-order', orderPubkey: pubkey } as const;
    const rest = { ...options, withinMs: withinMs - (this.clock.monotonicMs() - startMs) };
    try {
      return await this.#run(wallet, rest, {
        endpoint: 'orders.cancelSubmit',
        draft: async (within) => ({ ...(await this.orders.cancel(pubkey, within)), marketConditionId, terms }),
        // The signer has compared the draft's pubkey with the order's.
        submit: (_, signature, within) => this.orders.cancelSubmit(pubkey, signature, within),
        read: (_, within) => this.orders.detail(pubkey, within),
        getStage: cancelStage,
      });
    } catch (error) {
      if (!(error instanceof ServiceRefused && error.is('order_not_cancelable'))) throw error;
      // A fill probably ended the order meanwhile, which the record shows.
      const now = await this.orders.detail(pubkey, bounded);
      if (cancelStage(now).kind === 'done') return now;
      throw error;
    }
  }

  /** Merges complete sets of shares into currency. Resolves to the `done` merge. Rejects as `place`. */
  merge(wallet: Wallet, merge: ConversionInput, options: SafeOptions = {}): Promise<ConversionRow> {
    return this.#convert(wallet, merge, options, 'merge-shares', this.merges);
  }

  /** Splits currency into complete sets of shares. Resolves to the `done` split. Rejects as `place`. */
  split(wallet: Wallet, split: ConversionInput, options: SafeOptions = {}): Promise<ConversionRow> {
    return this.#convert(wallet, split, options, 'split-shares', this.splits);
  }

  async #convert(
    wallet: Wallet,
    input: ConversionInput,
    options: SafeOptions,
    action: 'merge-shares' | 'split-shares',
    calls: Calls['merges' | 'splits'],
  ): Promise<ConversionRow> {
    const { market_condition_id: marketConditionId } = input;
    const terms: DraftTerms = { action, amount: decimal('amount', input.amount) };
    return this.#run(wallet, options, {
      ...landing(action === 'merge-shares' ? 'merges.submit' : 'splits.submit', calls, conversionStage),
      draft: async (within) => ({ ...(await calls.create(input, within)), marketConditionId, terms }),
    });
  }

  /**
   * Redeems all free shares of a settled market. The draft must name the shares that the account's assets list.
   * Resolves to the row in the state `completed` or `done`. Rejects as `place`.
   */
  async redeem(wallet: Wallet, marketConditionId: string, options: SafeOptions = {}): Promise<RedeemRow> {
    return this.#run(wallet, options, {
      ...landing('redeems.submit', this.redeems, redeemStage),
      draft: async (within) => {
        const terms = { action: 'redeem-shares', ...(await this.#sharesToRedeem(marketConditionId, within)) } as const;
        return { ...(await this.redeems.create(marketConditionId, within)), marketConditionId, terms };
      },
    });
  }

  /**
   * Reads the redeemable shares in the account's assets before the draft, which locks them. If all shares are locked,
   * an earlier draft holds them, most likely after a lost answer. The service then returns that draft again.
   */
  async #sharesToRedeem(market_condition_id: string, within: CallOptions) {
    const free: Record<'yes' | 'no', Micros> = { yes: ZERO, no: ZERO };
    const held = { ...free };
    const assets = this.account.allAssets({ market_condition_id }, within);
    for await (const { position, amounts } of assets) {
      const outcome = position.is_yes ? 'yes' : 'no';
      free[outcome] = amounts.available;
      held[outcome] = amounts.total;
    }
    return free.yes === ZERO && free.no === ZERO ? held : free;
  }

  /**
   * Opens a margin position. Resolves to the request in the state `order_placed` or `completed`. A limit request may
   * stay `order_placed` until the market reaches the limit price. Rejects as `place`.
   */
  async openMargin(wallet: Wallet, request: MarginInput, options: SafeOptions = {}): Promise<RequestRow> {
    const terms = marginTerms(request);
    return this.#run(wallet, options, {
      ...landing('requests.submit', this.requests, requestStage),
      draft: async (within) => toSign(await this.requests.create(request, within), request.market_condition_id, terms),
    });
  }

  /**
   * Closes a margin position and resolves to the closed position. With a price, set `withinMs` too. Rejects with
   * ServiceRefused, or at the deadline with OutcomeUnknown: the position may still close. Sends only one close.
   */
  closeMargin(close: CloseInput, options: SafeOptions = {}): Promise<PositionRow> {
    return closeMargin(this.positions, close, this, options);
  }

  #run<R>(wallet: Wallet, options: SafeOptions, change: Change<R>): Promise<R> {
    return runDraftWorkflow(change, wallet, this, options);
  }
}

/** Makes a change whose draft and record have the same key. */
const landing = <R>(
  endpoint: EndpointName,
  { submit, detail }: { readonly submit: Change<R>['submit']; readonly detail: Change<R>['read'] },
  getStage: (record: R) => Stage,
) => ({ endpoint, submit, read: detail, getStage });

function toSign(row: RequestRow, marketConditionId: string, terms: DraftTerms): DraftToSign {
  const { pubkey, message } = row;
  if (message !== null) return { pubkey, message, marketConditionId, terms };
  throw new NotDone('requests.create', 'failed', 'its draft could not be made', pubkey, row);
}

const UNSIGNED: Stage = { kind: 'unsigned' };
const LANDING: Stage = { kind: 'landing' };
const DONE: Stage = { kind: 'done' };
const OVER = ['failed', 'expired', 'cancelled'] as const;

/** Returns the stage of an order. An order that was in the book is done, even if it was canceled later. */
function placeStage({ status }: OrderRow): Stage {
  if (status === null || ORDER_STANDING[status].phase === 'unsigned') return UNSIGNED;
  if (ORDER_STANDING[status].tookEffect) return DONE;
  return { kind: 'over', why: status === 'expired' ? 'expired' : 'failed' };
}

/** Returns the stage of a cancel. While the order rests, its cancel was not submitted. */
const cancelStage = ({ status }: OrderRow): Stage => (status !== null && isFinalOrder(status) ? DONE : UNSIGNED);

const conversionStage = stages<ConversionRow['state']>(['waiting_to_sign'], ['done']);
const redeemStage = stages<RedeemRow['state']>(['waiting_to_sign', 'created'], ['done', 'completed']);
const requestStage = stages<RequestRow['state']>(['created'], ['order_placed', 'completed']);

/** Makes a function from a record's state to its stage. A state that is not listed is `landing`. */
function stages<S extends string>(unsigned: readonly S[], done: readonly S[]) {
  return ({ state }: { readonly state: S }): Stage => {
    const why = OVER.find((over) => over === state);
    if (why !== undefined) return { kind: 'over', why };
    if (unsigned.includes(state)) return UNSIGNED;
    return done.includes(state) ? DONE : LANDING;
  };
}

export { TwinbookError } from '../../shared/base/errors.js';
export type { Micros } from '../../shared/base/micros.js';
export { formatDecimal, parseDecimal } from '../../shared/base/micros.js';
export type { VenueProfile } from '../../shared/protocol/profile.js';
export type { SigningPolicy, SignResult, StoredDraft } from '../wallet/draft-signer.js';
export { signingRules } from '../wallet/draft-signer.js';
export type { Credentials } from '../wallet/key-file.js';
export { createKeyFile, openKeyFile } from '../wallet/key-file.js';
export { Wallet } from '../wallet/wallet.js';
export type { ConversionInput, MarginInput, OrderInput, TpSlInput } from './calls.js';
export * from './contract.js';
export type { CloseInput, SafeOptions } from './draft-workflow.js';

/**
 * Loads the profile of a venue: `paper`, `worm`, or the path of a YAML file with the same fields. Throws TwinbookError
 * file_unreadable, or config_invalid with the first invalid field.
 */
export function venueProfile(nameOrPath: string): VenueProfile {
  const path = /^[A-Za-z0-9_-]+$/.test(nameOrPath) ? shippedProfile(nameOrPath) : nameOrPath;
  const parsed = parseBySchema(venueProfileSchema, readYaml(path));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalidProfile(path, `${issue?.path.join('.')}: ${issue?.message}`);
}

const invalidProfile = (path: string, what: string, cause?: unknown): TwinbookError =>
  new TwinbookError('config_invalid', `${path}: ${what}`, 'Compare it with a shipped profile in config/venues.', {
    cause,
  });

function readYaml(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw unreadable(`the venue profile ${path} cannot be read`, cause, 'Name an existing file, or a shipped profile.');
  }
  const excess = findYamlExcess(text);
  if (excess !== null) throw invalidProfile(path, excess);
  try {
    return parse(text);
  } catch (cause) {
    throw invalidProfile(path, 'is not YAML', cause);
  }
}

/** Returns the path of a profile in `config/venues/` of the package of this file, compiled or not. */
function shippedProfile(name: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return join(folder, 'config', 'venues', `${name}.yaml`);
}
