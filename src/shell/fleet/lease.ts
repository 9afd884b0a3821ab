/**
 * Who may sign for a wallet, as a pure state machine: database rows and the moments of reading in, permissions
 * out. It reads no clock and touches nothing, so that years of freezes, kills and outages can be tried in seconds.
 *
 * Each side measures spans by clocks of its own machine only; no two clocks are ever compared. The holder of the
 * lease counts from before its request, by the fastest of its clocks, and stops a margin early. The next owner counts from
 * after it saw the newest renewal, by the slowest, and waits a margin longer. So the first has stopped before the second begins.
 */

/** A moment of one machine, by three clocks that stop or step in different cases. */
export interface Instant {
  /** Never steps; on Linux it stops while the machine sleeps. */
  readonly steadyMs: number;
  /** Time since the machine was started; runs on while it sleeps. */
  readonly bootMs: number;
  /** Unix time; may be set. After a pause of a virtual machine only this clock may have advanced. */
  readonly wallMs: number;
}

/** Times derived from the length of a lease, ms. */
export interface LeaseRules {
  readonly leaseMs: number;
  /** Safety margin, ms: the holder stops signing this early; the next owner waits this much longer. */
  readonly marginMs: number;
  /** Time without a renewal after which all orders are pulled, so that they are gone before the lease ends. */
  readonly pullMs: number;
  readonly renewMs: number;
}

/** The clocks of two machines may differ by a fifth in speed before the margin is used up. */
const MARGIN_SHARE = 5;
const LEAST_MARGIN_MS = 500;

export const rulesOf = (leaseMs: number): LeaseRules => ({
  leaseMs,
  marginMs: Math.max(LEAST_MARGIN_MS, leaseMs / MARGIN_SHARE),
  pullMs: leaseMs / 2,
  renewMs: leaseMs / 6,
});

export interface OwnerRow {
  readonly holder: string;
  /** Random, new at each start of a trader. */
  readonly instance: string;
  /** Incremented with each owner. */
  readonly term: number;
  /** Incremented with each renewal and each owner. */
  readonly renewal: number;
  readonly leaseMs: number;
  /** Released regularly: nothing rests. */
  readonly isFree: boolean;
}

/**
 * - `none`: it is not ours
 * - `held`: orders may be signed
 * - `failing`: it could not be renewed for a while: everything is to be pulled
 * - `over`: nothing may be signed but cancels
 * - `lost`: another has it, and whatever rests is the other's
 */
export type Standing = 'none' | 'held' | 'failing' | 'over' | 'lost';

/** The row that a take replaces; null for an unknown wallet. */
export type Expected = Pick<OwnerRow, 'term' | 'renewal'> | null;

interface Watch {
  readonly row: OwnerRow;
  readonly sinceMs: number;
}

/** Lease of one trader on one wallet. Every method takes the present time, unless its comment says otherwise. */
export class Lease {
  readonly rules: LeaseRules;
  #watch: Watch | null = null;
  #isUnknown = false;
  #renewedAt: Instant | null = null;
  #term = 0;
  #successor: OwnerRow | null = null;

  constructor(rules: LeaseRules) {
    this.rules = rules;
  }

  /** The owner's row, null for an unknown wallet. `at`: after the answer. */
  see(row: OwnerRow | null, at: Instant): void {
    this.#isUnknown = row === null;
    if (row === null) {
      this.#watch = null;
      return;
    }
    const known = this.#watch?.row;
    if (known?.term === row.term && known.renewal === row.renewal && known.isFree === row.isFree) return;
    this.#watch = { row, sinceMs: at.steadyMs };
  }

  /** The owner in the last row; null before the first, and for a wallet without one. */
  get owner(): OwnerRow | null {
    return this.#watch?.row ?? null;
  }

  /** Time until the lease may be taken without a renewal, ms; 0 when it may be now. */
  waitMs(now: Instant): number {
    if (this.#isUnknown || this.#watch === null) return this.#isUnknown ? 0 : Number.POSITIVE_INFINITY;
    const { row, sinceMs } = this.#watch;
    if (row.isFree) return 0;
    const { leaseMs, marginMs } = rulesOf(row.leaseMs);
    return Math.max(0, leaseMs + marginMs - (now.steadyMs - sinceMs));
  }

  /** The row that a take must find unchanged; undefined while no attempt is allowed. */
  expected(now: Instant): Expected | undefined {
    if (this.#successor !== null || this.waitMs(now) > 0) return undefined;
    const row = this.owner;
    return row === null ? null : { term: row.term, renewal: row.renewal };
  }

  /** The database has granted it. `askedAt`: before the request left. */
  take(term: number, askedAt: Instant): void {
    this.#term = term;
    this.#renewedAt = askedAt;
  }

  /** The database has renewed it. `askedAt`: before the request left. */
  renew(askedAt: Instant): void {
    this.#renewedAt = askedAt;
  }

  /** The database shows another owner: final. */
  lose(successor: OwnerRow | null): void {
    this.#successor = successor ?? UNKNOWN_OWNER;
  }

  /** It was given back. */
  end(): void {
    this.#renewedAt = null;
  }

  get term(): number {
    return this.#term;
  }

  /** Its present owner; null while no other is known. */
  get successor(): OwnerRow | null {
    return this.#successor;
  }

  standing(now: Instant): Standing {
    if (this.#successor !== null) return 'lost';
    if (this.#renewedAt === null) return 'none';
    const sinceMs = elapsedMs(this.#renewedAt, now);
    if (sinceMs >= this.rules.leaseMs - this.rules.marginMs) return 'over';
    return sinceMs >= this.rules.pullMs ? 'failing' : 'held';
  }

  /** Time in which no other trader can get it, ms; 0 when one may. */
  oursForMs(now: Instant): number {
    if (this.#successor !== null || this.#renewedAt === null) return 0;
    return Math.max(0, this.rules.leaseMs - elapsedMs(this.#renewedAt, now));
  }
}

/** By the clock that advanced most. */
export const elapsedMs = (from: Instant, to: Instant): number =>
  Math.max(0, to.steadyMs - from.steadyMs, to.bootMs - from.bootMs, to.wallMs - from.wallMs);

/** The wallet was removed from the fleet. */
const UNKNOWN_OWNER: OwnerRow = { holder: '', instance: '', term: 0, renewal: 0, leaseMs: 0, isFree: true };
