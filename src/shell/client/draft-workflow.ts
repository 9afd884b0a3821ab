/**
 * Runs one change from draft to final state. Only the record proves the outcome, not a submit's answer. A signature may
 * be sent again, because a draft takes effect once. A second draft is never made, because both could take effect.
 */

import { TwinbookError } from '../../shared/base/errors.js';
import { type Micros, ONE, parseDecimal } from '../../shared/base/micros.js';
import { readDraftMessage } from '../../shared/protocol/drafts/draft-message.js';
import type { DraftTerms } from '../../shared/protocol/drafts/draft-text.js';
import type { EndpointName } from '../../shared/protocol/endpoints.js';
import { isClockRefusal } from '../../shared/protocol/errors.js';
import type { PositionRow } from '../../shared/protocol/records.js';
import { signingRules } from '../wallet/draft-signer.js';
import type { Wallet } from '../wallet/wallet.js';
import type { HttpCaller } from './caller.js';
import type { Calls, MarginInput, OrderInput } from './calls.js';
import {
  type CallOptions,
  NotDone,
  type NotDoneReason,
  OutcomeUnknown,
  type ServiceError,
  ServiceRefused,
} from './contract.js';

const MOST_SUBMITS = 3;
/** Temporary refusals: the submit had no effect, and may be accepted later. */
const PASSING = ['throttled', 'gringotts_unavailable'] as const;

/** Progress of a change according to the service's record. */
export type Stage =
  /** According to the service's record, the draft was not submitted. */
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'landing' }
  | { readonly kind: 'done' }
  | { readonly kind: 'over'; readonly why: Exclude<NotDoneReason, 'not_signed'> };

/** The parts of a change that differ between order, cancel, merge and others. `R` is the type of its record. */
export interface Change<R> {
  /** The call that submits the change; errors carry its name. */
  readonly endpoint: EndpointName;
  readonly draft: (options: CallOptions) => Promise<DraftToSign>;
  readonly submit: (pubkey: string, signature: string, options: CallOptions) => Promise<R>;
  readonly read: (pubkey: string, options: CallOptions) => Promise<R>;
  readonly getStage: (record: R) => Stage;
}

/** Parts of the caller that the workflow needs. */
type World = Pick<HttpCaller, 'profile' | 'clock' | 'venueNowMs' | 'pause'>;

/** Time limit of a whole change, and limits of signing. */
export interface SafeOptions {
  /** Time limit of the whole change, ms; a later end is an OutcomeUnknown. Default 30,000. */
  readonly withinMs?: number;
  /** Interval between reads of a record that is not final, ms; each is a signed request. Default 500. */
  readonly pollMs?: number;
  /** Whether to sign unreadable drafts, if the venue's profile declares such drafts. Default false. */
  readonly allowBlindSigning?: boolean;
}

export const SAFE_DEFAULTS = { withinMs: 30_000, pollMs: 500, allowBlindSigning: false } as const;

type Pace = ReturnType<typeof startPace>;

/** Starts the time limit of a change, and returns its options and waits. */
function startPace(world: World, safe: SafeOptions) {
  const { withinMs, pollMs } = { ...SAFE_DEFAULTS, ...safe };
  const deadlineMs = world.clock.monotonicMs() + withinMs;
  return {
    /** Options of each call: a call that waits beyond the time limit is not sent. */
    options: { latestMs: world.clock.nowMs() + withinMs },
    /** Waits until the next read; returns false if the time limit would pass or the client was closed. */
    wait: async () => world.clock.monotonicMs() + pollMs < deadlineMs && (await world.pause(pollMs)),
  };
}

/** Resolves to the finished record. Throws ServiceRefused, NotDone, OutcomeUnknown. */
export async function runDraftWorkflow<R>(
  change: Change<R>,
  wallet: Wallet,
  world: World,
  safe: SafeOptions,
): Promise<R> {
  const pace = startPace(world, safe);
  const draft = await change.draft(pace.options);
  const signature = signDraft(change.endpoint, draft, wallet, world, safe.allowBlindSigning ?? false);
  return new Submission(change, draft.pubkey, signature, pace).run();
}

