/** A trader without a signer, for tests of the engine: its settings, its state, and an immediate exchange. */

import type { OperatorCommand, Outcome, Request } from '../../../src/shared/protocol/seam.js';
import type { StrategySettings, TraderSettings } from '../../../src/trader/engine/settings.js';
import { TraderState } from '../../../src/trader/engine/state.js';
import { Trader } from '../../../src/trader/engine/trader.js';
import { Executor } from '../../../src/trader/executor/executor.js';
import type { Ledger } from '../../../src/trader/ledger/contract.js';
import { USUAL_ECONOMICS } from '../../../src/trader/strategy/economics.js';
import {
  defineStrategy,
  NO_QUOTES,
  type Quoter,
  type Quotes,
  type Strategy,
} from '../../../src/trader/strategy/strategy.js';
import { BENCH_PROFILE } from '../../bench/bench-trader.js';
import { limitsOf, m, ONE } from '../risk/states.js';
import { POLLING } from '../scheduler/world.js';

export const START_MS = 1_700_000_000_000;

/** A strategy of markets with these quotes. */
export const strategyWith = (quote: Quoter['quote']) =>
  defineStrategy({ name: 'tested', summary: 'Quotes in tests.', params: {}, create: () => ({ quote }) });

/** Quotes of at most one level a side. */
export function wish(fair: number, bid: number | null, ask: number | null = null, shares = 10): Quotes {
  const levels = (price: number | null) =>
    price === null ? [] : [{ priceMicros: m(Math.round(price * ONE)), amountMicros: m(shares * ONE) }];
  return { ...NO_QUOTES('quotes'), fairMicros: m(fair * ONE), bids: levels(bid), asks: levels(ask) };
}

const quiet = strategyWith(() => NO_QUOTES('nothing'));

/** Without ids it quotes the markets of the catalog. */
export const strategyOf = (ids: readonly string[], module: Strategy = quiet, risk = limitsOf()): StrategySettings => ({
  name: module.name,
  module,
  params: {},
  quoteHours: null,
  risk,
  markets: { ids, state: 'open', categories: [], max: 9 },
});

export const settingsOf = (changes: Partial<TraderSettings> = {}): TraderSettings => ({
  runId: 'run',
  configHash: 'hash',
  version: '0',
  profile: BENCH_PROFILE,
  capitalMicros: m(1000 * ONE),
  risk: limitsOf(),
  polling: { ...POLLING, quietIntervalMs: 1000, assetsIntervalMs: 60_000 },
  merge: { enabled: false, minSharesMicros: m(1) },
  economics: USUAL_ECONOMICS,
  events: [],
  strategies: [],
  boundedCall: (call) => call(),
  ...changes,
});

const NO_SIGNER = { sign: () => ({ ok: false, reason: 'nothing is signed here' }) as const };

/** Inputs of an executor without signatures. */
export const unsigning = (
  ledger: Ledger,
  { runId, configHash }: TraderSettings,
): ConstructorParameters<typeof Executor> => [ledger, NO_SIGNER, BENCH_PROFILE, { runId, configHash, ownPollMs: 1000 }];

export const stateOf = (ledger: Ledger, settings = settingsOf()): TraderState =>
  new TraderState(settings, ledger, new Executor(...unsigning(ledger, settings)));

export const NOTHING: Outcome = { kind: 'answered', data: [] as never, nextCursor: null };

export const traderOf = (
  ledger: Ledger,
  settings = settingsOf(),
  nowMs = START_MS,
  executor = new Executor(...unsigning(ledger, settings)),
): Trader => new Trader(settings, ledger, executor, nowMs);

/** A trader with an exchange that answers at once. */
export class PlayedTrader {
  readonly trader: Trader;
  nowMs: number;
  readonly #answerTo: (request: Request) => Outcome | null;

  /** @param answerTo null leaves a request without an answer */
  constructor(trader: Trader, answerTo: (request: Request) => Outcome | null, nowMs = START_MS) {
    this.trader = trader;
    this.nowMs = nowMs;
    this.#answerTo = answerTo;
  }

  get mode(): string {
    return this.trader.snapshot(this.nowMs).mode;
  }

  /** Passes this number of seconds, with a beat every tenth of one. */
  pass(seconds: number): void {
    for (const endMs = this.nowMs + seconds * 1000; this.nowMs < endMs; this.nowMs += 100)
      this.#answer(this.trader.handle({ kind: 'time', nowMs: this.nowMs }));
  }

  command(command: OperatorCommand): void {
    this.#answer(this.trader.handle({ kind: 'command', command, nowMs: this.nowMs }));
  }

  #answer(requests: readonly Request[]): void {
    for (const request of requests) {
      const outcome = this.#answerTo(request);
      if (outcome !== null) this.tell(request.id, outcome);
    }
  }

  tell(requestId: number, outcome: Outcome): void {
    const { nowMs } = this;
    const when = { nowMs, sentMs: nowMs, venueTimeMs: nowMs, budget: null };
    this.#answer(this.trader.handle({ kind: 'outcome', requestId, outcome, ...when }));
  }
}
