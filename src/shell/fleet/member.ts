/** A trader in its fleet. `Lease` decides what may be signed; `FleetMember` renews the lease in the background. */

import { randomBytes } from 'node:crypto';
import { hostname, uptime } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf, TwinbookError } from '../../shared/base/errors.js';
import { formatDecimal, type Micros, micros } from '../../shared/base/micros.js';
import type { FleetConfig } from '../config/config.js';
import { FleetDatabase } from './database.js';
import {
  DatabaseDesk,
  type Expected,
  type OwnerCandidate,
  type OwnerRow,
  requireTables,
  type TakenLease,
  type TraderSummary,
} from './owner-desk.js';

/** A time on one machine, by three clocks that stop or jump in different cases. */
export interface Instant {
  /** Time of a clock that never jumps, ms; on Linux it stops while the machine sleeps. */
  readonly steadyMs: number;
  /** Time since the machine's start, ms; includes sleep. */
  readonly bootMs: number;
  /** Unix time, ms; it may be set. After a pause of a virtual machine only this clock may have advanced. */
  readonly wallMs: number;
}

/** The margin is this fraction of the lease, so two machines' clocks may differ by a fifth in speed. */
const MARGIN_SHARE = 5;
const LEAST_MARGIN_MS = 500;

/** Returns the times that follow from the length of a lease, ms. */
export const rulesOf = (leaseMs: number) => ({
  leaseMs,
  /** Safety margin, ms. The holder stops signing earlier by this time; the next owner waits longer by this time. */
  marginMs: Math.max(LEAST_MARGIN_MS, leaseMs / MARGIN_SHARE),
  /** Time without a renewal after which all orders are canceled, ms, so that they are gone before the lease ends. */
  pullMs: leaseMs / 2,
  renewMs: leaseMs / 6,
});

type LeaseRules = Readonly<ReturnType<typeof rulesOf>>;

/**
 * - `none`: the wallet is not ours
 * - `held`: orders may be signed
 * - `failing`: renewal has failed for a while; all orders must be canceled
 * - `over`: only cancels may be signed
 * - `lost`: another trader has the wallet and owns all resting orders
 */
type LeaseStanding = 'none' | 'held' | 'failing' | 'over' | 'lost';

/**
 * Decides who may sign for a wallet, as a pure state machine. It never compares clocks of two machines. The holder
 * counts from before its request, by its fastest clock, and stops a margin early. The next owner counts from after it
 * saw the newest renewal, by its slowest clock, plus a margin. So the holder stops before the next owner begins.
 */
export class Lease {
  readonly rules: LeaseRules;
  term = 0;
  /** Owner of the wallet after we lost it; null while we have not lost it. */
  successor: OwnerRow | null = null;
  /** The last row that was read; null for an unknown wallet, undefined before the first read. */
  #owner: OwnerRow | null | undefined;
  /** Time when the owner's newest renewal was first seen, steady clock, ms. */
  #seenMs = 0;
  #renewedAt: Instant | null = null;

  constructor(rules: LeaseRules) {
    this.rules = rules;
  }

  /** Records the owner's row; null for an unknown wallet. `at`: time after the answer. */
  see(row: OwnerRow | null, at: Instant): void {
    const known = this.owner;
    if (row && known?.term === row.term && known.renewal === row.renewal && known.isFree === row.isFree) return;
    this.#owner = row;
    this.#seenMs = at.steadyMs;
  }

  get owner(): OwnerRow | null {
    return this.#owner ?? null;
  }

