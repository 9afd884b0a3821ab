/**
 * The venue's service as a library. Use it with `import { ServiceClient } from 'twinbook/client'`.
 *
 * Every API call is a method of the same name, such as `client.orders.create`, and resolves to the service's record.
 * Methods reject with ServiceRefused, OutcomeUnknown, or TwinbookError for invalid input. Received money is `Micros`;
 * money to send is decimal text. `all…` reads a whole list. Methods like `place` also sign and submit the draft.
 */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { TwinbookError, unreadable } from '../../shared/base/errors.js';
import { type Micros, ONE, parseDecimal, ZERO } from '../../shared/base/micros.js';
import { findYamlExcess } from '../../shared/base/yaml-bounds.js';
import { readDraftMessage } from '../../shared/protocol/drafts/draft-message.js';
import type { DraftTerms } from '../../shared/protocol/drafts/draft-text.js';
import type { EndpointName } from '../../shared/protocol/endpoints.js';
import { isClockRefusal } from '../../shared/protocol/errors.js';
import { type VenueProfile, venueProfileSchema } from '../../shared/protocol/profile.js';
import type { ConversionRow, OrderRow, PositionRow, RedeemRow, RequestRow } from '../../shared/protocol/records.js';
import { isFinalOrder, ORDER_STANDING } from '../../shared/protocol/states.js';
import { parseBySchema } from '../../shared/protocol/wire.js';
import { signingRules } from '../wallet/draft-signer.js';
import type { Wallet } from '../wallet/wallet.js';
import { HttpCaller } from './caller.js';
import { type ConversionInput, type MarginInput, makeCalls, type OrderInput } from './calls.js';
import { type CallOptions, NotDone, OutcomeUnknown, type ServiceError, ServiceRefused } from './contract.js';

/** All API calls of the service, with types. Several callers may share a client; `close()` ends it. */
export class ServiceClient extends HttpCaller {
  readonly #calls = makeCalls(this);
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
   * Places an order. Signs only a draft with exactly the requested terms. The promise resolves to an order that is or
   * was in the book. ServiceRefused or NotDone prove that the order is not in the book. After OutcomeUnknown, read the
   * record `error.pubkey` before placing the order again. The method creates one draft only. See docs/client.md.
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

