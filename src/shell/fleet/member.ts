/** A trader as a member of a fleet. `Lease` decides what may be signed; `FleetMember` renews the lease regularly. */

import { randomBytes } from 'node:crypto';
import { hostname, uptime } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf, TwinbookError } from '../../shared/base/errors.js';
import { formatDecimal, type Micros, micros } from '../../shared/base/micros.js';
import type { FleetConfig } from '../config/config.js';
import { FleetDatabase } from './database.js';
import { DatabaseDesk, requireTables, type TraderSummary } from './owner-desk.js';

type OwnerRow = NonNullable<Awaited<ReturnType<DatabaseDesk['look']>>>;

/** A moment on one machine, read from three clocks. Each clock stops or jumps in different cases. */
interface Instant {
  /** Monotonic clock, ms; on Linux this clock stops while the machine sleeps. */
  readonly steadyMs: number;
  /** Time since the machine's start, ms, including sleep. */
  readonly bootMs: number;
  /** Unix time, ms; users can set it. After a virtual machine was paused, only the Unix time may have advanced. */
  readonly wallMs: number;
}

/** Length of the lease divided by the safety margin: two machines' clocks may differ in speed by a fifth. */
const MARGIN_SHARE = 5;
const LEAST_MARGIN_MS = 500;

/** Returns the periods that follow from the length of a lease, ms. */
export const rulesOf = (leaseMs: number) => ({
  leaseMs,
  /** Safety margin, ms, between the last signature and the lease's end, and between that end and the next owner. */
  marginMs: Math.max(LEAST_MARGIN_MS, leaseMs / MARGIN_SHARE),
  /** Time without a renewal after which all orders are canceled, ms: no order may rest at the lease's end. */
  pullMs: leaseMs / 2,
  renewMs: leaseMs / 6,
});

type LeaseRules = Readonly<ReturnType<typeof rulesOf>>;

/**
 * - `none`: this trader does not have the wallet
 * - `held`: orders may be signed
 * - `failing`: the lease was not renewed for half its length; all orders must be canceled
 * - `over`: the lease is about to expire or has expired; only cancels may be signed
 * - `lost`: another trader has the wallet and owns all resting orders
 */
type LeaseStanding = 'none' | 'held' | 'failing' | 'over' | 'lost';

/**
 * Decides whether this trader may sign for its wallet. Clocks of two machines are never compared. The owner measures
 * the lease from its own request, by its fastest clock, and stops signing one margin early. The next owner measures
 * from the newest renewal it saw, by its slowest clock, and waits one margin longer. The old owner thus stops first.
 */
export class Lease {
  readonly rules: LeaseRules;
  term = 0;
  /** New owner of the wallet after this trader has lost it; null before. */
  successor: OwnerRow | null = null;
  /** The wallet's row in the database as last read; null if there is no row, undefined before the first read. */
  #owner: OwnerRow | null | undefined;
  /** Monotonic time when the owner's newest renewal was first seen, ms. */
  #seenMs = 0;
  #renewedAt: Instant | null = null;

  constructor(rules: LeaseRules) {
    this.rules = rules;
  }

  /** Records the wallet's row; null if there is no row. `at`: time when the database's answer arrived. */
  see(row: OwnerRow | null, at: Instant): void {
    const known = this.owner;
    if (row && known?.term === row.term && known.renewal === row.renewal && known.isFree === row.isFree) return;
    this.#owner = row;
    this.#seenMs = at.steadyMs;
  }

  get owner(): OwnerRow | null {
    return this.#owner ?? null;
  }