  /** Time until the lease may be taken if the owner does not renew, ms; 0 if it may be taken now. */
  waitMs(now: Instant): number {
    if (this.#owner === undefined) return Number.POSITIVE_INFINITY;
    if (this.#owner === null || this.#owner.isFree) return 0;
    const { leaseMs, marginMs } = rulesOf(this.#owner.leaseMs);
    return Math.max(0, leaseMs + marginMs - (now.steadyMs - this.#seenMs));
  }

  /** Returns the row that `take` must find unchanged in the database; undefined while no attempt is allowed. */
  expected(now: Instant): Expected | undefined {
    return this.successor !== null || this.waitMs(now) > 0 ? undefined : this.owner;
  }

  /** Starts the lease after the database has granted it. `askedAt`: time before the request. */
  take(term: number, askedAt: Instant): void {
    this.term = term;
    this.renew(askedAt);
  }

  /** Extends the lease after the database has renewed it. `askedAt`: time before the request. */
  renew(askedAt: Instant): void {
    this.#renewedAt = askedAt;
  }

  /** Records that the database shows another owner. This state is final. */
  lose(successor: OwnerRow | null): void {
    this.successor = successor ?? UNKNOWN_OWNER;
  }

  /** Ends the lease after the wallet was released. */
  end(): void {
    this.#renewedAt = null;
  }

  standing(now: Instant): LeaseStanding {
    if (this.successor !== null) return 'lost';
    if (this.#renewedAt === null) return 'none';
    const sinceMs = elapsedMs(this.#renewedAt, now);
    if (sinceMs >= this.rules.leaseMs - this.rules.marginMs) return 'over';
    return sinceMs >= this.rules.pullMs ? 'failing' : 'held';
  }

  /** Time in which no other trader can get the wallet, ms; 0 if another trader may. */
  oursForMs(now: Instant): number {
    if (this.successor !== null || this.#renewedAt === null) return 0;
    return Math.max(0, this.rules.leaseMs - elapsedMs(this.#renewedAt, now));
  }
}

/** Returns the elapsed time by the clock that advanced most, ms. */
const elapsedMs = (from: Instant, to: Instant): number =>
  Math.max(0, to.steadyMs - from.steadyMs, to.bootMs - from.bootMs, to.wallMs - from.wallMs);

/** Successor of a wallet that was removed from the fleet. */
const UNKNOWN_OWNER: OwnerRow = { holder: '', instance: '', term: 0, renewal: 0, leaseMs: 0, isFree: true };

/** Longest interval between reads of the lease while waiting for the wallet, ms. */
const LONGEST_LOOK_MS = 1_000;

const readInstant = (): Instant => ({
  steadyMs: performance.now(),
  bootMs: uptime() * 1000,
  wallMs: Date.now(),
});

export interface MemberOptions {
  readonly config: FleetConfig;
  readonly wallet: string;
  readonly password: string | null;
  readonly capitalMicros: Micros;
  readonly say: (text: string) => void;
  readonly isStopping: () => boolean;
}

export interface MemberHooks {
  /** Returns the trader's summary for the database; null without data yet. */
  summarize(): TraderSummary | null;
  /** Markets that are quoted or have own orders or shares; null before own data has been read. */
  wanted(): readonly string[] | null;
  onChange(): void;
}

export class FleetMember {
  /** Other files only read the lease. */
  readonly lease: Lease;
  /** Markets that belong to this trader alone. */
  markets: readonly string[] = [];
  /** Reason of the last renewal's failure; null after a success. */
  trouble: string | null = null;
  readonly #options: MemberOptions;
  readonly #candidate: OwnerCandidate;
  #desk: DatabaseDesk | null = null;
  #running: MemberHooks | null = null;
  /** Whether dropped markets must still be released, which happens after the trader knows of their loss. */
  #toGiveBack = false;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  #isClosed = false;

  private constructor(options: MemberOptions) {
    const { config, wallet } = options;
    this.#options = options;
    this.lease = new Lease(rulesOf(config.leaseMs));
    this.#candidate = {
      wallet,
      holder: config.name,
      instance: randomBytes(12).toString('hex'),
      machine: hostname(),
      leaseMs: config.leaseMs,
    };
  }

  /**
   * Takes the lease after the previous owner has released it. If the owner was this trader before a crash, or `standby`
   * is set, it waits until the lease expires. Null if the operator stopped the wait. Rejects with `fleet_unusable`, or
   * with `wallet_taken` if another trader holds the lease.
   */
  static async join(options: MemberOptions): Promise<{ member: FleetMember; isSettled: boolean } | null> {
    const member = new FleetMember(options);
    let isSettled: boolean | null = null;
    try {
      isSettled = await member.#join();
    } finally {
      if (isSettled === null) await member.close();
    }
    return isSettled === null ? null : { member, isSettled };
  }

  get standing(): LeaseStanding {
    return this.lease.standing(readInstant());
  }

  /** Time in which no other trader can get the wallet, ms. */
  get oursForMs(): number {
    return this.lease.oursForMs(readInstant());
  }

  /** Returns the reason why only cancels may be signed or sent now; null if everything may. */
  objection(): string | null {
    const { standing } = this;
    if (standing === 'held' || standing === 'failing') return null;
    return standing === 'lost' ? 'another trader of the fleet has the wallet' : 'the lease on the wallet is over';
  }

  /** Sets the hooks for later renewals. */
  attach(running: MemberHooks): void {
    this.#running = running;
  }

  /** Call when no order of the previous owner can rest. From now on the capital is that of the configuration. */
  async settle(): Promise<void> {
    const desk = await this.#open();
    await desk.settle(this.lease.term);
    await this.#grant(desk, this.#options.capitalMicros);
  }

  /** Releases the lease for the next owner. Call it when no order rests and none will follow. Never rejects. */
  async release(keptMicros: Micros, reason = 'stopped in order'): Promise<void> {
    this.#stopRenewing();
    await this.#turn;
    try {
      if (this.standing === 'lost') return;
      await (await this.#open()).release(this.lease.term, keptMicros, reason);
      this.lease.end();
    } catch (error) {
      this.#options.say(
        `warning: the lease on the wallet could not be released, and expires later: ${messageOf(error)}`,
      );
    }
  }

  /** Closes the connection. Without an earlier `release` the lease expires. */
  async close(): Promise<void> {
    this.#stopRenewing();
    await this.#turn;
    await this.#desk?.close();
    this.#desk = null;
  }

  async #join(): Promise<boolean | null> {
    const { isStopping } = this.#options;
    let isFirst = true;
    while (!isStopping()) {
      try {
        const isSettled = await this.#tryToTake();
        if (isSettled !== null) {
          this.#schedule(0);
          return isSettled;
        }
      } catch (error) {
        // While waiting, a failed database is tried again; at the first attempt it ends the start.
        if (isFirst || !(error instanceof TwinbookError) || error.code !== 'fleet_unusable') throw error;
        this.#drop();
      }
      isFirst = false;
      const waitMs = Math.min(LONGEST_LOOK_MS, this.lease.rules.renewMs, this.lease.waitMs(readInstant()));
      await pause(Math.max(50, waitMs));
    }
    return null;
  }

  /** Null while the lease may not be taken; else whether the previous owner's orders are proven gone. */
  async #tryToTake(): Promise<boolean | null> {
    const desk = await this.#open();
    const before = this.lease.owner;
    const row = await desk.look();
    this.lease.see(row, readInstant());
    if (row !== null && !row.isFree) this.#refuseOrSay(row, before);
    const askedAt = readInstant();
    const expected = this.lease.expected(askedAt);
    if (expected === undefined) return null;
    const taken = await desk.take(expected);
    if (taken === null) return null;
    this.lease.take(taken.term, askedAt);
    await this.#grantFirst(desk, taken);
    return taken.isSettled;
  }

  /** Requests capital. While orders of the previous owner may rest, at least its capital stays reserved. */
  async #grantFirst(desk: DatabaseDesk, { isSettled, grantedMicros }: TakenLease): Promise<void> {
    const { capitalMicros } = this.#options;
    try {
      await this.#grant(desk, isSettled ? capitalMicros : micros(Math.max(capitalMicros, grantedMicros)));
    } catch (error) {
      // The release is safe, because no order was signed under this lease.
      if (isSettled) await desk.release(this.lease.term, grantedMicros, 'the fleet had no capital left for it');
      throw error;
    }
  }

  async #grant(desk: DatabaseDesk, wanted: Micros): Promise<void> {
    const answer = await desk.grant(this.lease.term, wanted);
    if (answer.kind === 'granted') return;
    if (answer.kind === 'fenced') throw taken(this.#options.wallet, null);
    const free = formatDecimal(micros(Math.max(0, answer.capitalMicros - answer.othersMicros)));
    const all = formatDecimal(micros(answer.capitalMicros));
    const text = `capital: ${formatDecimal(wanted)} is more than the ${free} that the fleet has left of ${all}`;
    const hint =
      'Lower `capital`, or raise that of the fleet with `twinbook fleet init --capital N`; `twinbook fleet status` shows who has it.';
    throw new TwinbookError('fleet_unusable', text, hint);
  }

  /** Throws unless this trader may wait: a standby for any wallet, every trader for its own after a crash. */
  #refuseOrSay(row: OwnerRow, before: OwnerRow | null): void {
    const { config, wallet, say } = this.#options;
    const isOwnName = row.holder === config.name;
    if (!config.standby && !isOwnName) throw taken(wallet, row);
    const isAlive = before !== null && before.instance === row.instance && before.renewal !== row.renewal;
    if (isOwnName && isAlive && !config.standby) throw twoOfOneName(row);
    if (before?.instance === row.instance) return;
    const seconds = Math.ceil(this.lease.waitMs(readInstant()) / 1000);
    const who = isOwnName ? 'the previous run of this trader' : row.holder;
    say(`waiting for the wallet ${wallet}: ${who} has it, and it becomes free ${seconds} s after the last renewal`);
  }

  #stopRenewing(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #schedule(afterMs: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#turn = this.#renew().finally(() => this.#schedule(this.lease.rules.renewMs));
    }, afterMs);
  }

  /** Renews the lease and the claims on markets. Never rejects. */
  async #renew(): Promise<void> {
    try {
      const desk = await this.#open();
      const askedAt = readInstant();
      const answer = await desk.renew(this.lease.term, this.#running?.summarize() ?? null);
      if (answer.kind === 'fenced') {
        this.lease.lose(answer.owner);
        this.#stopRenewing();
      } else {
        this.lease.renew(askedAt);
        await this.#updateMarkets(desk);
      }
      this.trouble = null;
    } catch (error) {
      this.trouble = messageOf(error);
      this.#drop();
    }
    this.#running?.onChange();
  }

  async #updateMarkets(desk: DatabaseDesk): Promise<void> {
    const wanted = this.#running?.wanted() ?? null;
    if (wanted === null) return;
    if (this.#toGiveBack) {
      await desk.keepOnly(this.lease.term, this.markets);
      this.#toGiveBack = false;
    }
    const missing = wanted.filter((market) => !this.markets.includes(market));
    const ours = missing.length === 0 ? [] : await desk.claim(this.lease.term, missing);
    const kept = this.markets.filter((market) => wanted.includes(market));
    this.#toGiveBack = kept.length < this.markets.length;
    this.markets = [...kept, ...ours];
  }

  /** Returns the open connection; replaces a failed connection. */
  async #open(): Promise<DatabaseDesk> {
    if (this.#desk !== null) return this.#desk;
    const { config, password } = this.#options;
    const { renewMs, leaseMs, marginMs } = this.lease.rules;
    const database = await FleetDatabase.open({
      server: config.database,
      password,
      answerMs: Math.max(1_000, renewMs),
      idleMs: leaseMs + marginMs,
      name: `twinbook ${config.name}`,
    });
    try {
      await requireTables(database);
    } catch (error) {
      await database.close();
      throw error;
    }
    this.#desk = new DatabaseDesk(database, this.#candidate);
    return this.#desk;
  }

  #drop(): void {
    void this.#desk?.close();
    this.#desk = null;
  }
}

function taken(wallet: string, row: OwnerRow | null): TwinbookError {
  const who = row === null ? 'another trader' : `${row.holder} (term ${row.term})`;
  const hint =
    'Stop that trader, or set `fleet.standby: true` to take over after its last renewal; `twinbook fleet status` shows its age.';
  return new TwinbookError('wallet_taken', `the wallet ${wallet} is traded by ${who} of the fleet`, hint);
}

function twoOfOneName({ holder }: OwnerRow): TwinbookError {
  const text = `another running trader of the fleet has the same name ${holder} (fleet.name)`;
  return new TwinbookError('wallet_taken', text, 'Give each trader of the fleet its own name.');
}