  /** Cancels an order. Resolves to the order's record once the order is no longer open, whatever ended the order. */
  async cancel(wallet: Wallet, pubkey: string, options: SafeOptions = {}): Promise<OrderRow> {
    const { withinMs } = { ...SAFE_DEFAULTS, ...options };
    const startMs = this.clock.monotonicMs();
    const bounded = { latestMs: this.clock.nowMs() + withinMs };
    const order = await this.orders.detail(pubkey, bounded);
    if (cancelStage(order) === 'done') return order;
    const marketConditionId = order.market.condition_id;
    const terms = { action: 'cancel-order', orderPubkey: pubkey } as const;
    const rest = { ...options, withinMs: withinMs - (this.clock.monotonicMs() - startMs) };
    try {
      return await this.#run(wallet, rest, {
        endpoint: 'orders.cancelSubmit',
        draft: async (within) => ({ ...(await this.orders.cancel(pubkey, within)), marketConditionId, terms }),
        // The signer checks that the draft cancels this order.
        recordPubkey: pubkey,
        submit: this.orders.cancelSubmit,
        read: this.orders.detail,
        getStage: cancelStage,
      });
    } catch (error) {
      if (!(error instanceof ServiceRefused && error.is('order_not_cancelable'))) throw error;
      // A fill may have ended the order in the meantime; then the order's record shows this end.
      const now = await this.orders.detail(pubkey, bounded);
      if (cancelStage(now) === 'done') return now;
      throw error;
    }
  }

  /** Merges complete sets of shares into currency. Resolves to the merge in the state `done`. Rejects as `place`. */
  merge(wallet: Wallet, merge: ConversionInput, options: SafeOptions = {}): Promise<ConversionRow> {
    return this.#convert(wallet, merge, options, 'merge-shares', this.merges);
  }

  /** Splits currency into complete sets of shares. Resolves to the split in the state `done`. Rejects as `place`. */
  split(wallet: Wallet, split: ConversionInput, options: SafeOptions = {}): Promise<ConversionRow> {
    return this.#convert(wallet, split, options, 'split-shares', this.splits);
  }

  async #convert(
    wallet: Wallet,
    input: ConversionInput,
    options: SafeOptions,
    action: 'merge-shares' | 'split-shares',
    calls: ServiceClient['merges' | 'splits'],
  ): Promise<ConversionRow> {
    const { market_condition_id: marketConditionId } = input;
    const terms: DraftTerms = { action, amount: decimal('amount', input.amount) };
    return this.#run(wallet, options, {
      ...landing(action === 'merge-shares' ? 'merges.submit' : 'splits.submit', calls, conversionStage),
      draft: async (within) => ({ ...(await calls.create(input, within)), marketConditionId, terms }),
    });
  }

  /**
   * Redeems all unlocked shares of a settled market. A redeem's draft must contain the shares that the account's list
   * of assets shows. Resolves to the redeem in the state `completed` or `done`. Rejects as `place`.
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

  /** Returns the unlocked shares before a draft locks them; returns all held shares if no share is unlocked. */
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
      draft: async (within) => {
        const row = await this.requests.create(request, within);
        const { pubkey, message } = row;
        if (message !== null) return { pubkey, message, marketConditionId: request.market_condition_id, terms };
        const reason = 'the draft of the request could not be created';
        throw new NotDone('requests.create', 'failed', reason, pubkey, row);
      },
    });
  }

  /**
   * Closes a margin position and resolves to the closed position. With a `price`, set `withinMs` too. Rejects with
   * ServiceRefused, or at the deadline with OutcomeUnknown: the position may still close. The close request is never
   * sent twice, because a venue may execute a repeat as another sale.
   */
  async closeMargin({ pubkey, price }: CloseInput, safe: SafeOptions = {}): Promise<PositionRow> {
    const { options, wait } = this.#startPace(safe);
    const answer = await settle(this.positions.close(pubkey, price === undefined ? {} : { price }, options));
    const error = answer.ok ? null : answer.error;
    if (error instanceof OutcomeUnknown && !error.sent) throw error;
    let record: PositionRow | undefined;
    for (let looks = 1; ; looks++) {
      const seen = await settle(this.positions.detail(pubkey, options));
      if (seen.ok) record = seen.record;
      if (record?.is_closed) return record;
      // A second read of the position is needed, because a refused close may still change the position later.
      const isAnswered = seen.ok || seen.error instanceof ServiceRefused;
      if (error instanceof ServiceRefused && isAnswered && looks > 1) throw error;
      if (await wait()) continue;
      const reason = error instanceof OutcomeUnknown ? error.reason : 'the position was not closed in time';
      throw new OutcomeUnknown('positions.close', reason, { sent: true, pubkey, record });
    }
  }

  /** Runs one change until its record shows the outcome. Makes one draft only, but may submit a signature again. */
  async #run<R>(wallet: Wallet, options: SafeOptions, change: Change<R>): Promise<R> {
    const pace = this.#startPace(options);
    const draft = await change.draft(pace.options);
    const signature = signDraft(change.endpoint, draft, wallet, this, options.allowBlindSigning ?? false);
    return new Submission(change, change.recordPubkey ?? draft.pubkey, signature, pace).run();
  }

  #startPace(safe: SafeOptions): Pace {
    const { withinMs, pollMs } = { ...SAFE_DEFAULTS, ...safe };
    const deadlineMs = this.clock.monotonicMs() + withinMs;
    return {
      options: { latestMs: this.clock.nowMs() + withinMs },
      wait: async () => this.clock.monotonicMs() + pollMs < deadlineMs && (await this.pause(pollMs)),
    };
  }
}

/** Returns the parts of a change whose draft and record have the same pubkey. */
const landing = <R>(
  endpoint: EndpointName,
  { submit, detail }: { readonly submit: Change<R>['submit']; readonly detail: Change<R>['read'] },
  getStage: (record: R) => ChangeStage,
) => ({ endpoint, submit, read: detail, getStage });

