/** A process of a trader that quotes by one strategy, without an exchange. */

import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { must } from '../../../../src/shared/base/errors.js';
import { act } from '../../../../src/trader/engine/act.js';
import type { StrategySettings, TraderSettings } from '../../../../src/trader/engine/settings.js';
import type { TraderState } from '../../../../src/trader/engine/state.js';
import { openLedger } from '../../../../src/trader/ledger/ledger.js';
import type { Strategy } from '../../../../src/trader/strategy/contract.js';
import { newFolder } from '../../../support/folders.js';
import { HOLDER } from '../../ledger/books.js';
import { detail } from '../../market/fixtures.js';
import { m, ONE } from '../../risk/states.js';
import { settingsOf, stateOf, strategyOf } from '../played-trader.js';

export const START_MS = Date.UTC(2026, 10, 22, 20);
/** The event of all markets but `LONE`. */
export const EVENT = 'E';
export const LONE = 'lone';

const detailOf = (id: string) =>
  detail({ condition_id: id, event: id === LONE ? null : { title: 'Which?', condition_id: EVENT, logo: null } });

const level = (price: number) => [{ price: m(price * ONE), total_amount: m(9 * ONE) }];

export class Life {
  readonly ledger;
  readonly state: TraderState;
  readonly #markets: readonly string[];
  #requestId = 0;

  /** @param path the ledger of an earlier process */
  constructor(
    module: Strategy,
    markets: readonly string[],
    settings: Partial<TraderSettings> = {},
    path = join(newFolder(), 'ledger.sqlite'),
  ) {
    this.#markets = markets;
    this.ledger = openLedger(path, HOLDER);
    onTestFinished(() => this.ledger.close());
    const runId = `run${this.ledger.runs().length}`;
    this.state = stateOf(this.ledger, settingsOf({ runId, strategies: [strategyOf(markets, module)], ...settings }));
    this.state.safety.modes.isStarted = true;
    // A process that started long ago: nothing waits for a first poll.
    this.state.clock.bornMs = START_MS - 1_000_000;
    this.ledger.transaction(() => {
      this.ledger.startRun({ id: runId, version: '0', configHash: 'hash', startedMs: START_MS });
      this.ledger.setCapital(m(1000 * ONE), START_MS);
    });
  }

  /** Ends this process, and begins the next one on its ledger. */
  restart(module: Strategy): Life {
    this.ledger.close();
    return new Life(module, this.#markets, {}, this.ledger.path);
  }

  /** Polls these markets, and runs the next turn. */
  step(nowMs: number, looked: readonly string[], phase: 'open' | 'resolved' = 'open'): void {
    const { state } = this;
    const at = { requestId: ++this.#requestId, sentMs: nowMs, seenMs: nowMs, venueTimeMs: null };
    this.ledger.transaction(() => {
      for (const id of looked) {
        const entry = state.markets.track(id);
        state.markets.onDetail(entry, { ...detailOf(id), state: phase }, at);
        entry.feed.onBook({ market: id, is_yes: true, bid: level(0.4), ask: level(0.5) }, at, []);
        state.markets.requestRequote(id);
      }
      act(state, nowMs);
    });
  }

  /** Takes over changed settings of the strategies. */
  configure(change: (strategy: StrategySettings) => Partial<StrategySettings>, nowMs: number): void {
    const { state } = this;
    const strategies = state.settings.strategies.map((one) => ({ ...one, ...change(one) }));
    state.settings = { ...state.settings, strategies };
    this.ledger.transaction(() => state.markets.configure(state.settings, nowMs));
  }

  slot(id: string) {
    return must(this.state.markets.listSlots(id)[0], `slot in ${id}`);
  }

  notes(...ids: readonly string[]) {
    return ids.map((id) => this.slot(id).quotes.note);
  }
}