  /** Time until this trader may take the lease if its owner does not renew it, ms; 0 if it may be taken now. */
  waitMs(now: Instant): number {
    if (this.#owner === undefined) return Number.POSITIVE_INFINITY;
    if (this.#owner === null || this.#owner.isFree) return 0;
    const { leaseMs, marginMs } = rulesOf(this.#owner.leaseMs);
    return Math.max(0, leaseMs + marginMs - (now.steadyMs - this.#seenMs));
  }

  /** Returns the row of a lease that may be taken, which `take` must find unchanged; undefined for another lease. */
  expected(now: Instant): Parameters<DatabaseDesk['take']>[0] | undefined {
    return this.successor !== null || this.waitMs(now) > 0 ? undefined : this.owner;
  }

  /** Starts the lease after the database has granted it. `askedAt`: time before the database request. */
  take(term: number, askedAt: Instant): void {
    this.term = term;
    this.renew(askedAt);
  }

  /** Extends the lease after the database has renewed it. `askedAt`: time before the database request. */
  renew(askedAt: Instant): void {
    this.#renewedAt = askedAt;
  }

  /** Records that the database names another owner of the wallet. The loss of the wallet is final. */
  lose(successor: OwnerRow | null): void {
    this.successor = successor ?? UNKNOWN_OWNER;
  }

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

  /** Returns for how long no other trader can get the wallet, ms; 0 if another trader may get it now. */
  oursForMs(now: Instant): number {
    if (this.successor !== null || this.#renewedAt === null) return 0;
    return Math.max(0, this.rules.leaseMs - elapsedMs(this.#renewedAt, now));
  }
}

/** Returns the elapsed time, ms, by the clock that advanced most. */
const elapsedMs = (from: Instant, to: Instant): number =>
  Math.max(0, to.steadyMs - from.steadyMs, to.bootMs - from.bootMs, to.wallMs - from.wallMs);

/** Owner shown for a wallet that was removed from the fleet. */
const UNKNOWN_OWNER: OwnerRow = { holder: '', instance: '', term: 0, renewal: 0, leaseMs: 0, isFree: true };

/** Maximum interval between reads of the lease while waiting for the wallet, ms. */
const LONGEST_LOOK_MS = 1_000;

const readInstant = (): Instant => ({ steadyMs: performance.now(), bootMs: uptime() * 1000, wallMs: Date.now() });

interface MemberOptions {
  readonly config: FleetConfig;
  readonly wallet: string;
  readonly password: string | null;
  readonly capitalMicros: Micros;
  readonly say: (text: string) => void;
  readonly isStopping: () => boolean;
}

interface MemberHooks {
  /** Returns the trader's summary for the fleet's database; null while the trader has none. */
  summarize(): TraderSummary | null;
  /** Returns all markets with quotes, own orders or shares, and whether the list is complete; null if unknown. */
  wanted(): { readonly markets: readonly string[]; readonly isComplete: boolean } | null;
  onChange(): void;
}

export class FleetMember {
  /** The wallet's lease; only this file changes it. */
  readonly lease: Lease;
  /** Markets that this trader has claimed: no other trader of the fleet trades them. */
  markets: readonly string[] = [];
  /** Markets that other wallets of the fleet have claimed. */
  foreign: readonly string[] = [];
  /** Reason why the last renewal of the lease failed; null after a success. */
  trouble: string | null = null;
  readonly #options: MemberOptions;
  readonly #candidate: ConstructorParameters<typeof DatabaseDesk>[1];
  #desk: DatabaseDesk | null = null;
  #running: MemberHooks | null = null;
  /** Markets that this trader dropped. Once the core knows this, the next renewal releases their claims. */
  #dropped: readonly string[] = [];
  /** Whether the database may still have claims of an earlier run or owner. */
  #hasOldClaims = true;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  #isClosed = false;

  private constructor(options: MemberOptions) {
    const { name: holder, leaseMs } = options.config;
    const instance = randomBytes(12).toString('hex');
    this.#options = options;
    this.lease = new Lease(rulesOf(leaseMs));
    this.#candidate = { wallet: options.wallet, holder, instance, machine: hostname(), leaseMs };
  }

  /**
   * Takes the lease if the previous owner has released it. After a crash of this trader, or with `standby`, waits until
   * the lease expires. Returns null if the operator stopped the wait for another trader. Rejects with `fleet_unusable`,
   * or with `wallet_taken` if another trader holds the lease.
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

  get oursForMs(): number {
    return this.lease.oursForMs(readInstant());
  }

  /** Returns the reason why only cancels may be signed and sent now; null if orders may be signed and sent too. */
  objection(): string | null {
    const { standing } = this;
    if (standing === 'held' || standing === 'failing') return null;
    return standing === 'lost' ? 'another trader of the fleet holds the wallet' : 'the lease on the wallet has expired';
  }

  attach(running: MemberHooks): void {
    this.#running = running;
  }

  /** Records that the previous owner's orders are gone, and requests the configured capital. Call after the proof. */
  async settle(): Promise<void> {
    const desk = await this.#open();
    await desk.settle(this.lease.term);
    await this.#grant(desk, this.#options.capitalMicros);
  }

  /** Releases the lease for the next owner. Call this when no order rests and none will follow. Never rejects. */
  async release(keptMicros: Micros, reason = 'stopped in order'): Promise<void> {
    this.#stopRenewing();
    await this.#turn;
    try {
      if (this.standing === 'lost') return;
      await (await this.#open()).release(this.lease.term, keptMicros, reason);
      this.lease.end();
    } catch (error) {
      this.#options.say(
        `warning: the lease on the wallet could not be released, and is kept until it expires: ${messageOf(error)}`,
      );
    }
  }

  /** Closes the connection. If `release` was not called before, the lease stays until it expires. */
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
        // At the first attempt, an unusable database ends the start. During the wait for the wallet, it is retried.
        if (isFirst || !(error instanceof TwinbookError) || error.code !== 'fleet_unusable') throw error;
        this.#drop();
      }
      isFirst = false;
      const waitMs = Math.min(LONGEST_LOOK_MS, this.lease.rules.renewMs, this.lease.waitMs(readInstant()));
      await pause(Math.max(50, waitMs));
    }
    const { owner } = this.lease;
    if (owner?.isFree === false && owner.holder === this.#options.config.name) throw stoppedUnproven();
    return null;
  }

  /** Tries to take the lease; null if it is not free, else whether the previous owner's orders are proven gone. */
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

  /** Requests capital: at least the previous owner's capital while orders of that owner may rest. */
  async #grantFirst(
    desk: DatabaseDesk,
    { isSettled, grantedMicros }: NonNullable<Awaited<ReturnType<DatabaseDesk['take']>>>,
  ): Promise<void> {
    const { capitalMicros } = this.#options;
    try {
      await this.#grant(desk, isSettled ? capitalMicros : micros(Math.max(capitalMicros, grantedMicros)));
    } catch (error) {
      // Releasing the lease is safe, because no order was signed under it.
      if (isSettled) await desk.release(this.lease.term, grantedMicros, 'the fleet had too little free capital');
      throw error;
    }
  }

  async #grant(desk: DatabaseDesk, wanted: Micros): Promise<void> {
    const answer = await desk.grant(this.lease.term, wanted);
    if (answer.kind === 'granted') return;
    if (answer.kind === 'fenced') throw taken(this.#options.wallet, null);
    const free = formatDecimal(micros(Math.max(0, answer.capitalMicros - answer.othersMicros)));
    const all = formatDecimal(micros(answer.capitalMicros));
    const text = `capital: ${formatDecimal(wanted)} exceeds the fleet's free capital of ${free} (of ${all} in all)`;
    const hint =
      'Lower `capital`, or raise the fleet’s capital with `twinbook fleet init --capital N`; `twinbook fleet status` shows each trader’s capital.';
    throw new TwinbookError('fleet_unusable', text, hint);
  }

  /** Throws unless this trader may wait: a standby may always wait, others only for the lease of their crashed run. */
  #refuseOrSay(row: OwnerRow, before: OwnerRow | null): void {
    const { config, wallet, say } = this.#options;
    const isOwnName = row.holder === config.name;
    if (!config.standby && !isOwnName) throw taken(wallet, row);
    const isAlive = before !== null && before.instance === row.instance && before.renewal !== row.renewal;
    if (isOwnName && isAlive && !config.standby) {
      const text = `another running trader of the fleet has the same name ${row.holder} (fleet.name)`;
      throw new TwinbookError('wallet_taken', text, 'Give each trader of the fleet its own name.');
    }
    if (before?.instance === row.instance) return;
    const seconds = Math.ceil(this.lease.waitMs(readInstant()) / 1000);
    const who = isOwnName ? 'the previous run of this trader' : row.holder;
    say(`waiting for the wallet ${wallet}: ${who} holds it, until ${seconds} s after the last renewal of its lease`);
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

  /** Renews the lease and updates the claims on markets. Never rejects. */
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
    // While its own orders are unknown, this trader keeps its claims, and already reads other wallets' claims.
    const { markets: wanted, isComplete } = this.#running?.wanted() ?? { markets: this.markets, isComplete: false };
    const isUnwanted = (market: string) => !wanted.includes(market);
    if (this.#hasOldClaims && isComplete) {
      await desk.giveBack(this.lease.term, [...this.markets, ...wanted], true);
      this.#hasOldClaims = false;
    } else if (this.#dropped.length > 0) {
      await desk.giveBack(this.lease.term, this.#dropped.filter(isUnwanted));
    }
    const missing = wanted.filter((market) => !this.markets.includes(market));
    const wallets = await desk.claim(this.lease.term, missing);
    const isOurs = (market: string) => wallets.get(market) === this.#options.wallet;
    // A claim whose answer was lost is only in `wallets`. Unknown own orders keep such claims.
    const claimed = this.#hasOldClaims || !isComplete ? this.markets : [...wallets.keys()].filter(isOurs);
    this.#dropped = claimed.filter(isUnwanted);
    this.markets = wanted.filter(isOurs);
    this.foreign = [...wallets.keys()].filter((market) => !isOurs(market));
  }

  /** Returns the open database connection, or opens a new one after a failure. */
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

export const stoppedUnproven = () =>
  new TwinbookError(
    'fleet_unusable',
    'stopped before it was proven that no order of the wallet’s previous run rests',
    'Start the trader again, or run `twinbook cancel-all`.',
  );

function taken(wallet: string, row: OwnerRow | null): TwinbookError {
  const who = row === null ? 'another trader' : `${row.holder} (term ${row.term})`;
  const hint =
    'Stop that trader, or set `fleet.standby: true` to take over when its lease expires; `twinbook fleet status` shows its last renewal.';
  return new TwinbookError('wallet_taken', `the wallet ${wallet} is already traded by ${who} of the fleet`, hint);
}
