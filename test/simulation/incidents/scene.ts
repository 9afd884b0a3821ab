/**
 * The setup of one incident: the whole trader with its real ledger, the whole exchange and its crowd, and a network
 * whose only faults are those of the incident. The incident asserts its events; the setup asserts the final agreement.
 */

import { expect, it } from 'vitest';
import type { Wire } from '../../../src/exchange/core/contract.js';
import { micros } from '../../../src/shared/base/micros.js';
import type { AnyCall } from '../../../src/shared/protocol/seam.js';
import { differences, unsettled } from '../../trader/executor/agreement.js';
import type { Fate } from '../fates.js';
import { CALM } from '../faults.js';
import { FUNDS, type Setting, STANDARD } from '../setting.js';
import type { TraderProcess } from '../trader-process.js';
import { World } from '../world.js';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
/** One draft lifetime, and the slowest poll. */
const CALM_MS = STANDARD.profile.draft_lifetime_s * SECOND_MS + MINUTE_MS;
const STEP_MS = 50;
/** More room than the makers use: an incident may add orders that the trader cannot count. */
export const ROOMY: Setting = {
  ...STANDARD,
  limits: {
    ...STANDARD.limits,
    maxOpenOrders: 30,
    maxPositionSharesMicros: micros(150_000_000),
    maxEventPositionSharesMicros: micros(300_000_000),
  },
};

export class Scene {
  readonly world: World;
  /** Every sent call, oldest first. */
  readonly sent: { readonly call: AnyCall; readonly nowMs: number }[] = [];

  constructor(world: World) {
    this.world = world;
    this.calm();
  }

  /** Sets the fates from now on; null leaves a call to the calm network. */
  fates(of: (call: AnyCall, nowMs: number) => Fate | null): void {
    this.world.network.script = (call, nowMs) => {
      this.sent.push({ call, nowMs });
      return of(call, nowMs);
    };
  }

  /** No connection to the exchange succeeds for this time. */
  goesAway(ms: number): void {
    this.world.network.outageUntilMs = this.nowMs + ms;
  }

  /** Removes all faults. */
  calm(): void {
    this.fates(() => null);
  }

  /** The process that runs. */
  get process(): TraderProcess {
    const { process } = this.world;
    if (process === null) throw new Error('no process runs');
    return process;
  }

  get nowMs(): number {
    return this.world.timeline.nowMs;
  }

  pass(ms: number): void {
    this.world.pass(ms);
    expect(this.world.invariants.violations).toEqual([]);
  }

  /** Passes time until the condition holds; fails at the limit. */
  until(what: string, isSo: () => boolean, mostMs = 5 * MINUTE_MS): void {
    const endMs = this.nowMs + mostMs;
    while (!isSo()) {
      if (this.nowMs >= endMs) throw new Error(`within ${mostMs} ms it did not come to this: ${what}`);
      this.pass(STEP_MS);
    }
  }

  /** Passes time until an invariant breaks, as it must when the exchange breaks its promise. */
  untilBroken(violation: RegExp, mostMs = 5 * MINUTE_MS): void {
    const { violations } = this.world.invariants;
    this.world.pass(mostMs);
    expect(violations).toEqual([expect.stringMatching(violation)]);
    violations.splice(0);
  }

  /** Our orders that rest at the exchange. */
  get resting(): readonly Wire<'orderRow'>[] {
    return this.world.exchange.resting();
  }

  orderAtExchange(pubkey: string): Wire<'orderRow'> | null {
    const { core, account } = this.world.exchange;
    return core.orders.row(account, pubkey);
  }

  /** Number of our fills at the exchange. */
  get fillsAtExchange(): number {
    const { core, account } = this.world.exchange;
    return core.orders.trades(account, { limit: 100_000 }).rows.length;
  }

  get fillsBooked(): number {
    return this.process.ledger.fills({ limit: 100_000 }).length;
  }

  /** Kinds of the loud events that the ledger keeps. */
  get loud(): readonly string[] {
    return this.process.ledger
      .events(1_000)
      .filter(({ severity }) => severity === 'loud')
      .map(({ kind }) => kind);
  }

  /**
   * After calm the trader quotes, knows its resting orders and has all permissions; then everything is canceled, and
   * ledger and exchange agree, trade by trade and to the micro.
   * @param foreign orders of another program with our wallet, which the ledger must not contain
   */
  agrees(foreign: readonly string[] = []): void {
    const { world } = this;
    this.calm();
    this.pass(CALM_MS);
    world.invariants.knowsWhatRests();
    const { mode, reduceOnly } = this.process.trader.snapshot(world.ourMs);
    expect({ mode, reduceOnly }).toEqual({ mode: 'quoting', reduceOnly: null });
    expect(this.resting.length, 'orders rest').toBeGreaterThan(0);
    world.command({ kind: 'pause', reason: 'the incident is over' });
    this.pass(MINUTE_MS);
    expect(this.resting).toEqual([]);
    const { core, account } = world.exchange;
    const { ledger, executor } = this.process;
    const parties = { core, account, ledger, executor, markets: world.exchange.markets(), funds: FUNDS };
    const found = [...unsettled(parties), ...differences(parties)];
    expect(found.filter((text) => !foreign.some((pubkey) => text.includes(pubkey)))).toEqual([]);
    expect(world.invariants.violations).toEqual([]);
  }
}

/** A test of one incident. */
export const incident = (name: string, seed: number, script: (scene: Scene) => void): void =>
  it(name, () => play(seed, script));

/** The same, in a world with this setting. */
export const incidentIn = (setting: Setting, name: string, seed: number, script: (scene: Scene) => void): void =>
  it(name, () => play(seed, script, setting));

/** Runs one incident and removes its world. */
export function play(seed: number, script: (scene: Scene) => void, setting = STANDARD): void {
  const world = new World(seed, CALM, null, 'given', setting);
  try {
    script(new Scene(world));
  } finally {
    world.close();
  }
}

/** An answer's body with another list of rows. */
export const withRows =
  (change: (rows: Record<string, unknown>[]) => Record<string, unknown>[], cursor: 'kept' | 'ended' = 'kept') =>
  (text: string): string => {
    // A body of the exchange: a list's envelope, as `envelope.ts` writes it.
    const body = JSON.parse(text) as { data: Record<string, unknown>[]; meta: { next_cursor: string | null } };
    const next_cursor = cursor === 'ended' ? null : body.meta.next_cursor;
    return JSON.stringify({ ...body, data: change(body.data), meta: { ...body.meta, next_cursor } });
  };

/** An answer's body with another record. */
export const withRecord =
  (change: Record<string, unknown>) =>
  (text: string): string => {
    // As above: a single record's envelope.
    const body = JSON.parse(text) as { data: Record<string, unknown> };
    return JSON.stringify({ ...body, data: { ...body.data, ...change } });
  };