/** The part of a change from the signature to the end. */
class Submission<R> {
  readonly #change: Change<R>;
  readonly #pubkey: string;
  readonly #signature: string;
  readonly #pace: Pace;
  #sent = false;
  /** True if a submit had no answer. Only a final record can then show that it had no effect. */
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
      if (this.#change.getStage(seen).kind !== 'unsigned') return this.#end(seen, last);
      if (last instanceof ServiceRefused && !this.#inDoubt && !passes(last)) return this.#onRefusal(last);
    }
    if (last instanceof ServiceRefused && !this.#inDoubt) throw last;
    throw this.#makeUnknown(last instanceof OutcomeUnknown ? last.reason : 'the draft is still not submitted');
  }

  /** Reads the record again: it may change although its submit was refused, so one read is no proof. */
  async #onRefusal(refusal: ServiceRefused): Promise<R> {
    if (!(await this.#pace.wait())) throw this.#makeUnknown(`${refusal.message}, and its record was not read again`);
    const again = await this.#look();
    if (this.#change.getStage(again).kind === 'unsigned') throw refusal;
    return this.#end(again, refusal);
  }

  /** Ends by a record that is not an unsigned draft. `refusal`: answer to the submit, more precise than a state. */
  async #end(record: R, refusal: ServiceError | null): Promise<R> {
    let seen = record;
    for (;;) {
      this.#lastSeen = seen;
      const stage = this.#change.getStage(seen);
      if (stage.kind === 'done') return seen;
      if (stage.kind === 'over') return this.#over(seen, stage.why, refusal);
      if (!(await this.#pace.wait())) throw this.#makeUnknown('its record was not final in time');
      seen = await this.#look();
    }
  }

  async #over(record: R, why: Exclude<NotDoneReason, 'not_signed'>, refusal: ServiceError | null): Promise<R> {
    if (why === 'expired' && this.#inDoubt) {
      // The record shows a submit of the last moment with a delay, so one read proves nothing.
      if (!(await this.#pace.wait())) throw this.#makeUnknown('it seemed expired, and its record was not read again');
      const again = await this.#look();
      if (this.#change.getStage(again).kind !== 'over') return this.#end(again, refusal);
    }
    if (refusal instanceof ServiceRefused) throw refusal;
    throw new NotDone(this.#change.endpoint, why, `its record says ${why}`, this.#pubkey, record);
  }

  /** Reads the record, repeatedly until a read succeeds or the time limit passes. */
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

/** True for a temporary refusal. A refusal of a wrong clock has corrected our estimate. */
const passes = (refusal: ServiceRefused): boolean =>
  refusal.is(...PASSING) || isClockRefusal(refusal.slug, refusal.reason);

type Settled<R> = { readonly ok: true; readonly record: R } | { readonly ok: false; readonly error: ServiceError };

/** Returns the result of a call, with expected errors as a result too. Rethrows other errors. */
export async function settle<R>(promise: Promise<R>): Promise<Settled<R>> {
  try {
    return { ok: true, record: await promise };
  } catch (error) {
    if (error instanceof ServiceRefused || error instanceof OutcomeUnknown) return { ok: false, error };
    throw error;
  }
}

/** Position to close, and its worst price in its own outcome, decimal text; without a price at any price. */
export interface CloseInput {
  readonly pubkey: string;
  readonly price?: string;
}

/**
 * Closes a margin position and reads the position until the close. The request is never sent twice: a venue may execute
 * a repeat as another sale. Throws ServiceRefused, OutcomeUnknown.
 */
export async function closeMargin(
  positions: Calls['positions'],
  { pubkey, price }: CloseInput,
  world: World,
  safe: SafeOptions,
): Promise<PositionRow> {
  const { options, wait } = startPace(world, safe);
  const answer = await settle(positions.close(pubkey, price === undefined ? {} : { price }, options));
  const error = answer.ok ? null : answer.error;
  if (error instanceof OutcomeUnknown && !error.sent) throw error;
  let record: PositionRow | undefined;
  for (let looks = 1; ; looks++) {
    const seen = await settle(positions.detail(pubkey, options));
    if (seen.ok) record = seen.record;
    if (record?.is_closed) return record;
    // A record may change although the close was refused, and show it later, so one read is no proof.
    const isAnswered = seen.ok || seen.error instanceof ServiceRefused;
    if (error instanceof ServiceRefused && isAnswered && looks > 1) throw error;
    if (await wait()) continue;
    const reason = error instanceof OutcomeUnknown ? error.reason : 'it was not closed in time';
    throw new OutcomeUnknown('positions.close', reason, { sent: true, pubkey, record });
  }
}

/** Tolerance for the venue's clock and rounding in the latest accepted expiry of a draft, s. */
const EXPIRY_SLACK_S = 60;
/** The signer finds drafts by intent; this signer has a single draft. */
const INTENT_ID = 'safe call';

/** A draft as the service returned it, with the requested terms. */
export interface DraftToSign {
  readonly pubkey: string;
  readonly message: string;
  readonly marketConditionId: string;
  /** The terms that we requested; never read from `message`. */
  readonly terms: DraftTerms;
}

/** Returns the signature, 128 hex characters. Throws NotDone for an unsigned draft, which never takes effect. */
function signDraft(
  endpoint: EndpointName,
  draft: DraftToSign,
  wallet: Wallet,
  world: World,
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

/** Refuses a draft with a late expiry, which could be submitted long after its use; null without objection. */
function objectionToExpiry(message: string, world: World): string | null {
  const expires = readDraftMessage(world.profile.draft_message, message)?.expires;
  if (expires === undefined) return null;
  const leftS = expires - Math.floor(world.venueNowMs() / 1_000);
  const mostS = 2 * world.profile.draft_lifetime_s + EXPIRY_SLACK_S;
  return leftS > mostS ? `the draft expires in ${leftS} s, at most ${mostS} s are accepted` : null;
}

/** Returns an order's terms for signing. Throws TwinbookError usage for text that is not a number. */
export function orderTerms(order: OrderInput): DraftTerms {
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
export function marginTerms(request: MarginInput): DraftTerms {
  const { is_yes: isYes = true, leverage = 1 } = request;
  const times = leverage === 1 ? ONE : decimal('leverage', String(leverage));
  const head = { action: 'open-margin-position', isYes, leverage: times } as const;
  return request.type === 'market'
    ? { ...head, type: 'market', funds: decimal('funds', request.funds) }
    : { ...head, type: 'limit', price: decimal('price', request.price), shares: decimal('shares', request.shares) };
}

/** Parses decimal text. Throws TwinbookError usage for text that is not a decimal of at most six places. */
export function decimal(name: string, text: string): Micros {
  const value = parseDecimal(text);
  if (value !== null) return value;
  throw new TwinbookError(
    'usage',
    `${name} must be decimal text with at most 6 places, got ${JSON.stringify(text)}`,
    'Write it as a decimal such as "0.62".',
  );
}