const OVER = ['failed', 'expired', 'cancelled'] as const;

/** Returns the stage of an order's placement: `done` once the order was in the book, even if canceled later. */
function placeStage({ status }: OrderRow): ChangeStage {
  if (status === null || ORDER_STANDING[status].phase === 'unsigned') return 'unsigned';
  if (ORDER_STANDING[status].tookEffect) return 'done';
  return status === 'expired' ? 'expired' : 'failed';
}

/** Returns the stage of a cancel: `unsigned` while the order is in the book, then `done`. */
const cancelStage = ({ status }: OrderRow): ChangeStage => (isFinalOrder(status) ? 'done' : 'unsigned');

const conversionStage = stages<ConversionRow['state']>(['waiting_to_sign'], ['done']);
const redeemStage = stages<RedeemRow['state']>(['waiting_to_sign', 'created'], ['done', 'completed']);
const requestStage = stages<RequestRow['state']>(['created'], ['order_placed', 'completed']);

/** Returns a function that maps a record's state to the change's stage; an unlisted state maps to `landing`. */
function stages<S extends string>(unsigned: readonly S[], done: readonly S[]) {
  return ({ state }: { readonly state: S }): ChangeStage => {
    if (unsigned.includes(state)) return 'unsigned';
    return done.includes(state) ? 'done' : (OVER.find((over) => over === state) ?? 'landing');
  };
}

const isOver = (stage: ChangeStage): stage is (typeof OVER)[number] => OVER.some((over) => over === stage);

const MOST_SUBMITS = 3;
/** Error codes of temporary refusals: the submit had no effect, but a later submit may be accepted. */
const PASSING = ['throttled', 'gringotts_unavailable'] as const;

/** Stage of a change according to the service's record. */
type ChangeStage = 'unsigned' | 'landing' | 'done' | (typeof OVER)[number];

/** Parts of a change that differ between orders, cancels, merges and others. `R` is the type of the record. */
interface Change<R> {
  /** The call that submits the change; errors contain its name. */
  readonly endpoint: EndpointName;
  readonly draft: (options: CallOptions) => Promise<DraftToSign>;
  /** Pubkey of the record; absent if it is the draft's pubkey. */
  readonly recordPubkey?: string;
  readonly submit: (pubkey: string, signature: string, options: CallOptions) => Promise<R>;
  readonly read: (pubkey: string, options: CallOptions) => Promise<R>;
  readonly getStage: (record: R) => ChangeStage;
}

/** Position to close. `price`: worst accepted price of its outcome, decimal text; absent if any is accepted. */
export interface CloseInput {
  readonly pubkey: string;
  readonly price?: string;
}

/** Members of `HttpCaller` that the signing of a draft uses. */
type ChangeContext = Pick<HttpCaller, 'profile' | 'venueNowMs'>;

/** Time limit of a whole change, interval of reads, and permission to sign unreadable drafts. */
export interface SafeOptions {
  /** Time limit of the whole change, ms; after this time the call throws OutcomeUnknown. Default 30,000. */
  readonly withinMs?: number;
  /** Interval between reads of a record that is not yet final, ms; each read is a signed request. Default 500. */
  readonly pollMs?: number;
  /** Whether to sign unreadable drafts, if the venue's profile declares its drafts unreadable. Default false. */
  readonly allowBlindSigning?: boolean;
}

const SAFE_DEFAULTS = { withinMs: 30_000, pollMs: 500, allowBlindSigning: false } as const;

interface Pace {
  /** Options of each call; a call that would be sent after the time limit is not sent. */
  readonly options: CallOptions;
  /** Waits until the next read; returns false if the time limit would pass, or if the client was closed. */
  readonly wait: () => Promise<boolean>;
}

/** One change, from its signature to its final record. */
class Submission<R> {
  readonly #change: Change<R>;
  readonly #pubkey: string;
  readonly #signature: string;
  readonly #pace: Pace;
  #sent = false;
  /** True if a submit got no answer. Only a final record can then show that the submit had no effect. */
  #inDoubt = false;
  #lastSeen: R | undefined;

