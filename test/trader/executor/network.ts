/** Network in virtual time between the executor and the real matching core. It loses, delays and repeats messages. */

import type { AccountSlot, Result } from '../../../src/exchange/core/contract.js';
import type { ExchangeCore } from '../../../src/exchange/core/core.js';
import type { Random } from '../../../src/shared/base/random.js';
import { ENDPOINTS } from '../../../src/shared/protocol/endpoints.js';
import { SERVICE_ERRORS } from '../../../src/shared/protocol/errors.js';
import type { Outcome, PlannedRequest } from '../../../src/shared/protocol/seam.js';
import { money } from '../../../src/shared/protocol/wire.js';

/** Probabilities of faults, all 0. */
export const CALM = {
  unsent: 0,
  requestLost: 0,
  answerLost: 0,
  serverErrorBefore: 0,
  /** A submit takes effect although its answer is an error. */
  errorAfterEffect: 0,
  throttled: 0,
  signingDown: 0,
  deliveredTwice: 0,
  /** A request arrives long after its sender's timeout. */
  late: 0,
  /** A list omits its newest row. */
  listBehind: 0,
};
export type Faults = Readonly<typeof CALM>;

/** Timeout of the client, ms. */
const TIMEOUT_MS = 3_000;
const LATE_MS = 25_000;

type Deliver = (outcome: Outcome, venueTimeMs: number | null) => void;

/** True if a signature over a text is the wallet's. */
type Verify = (text: string, signature: string) => boolean;

interface Happening {
  readonly atMs: number;
  readonly seq: number;
  readonly run: () => void;
}

export class Network {
  faults: Faults = CALM;
  readonly #core: ExchangeCore;
  readonly #account: AccountSlot;
  readonly #verify: Verify;
  readonly #random: Random;
  #queue: Happening[] = [];
  #seq = 0;
  nowMs: number;

  constructor(core: ExchangeCore, account: AccountSlot, verify: Verify, random: Random, nowMs: number) {
    this.#core = core;
    this.#account = account;
    this.#verify = verify;
    this.#random = random;
    this.nowMs = nowMs;
  }

  after(delayMs: number, run: () => void): void {
    this.#queue.push({ atMs: this.nowMs + Math.round(delayMs), seq: this.#seq++, run });
  }

