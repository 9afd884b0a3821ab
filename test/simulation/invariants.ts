/** What must hold at every moment, whatever the network does. What must hold after calm is `executor/agreement.ts`. */

import { declarationOf, type Scope } from '../../src/protocol/endpoints.js';
import type { OperatorCommand, Request } from '../../src/protocol/seam.js';
import { isSettledMarket } from '../../src/protocol/states.js';
import { money } from '../../src/protocol/wire.js';
import type { ExchangeSide } from './exchange-side.js';
import { LIMITS, PROFILE } from './setting.js';
import type { TraderProcess } from './trader-process.js';

const WINDOW_MS = 60_000;

export class Invariants {
  readonly violations: string[] = [];
  readonly #exchange: ExchangeSide;
  readonly #sent: Readonly<Record<Scope, number[]>> = { public: [], signed: [], bootstrap: [] };
  /** Orders of an operator under which nothing new may be submitted. */
  readonly #holds = new Set<'killed' | 'paused' | 'stopping'>();

  constructor(exchange: ExchangeSide) {
    this.#exchange = exchange;
  }

  say(violation: string): void {
    // The same one at every later step would only bury the others.
    if (this.violations.length < 20 && !this.violations.includes(violation)) this.violations.push(violation);
  }

  /** A command has been taken in, durably. */
  commanded({ kind }: OperatorCommand): void {
    if (kind === 'kill') this.#holds.add('killed');
    if (kind === 'unkill') this.#holds.delete('killed');
    if (kind === 'pause') this.#holds.add('paused');
    // Flattening sells what is held; it leaves the trader paused.
    if (kind === 'resume' || kind === 'flatten') this.#holds.delete('paused');
    if (kind === 'stop') this.#holds.add('stopping');
  }

  /** Stopping is a process's own; kill and pause outlive it. */
  restarted(): void {
    this.#holds.delete('stopping');
  }

  /** The trader's core has let this request go. Invariants 6 and 9. */
  released({ call }: Request, { ledger }: TraderProcess): void {
    if (call.endpoint === 'orders.submit' && this.#holds.size > 0) {
      this.say(`a submit left while ${[...this.#holds].join()}: ${call.params.pubkey}`);
    }
    const { body } = call;
    if (body === undefined || !('signature' in body)) return;
    const stored = ledger.activeIntents().some(({ signature }) => signature === body.signature);
    if (!stored) this.say(`a signature left that is not stored: ${JSON.stringify(call.params)}`);
  }

  /** A request leaves for the network; over all processes, never more than the venue allows. */
  left({ call }: Request, nowMs: number): void {
    const { scope } = declarationOf(call.endpoint);
    const sent = this.#sent[scope];
    sent.push(nowMs);
    while ((sent[0] ?? nowMs) <= nowMs - WINDOW_MS) sent.shift();
    const limit = PROFILE.rate_limits[`${scope}_per_minute`];
    if (sent.length > limit) this.say(`more than ${limit} ${scope} requests left within a minute`);
  }

  /** What rests at the exchange has changed by our doing. Invariant 8, read off the exchange alone. */
  placed(): void {
    const { core, account } = this.#exchange;
    const resting = this.#exchange.resting();
    if (resting.length > LIMITS.maxOpenOrders) this.say(`${resting.length} orders rest`);
    const worst = new Map<string, { up: number; down: number }>();
    for (let index = 0; index < core.marketCount; index++) {
      const { conditionId, state } = core.marketFacts(index);
      if (isSettledMarket(state)) continue;
      const { yes, no } = core.holdingOf(account, index);
      worst.set(conditionId, { up: yes - no, down: no - yes });
    }
    for (const { market, outcome, side, remaining_amount } of resting) {
      const extremes = worst.get(market.condition_id);
      if (extremes === undefined) continue;
      const remaining = money.parse(remaining_amount ?? '0');
      if ((side === 'buy') === outcome.is_yes) extremes.up += remaining;
      else extremes.down += remaining;
    }
    const events = new Map<number, number>();
    for (const [conditionId, { up, down }] of worst) {
      const position = Math.max(up, down);
      if (position > LIMITS.maxPositionSharesMicros) this.say(`${position} may be held in market ${conditionId}`);
      const event = core.marketFacts(core.marketIndexOf(conditionId) ?? 0).eventIndex;
      events.set(event, (events.get(event) ?? 0) + position);
    }
    for (const [event, sum] of events) {
      if (sum > LIMITS.maxEventPositionSharesMicros) this.say(`${sum} may be held in event ${event}`);
    }
  }

  /** Nothing rests when the trader says that it has been proven. */
  looked({ trader, ledger }: TraderProcess, ourMs: number): void {
    const { proven, mode } = trader.snapshot(ourMs);
    const rests = this.#exchange.resting().length;
    if (proven && rests > 0) this.say(`proven (${mode}) while ${rests} orders rest`);
    const inside = ledger.verify();
    if (inside.length > 0) this.say(`the ledger contradicts itself: ${inside.join('; ')}`);
  }

  /** Invariant 5: whatever rests is known to the trader, as resting or as possibly so. */
  knowsWhatRests({ executor, ledger }: TraderProcess): void {
    const known = new Set(executor.reservations().map(({ intentId }) => intentId));
    for (const { pubkey } of this.#exchange.resting()) {
      const intent = ledger.order(pubkey ?? '')?.intentId;
      if (intent === undefined || !known.has(intent)) this.say(`order ${pubkey} rests and is not known`);
    }
  }
}