  constructor(change: Change<R>, pubkey: string, signature: string, pace: Pace) {
    this.#change = change;
    this.#pubkey = pubkey;
    this.#signature = signature;
    this.#pace = pace;
  }

  async run(): Promise<R> {
    let last: ServiceError | null = null;
    for (let submits = 0; submits < MOST_SUBMITS; submits++) {
      if (submits > 0 && !(await this.#pace.wait())) break;
      const answer = await settle(this.#change.submit(this.#pubkey, this.#signature, this.#pace.options));
      this.#sent ||= answer.ok || !(answer.error instanceof OutcomeUnknown) || answer.error.sent;
      if (answer.ok) return this.#end(answer.record, null);
      last = answer.error;
      if (last instanceof OutcomeUnknown && last.sent) this.#inDoubt = true;
      const seen = await this.#look();
      if (this.#change.getStage(seen) !== 'unsigned') return this.#end(seen, last);
      if (last instanceof ServiceRefused && !this.#inDoubt && !passes(last)) return this.#onRefusal(last);
    }
    if (last instanceof ServiceRefused && !this.#inDoubt) throw last;
    throw this.#makeUnknown(last instanceof OutcomeUnknown ? last.reason : 'the draft is still not submitted');
  }

  /** Reads the record a second time after a refused submit, because the submit may still change the record later. */
  async #onRefusal(refusal: ServiceRefused): Promise<R> {
    if (!(await this.#pace.wait())) throw this.#makeUnknown(`${refusal.message}; the record was read only once`);
    const again = await this.#look();
    if (this.#change.getStage(again) === 'unsigned') throw refusal;
    return this.#end(again, refusal);
  }

  /** Ends the change once its record is final. Throws for a failed change: the submit's refusal, or else NotDone. */
  async #end(record: R, refusal: ServiceError | null): Promise<R> {
    let seen = record;
    for (;;) {
      this.#lastSeen = seen;
      const stage = this.#change.getStage(seen);
      if (stage === 'done') return seen;
      if (isOver(stage)) return this.#over(seen, stage, refusal);
      if (!(await this.#pace.wait())) throw this.#makeUnknown('the record reached no final state in time');
      seen = await this.#look();
    }
  }

  async #over(record: R, why: (typeof OVER)[number], refusal: ServiceError | null): Promise<R> {
    if (why === 'expired' && this.#inDoubt) {
      // A second read is needed: a submit just before the expiry may appear in the record after a delay.
      if (!(await this.#pace.wait())) throw this.#makeUnknown('the expiry of the draft was not confirmed by a read');
      const again = await this.#look();
      if (!isOver(this.#change.getStage(again))) return this.#end(again, refusal);
    }
    if (refusal instanceof ServiceRefused) throw refusal;
    throw new NotDone(this.#change.endpoint, why, `the state of the record is ${why}`, this.#pubkey, record);
  }

  /** Reads the record of the change repeatedly, until a read succeeds or the time limit passes. */
  async #look(): Promise<R> {
    for (;;) {
      const answer = await settle(this.#change.read(this.#pubkey, this.#pace.options));
      if (answer.ok) {
        this.#lastSeen = answer.record;
        return answer.record;
      }
      if (!(await this.#pace.wait())) throw this.#makeUnknown(answer.error.message);
    }
  }

  #makeUnknown(reason: string): OutcomeUnknown {
    const facts = { sent: this.#sent, pubkey: this.#pubkey, record: this.#lastSeen };
    return new OutcomeUnknown(this.#change.endpoint, reason, facts);
  }
}

/** True for a temporary refusal, such as of a timestamp: the client then corrects its estimate of the venue's clock. */
const passes = (refusal: ServiceRefused): boolean =>
  refusal.is(...PASSING) || isClockRefusal(refusal.slug, refusal.reason);

type CallResult<R> = { readonly ok: true; readonly record: R } | { readonly ok: false; readonly error: ServiceError };

/** Returns the result of a call; an expected error is also returned as a result. Rethrows other errors. */
async function settle<R>(promise: Promise<R>): Promise<CallResult<R>> {
  try {
    return { ok: true, record: await promise };
  } catch (error) {
    if (error instanceof ServiceRefused || error instanceof OutcomeUnknown) return { ok: false, error };
    throw error;
  }
}

/** Time added to the latest accepted expiry of a draft, s, because clocks differ and times are rounded. */
const EXPIRY_SLACK_S = 60;
/** A draft signer finds drafts by intent id. Each signer made here has a single draft, which has this id. */
const INTENT_ID = 'safe call';

/** A draft that the service returned, together with the requested terms. */
interface DraftToSign {
  readonly pubkey: string;
  readonly message: string;
  readonly marketConditionId: string;
  /** The requested terms, which are never read from `message`. */
  readonly terms: DraftTerms;
}

/** Returns the signature, 128 hex characters. Throws NotDone for a draft that must not be signed. */
function signDraft(
  endpoint: EndpointName,
  draft: DraftToSign,
  wallet: Wallet,
  world: ChangeContext,
  allowBlindSigning: boolean,
): string {
  const { pubkey: draftPubkey, message, marketConditionId, terms } = draft;
  const objection = objectionToExpiry(message, world);
  if (objection !== null) throw new NotDone(endpoint, 'not_signed', objection, draftPubkey);
  const stored = { intentId: INTENT_ID, marketConditionId, draftPubkey, message, terms };
  const policy = { ...signingRules(world.profile, allowBlindSigning), loadDraft: () => stored };
  const result = wallet.draftSigner(policy).sign(INTENT_ID);
  if (result.ok) return result.signature;
  throw new NotDone(endpoint, 'not_signed', result.reason, draftPubkey);
}

/** Returns a reason against signing a draft that expires too late and could be submitted much later; else null. */
function objectionToExpiry(message: string, world: ChangeContext): string | null {
  const expires = readDraftMessage(world.profile.draft_message, message)?.expires;
  if (expires === undefined) return null;
  const leftS = expires - Math.floor(world.venueNowMs() / 1_000);
  const mostS = 2 * world.profile.draft_lifetime_s + EXPIRY_SLACK_S;
  return leftS > mostS ? `the draft expires in ${leftS} s, but at most ${mostS} s are accepted` : null;
}

/** Returns an order's terms for signing. Throws TwinbookError usage for text that is not a number. */
function orderTerms(order: OrderInput): DraftTerms {
  const head = { action: 'place-order', isYes: order.is_yes } as const;
  if (order.order_type === 'limit') {
    const [price, amount] = [decimal('price', order.price), decimal('amount', order.amount)];
    return { ...head, side: order.side, type: 'limit', price, amount };
  }
  return order.side === 'buy'
    ? { ...head, side: 'buy', type: 'market', funds: decimal('funds', order.funds) }
    : { ...head, side: 'sell', type: 'market', amount: decimal('amount', order.amount) };
}

/** Returns a margin request's terms for signing. Throws TwinbookError usage for text that is not a number. */
function marginTerms(request: MarginInput): DraftTerms {
  const { is_yes: isYes = true, leverage = 1 } = request;
  const times = leverage === 1 ? ONE : decimal('leverage', String(leverage));
  const head = { action: 'open-margin-position', isYes, leverage: times } as const;
  return request.type === 'market'
    ? { ...head, type: 'market', funds: decimal('funds', request.funds) }
    : { ...head, type: 'limit', price: decimal('price', request.price), shares: decimal('shares', request.shares) };
}

/** Parses decimal text. Throws TwinbookError usage for text that is not a decimal of at most six places. */
function decimal(name: string, text: string): Micros {
  const value = parseDecimal(text);
  if (value !== null) return value;
  throw new TwinbookError(
    'usage',
    `${name} must be decimal text with at most 6 places, got ${JSON.stringify(text)}`,
    'Write it as a decimal such as "0.62".',
  );
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

/** Returns the path of a profile in `config/venues/` of the package that contains this file, compiled or not. */
function shippedProfile(name: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return join(folder, 'config', 'venues', `${name}.yaml`);
}