  /** Runs all events that are due by a time, in order of time. */
  runUntil(untilMs: number): void {
    for (;;) {
      const next = this.#queue.reduce<Happening | null>(
        (first, each) =>
          first === null || each.atMs < first.atMs || (each.atMs === first.atMs && each.seq < first.seq) ? each : first,
        null,
      );
      if (next === null || next.atMs > untilMs) break;
      this.#queue = this.#queue.filter((each) => each !== next);
      this.nowMs = next.atMs;
      next.run();
    }
    this.nowMs = untilMs;
  }

  /** Sends one call; `deliver` is called exactly once. */
  send(request: PlannedRequest, deliver: Deliver): void {
    const { faults } = this;
    const hit = (probability: number) => this.#random.chance(probability);
    if (hit(faults.unsent)) {
      this.after(10, () => deliver({ kind: 'unknown', reason: 'its time was over', sent: false }, null));
      return;
    }
    let told = false;
    const tell: Deliver = (outcome, venueTimeMs) => {
      if (told) return;
      told = true;
      deliver(outcome, venueTimeMs);
    };
    this.after(TIMEOUT_MS, () => tell({ kind: 'unknown', reason: 'no answer in time', sent: true }, null));
    if (hit(faults.requestLost)) return;
    const thereMs = hit(faults.late) ? this.#random.below(LATE_MS) : 5 + this.#random.exponential(60);
    this.after(thereMs, () => this.#arrive(request, tell));
    if (hit(faults.deliveredTwice)) this.after(thereMs + this.#random.below(4_000), () => this.#effect(request));
  }

  #arrive(request: PlannedRequest, tell: Deliver): void {
    const { faults } = this;
    const hit = (probability: number) => this.#random.chance(probability);
    const venueMs = Math.floor(this.nowMs / 1000) * 1000;
    const back = (outcome: Outcome) =>
      this.after(5 + this.#random.exponential(60), () => tell(outcome, outcome.kind === 'unknown' ? null : venueMs));
    if (hit(faults.serverErrorBefore)) return back({ kind: 'unknown', reason: 'status 502', sent: true });
    if (hit(faults.throttled)) return back(refused('throttled'));
    if (request.lane === 'draft' && hit(faults.signingDown)) return back(refused('gringotts_unavailable'));
    const outcome = this.#effect(request);
    if (hit(faults.answerLost)) return;
    if (request.lane === 'submit' && hit(faults.errorAfterEffect)) return back(refused('internal_error'));
    back(this.#behind(request, outcome));
  }

  #behind(request: PlannedRequest, outcome: Outcome): Outcome {
    const list = request.call.endpoint === 'orders.list' || request.call.endpoint === 'trades.list';
    if (!list || outcome.kind !== 'answered' || !Array.isArray(outcome.data)) return outcome;
    if (!this.#random.chance(this.faults.listBehind)) return outcome;
    // The rows keep the schema of the list; one row is omitted.
    return { ...outcome, data: outcome.data.slice(1) as typeof outcome.data };
  }

  /** Executes a call at the exchange and returns its answer. */
  #effect({ call }: PlannedRequest): Outcome {
    const { nowMs } = this;
    const core = this.#core;
    const me = this.#account;
    const read = <T>(value: T | null): Result<T> =>
      value === null ? { ok: false, fault: { slug: 'not_found' } } : { ok: true, value };
    const valid = (kind: Parameters<ExchangeCore['draftMessage']>[0], pubkey: string, signature: string): boolean => {
      const text = core.draftMessage(kind, me, pubkey);
      return text !== null && this.#verify(text, signature);
    };
    core.advance(nowMs);
    const { orders, conversions, redeems } = core.at(nowMs);
    const answer = (): { result: Result<unknown>; next?: number | null } => {
      switch (call.endpoint) {
        case 'orders.create': {
          const { market_condition_id, is_yes, price, amount } = call.body;
          const side = call.body.side === 'buy' ? 'buy' : 'sell';
          const [p, a] = [money.parse(price), money.parse(amount)];
          const order = { market_condition_id, is_yes, side, order_type: 'limit', price: p, amount: a } as const;
          return { result: orders.draft(me, order) };
        }
        case 'orders.submit': {
          const { pubkey } = call.params;
          return { result: orders.submit(me, pubkey, valid('order', pubkey, call.body.signature)) };
        }
        case 'orders.detail':
          return { result: read(core.orders.row(me, call.params.pubkey)) };
        case 'orders.cancel':
          return { result: orders.draftCancel(me, call.params.pubkey) };
        case 'orders.cancelSubmit': {
          const { pubkey } = call.params;
          return { result: orders.submitCancel(me, pubkey, valid('cancel', pubkey, call.body.signature)) };
        }
        case 'orders.list':
          return { result: read(core.orders.page(me, { limit: 100, status: ['open', 'partially_filled'] }).rows) };
        case 'trades.list': {
          const { limit = 50, cursor } = call.query;
          const page = core.orders.trades(me, { limit, beforeId: cursor === undefined ? undefined : +cursor });
          return { result: read(page.rows), next: page.nextBeforeId };
        }
        case 'merges.create':
          return { result: conversions.draft('merge', me, call.body.market_condition_id, call.body.amount) };
        case 'merges.submit': {
          const { pubkey } = call.params;
          return { result: conversions.submit('merge', me, pubkey, valid('merge', pubkey, call.body.signature)) };
        }
        case 'merges.detail':
          return { result: read(core.conversions.records.merge.row(me, call.params.pubkey)) };
        case 'redeems.create':
          return { result: redeems.draft(me, call.body.market_condition_id) };
        case 'redeems.submit': {
          const { pubkey } = call.params;
          return { result: redeems.submit(me, pubkey, valid('redeem', pubkey, call.body.signature)) };
        }
        case 'redeems.detail':
          return { result: read(core.redeems.row(me, call.params.pubkey)) };
        default:
          throw new Error(`the test's network knows no ${call.endpoint}`);
      }
    };
    const { result, next = null } = answer();
    if (!result.ok) return refused(result.fault.slug);
    const data = ENDPOINTS[call.endpoint].data.parse(result.value);
    return { kind: 'answered', data, nextCursor: next === null ? null : String(next) };
  }
}

function refused(slug: keyof typeof SERVICE_ERRORS): Outcome {
  const { status, message } = SERVICE_ERRORS[slug];
  return { kind: 'refused', status, slug, message, details: [] };
}
