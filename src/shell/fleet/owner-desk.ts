/**
 * What a trader asks the database about its wallet. The owner's session holds an advisory lock, which the server drops with the
 * session, beside the row, which stays: the lock shows whether the owner is still connected, and the row alone says whose the
 * wallet is.
 */

import { createHash } from 'node:crypto';
import type {
  Candidate,
  ClaimAnswer,
  GrantAnswer,
  OwnerDesk,
  RenewAnswer,
  TakeAnswer,
  TraderSummary,
} from './contract.js';
import type { FleetDatabase, Row } from './database.js';
import { unusable } from './failures.js';
import type { Expected, OwnerRow } from './lease.js';

const OWNER = 'holder, instance, term, renewal, lease_ms, is_free';

export class DatabaseDesk implements OwnerDesk {
  readonly #database: FleetDatabase;
  readonly #wallet: string;
  readonly #instance: string;
  /** Whether this session has the wallet's lock. */
  #isLocked = false;

  constructor(database: FleetDatabase, { wallet, instance }: Pick<Candidate, 'wallet' | 'instance'>) {
    this.#database = database;
    this.#wallet = wallet;
    this.#instance = instance;
  }

  async look(): Promise<OwnerRow | null> {
    const [row] = await this.#database.query(`SELECT ${OWNER} FROM twinbook_fleet.wallet WHERE wallet = $1`, [
      this.#wallet,
    ]);
    return row === undefined ? null : toOwner(row);
  }

  async take({ holder, machine, leaseMs }: Candidate, expected: Expected): Promise<TakeAnswer> {
    if (!(await this.#lock())) {
      await this.#evict();
      return { kind: 'guarded' };
    }
    const mine = [this.#wallet, holder, this.#instance, machine, leaseMs];
    const [row] =
      expected === null
        ? await this.#database.query(INSERT_OWNER, mine)
        : await this.#database.query(REPLACE_OWNER, [...mine, expected.term, expected.renewal]);
    if (row === undefined) {
      await this.#unlock();
      return { kind: 'changed' };
    }
    const { term, is_settled: isSettled, granted } = row;
    return {
      kind: 'taken',
      term: Number(term),
      isSettled: isSettled === true,
      grantedMicros: Number(granted),
    };
  }

  async renew(term: number, summary: TraderSummary | null): Promise<RenewAnswer> {
    const isNewSession = !this.#isLocked;
    if (isNewSession && !(await this.#lock())) {
      const owner = await this.look();
      if (!this.#isOurs(owner, term)) return { kind: 'fenced', owner };
      // The server has not noticed yet that our session before is gone.
      await this.#evict();
      throw unusable(`${this.#database.place} still has our session before`, 'another try');
    }
    const rows = await this.#database.query(isNewSession ? RENEW_ANEW : RENEW, [
      this.#wallet,
      this.#instance,
      term,
      summary === null ? null : JSON.stringify(summary),
    ]);
    if (rows.length > 0) return { kind: 'renewed' };
    const owner = await this.look();
    if (!this.#isOurs(owner, term)) return { kind: 'fenced', owner };
    throw unusable(
      `${this.#database.place} answers from changing sessions`,
      'the server itself: a pooler by transactions cannot hold a lock',
    );
  }

  async settle(term: number): Promise<void> {
    await this.#database.query(`UPDATE twinbook_fleet.wallet SET is_settled = true WHERE ${IS_OURS}`, this.#key(term));
  }

  async grant(term: number, micros: number): Promise<GrantAnswer> {
    const [row] = await this.#database.query('SELECT * FROM twinbook_fleet.grant_capital($1, $2, $3, $4)', [
      ...this.#key(term),
      micros,
    ]);
    const answer = row?.['answer'];
    if (answer === 'granted' || answer === 'fenced') return { kind: answer };
    return { kind: 'too_much', othersMicros: Number(row?.['others']), capitalMicros: Number(row?.['capital']) };
  }

  async claim(term: number, markets: readonly string[]): Promise<ClaimAnswer> {
    const rows = await this.#database.query('SELECT * FROM twinbook_fleet.claim_markets($1, $2, $3, $4)', [
      ...this.#key(term),
      markets,
    ]);
    const owners = new Map(rows.map(({ market, wallet }) => [String(market), String(wallet)]));
    const ours = [...owners].filter(([, wallet]) => wallet === this.#wallet).map(([market]) => market);
    return { ours, others: new Map([...owners].filter(([, wallet]) => wallet !== this.#wallet)) };
  }

  async keepOnly(term: number, markets: readonly string[]): Promise<void> {
    await this.#database.query(
      `DELETE FROM twinbook_fleet.claim c USING twinbook_fleet.wallet w
        WHERE c.market <> ALL ($4) AND c.wallet = w.wallet AND w.wallet = $1 AND w.instance = $2 AND w.term = $3`,
      [...this.#key(term), markets],
    );
  }

  async release(term: number, keptMicros: number, reason: string): Promise<void> {
    await this.#database.query(
      `WITH freed AS (
        UPDATE twinbook_fleet.wallet SET is_free = true, is_settled = true, granted = least(granted, $4::bigint)
        WHERE ${IS_OURS} RETURNING wallet, term, holder
      ), told AS (
        INSERT INTO twinbook_fleet.event (wallet, term, holder, what) SELECT wallet, term, holder, 'gave it back: ' || $5 FROM freed
      )
      DELETE FROM twinbook_fleet.claim c USING freed f WHERE c.wallet = f.wallet`,
      [...this.#key(term), keptMicros, reason],
    );
    await this.#unlock();
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #key(term: number): readonly unknown[] {
    return [this.#wallet, this.#instance, term];
  }

  #isOurs(owner: OwnerRow | null, term: number): boolean {
    return owner !== null && owner.instance === this.#instance && owner.term === term && !owner.isFree;
  }

  async #lock(): Promise<boolean> {
    if (this.#isLocked) return true;
    const [row] = await this.#database.query('SELECT pg_try_advisory_lock($1) AS locked', [lockKey(this.#wallet)]);
    this.#isLocked = row?.['locked'] === true;
    return this.#isLocked;
  }

  async #unlock(): Promise<void> {
    this.#isLocked = false;
    await this.#database.query('SELECT pg_advisory_unlock($1)', [lockKey(this.#wallet)]);
  }

  /** Ends the session that holds the lock: its trader is frozen or cut off. Who may not end it waits until the server does. */
  async #evict(): Promise<void> {
    await this.#database
      .query(
        `SELECT pg_terminate_backend(pid) FROM pg_locks
          WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND pid <> pg_backend_pid()
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND ((classid::bigint << 32) | objid::bigint) = $1::bigint`,
        [lockKey(this.#wallet)],
      )
      .catch(() => []);
  }
}

const IS_OURS = 'wallet = $1 AND instance = $2 AND term = $3 AND NOT is_free';

const INSERT_OWNER = `
WITH made AS (
  INSERT INTO twinbook_fleet.wallet
    (wallet, holder, instance, machine, lease_ms, term, renewal, is_free, is_settled, backend_pid, taken_at, renewed_at)
  VALUES ($1, $2, $3, $4, $5, 1, 1, false, true, pg_backend_pid(), clock_timestamp(), clock_timestamp())
  ON CONFLICT DO NOTHING RETURNING wallet, term, holder, is_settled, granted
), told AS (
  INSERT INTO twinbook_fleet.event (wallet, term, holder, what) SELECT wallet, term, holder, 'took it' FROM made
)
SELECT term, is_settled, granted FROM made`;

/** What was not given back in order is not settled, until who takes it has shown that nothing rests. */
const REPLACE_OWNER = `
WITH replaced AS (
  UPDATE twinbook_fleet.wallet SET holder = $2, instance = $3, machine = $4, lease_ms = $5,
    term = term + 1, renewal = renewal + 1, is_settled = is_free AND is_settled, is_free = false,
    backend_pid = pg_backend_pid(), taken_at = clock_timestamp(), renewed_at = clock_timestamp(), summary = NULL
  WHERE wallet = $1 AND term = $6 AND renewal = $7 RETURNING wallet, term, holder, is_settled, granted
), told AS (
  INSERT INTO twinbook_fleet.event (wallet, term, holder, what)
  SELECT wallet, term, holder, CASE WHEN is_settled THEN 'took it' ELSE 'took it over' END FROM replaced
)
SELECT term, is_settled, granted FROM replaced`;

const RENEWED = `UPDATE twinbook_fleet.wallet SET renewal = renewal + 1, renewed_at = clock_timestamp(),
  backend_pid = pg_backend_pid(), summary = coalesce($4::jsonb, summary) WHERE ${IS_OURS}`;
const RENEW = `${RENEWED} AND backend_pid = pg_backend_pid() RETURNING term`;
const RENEW_ANEW = `${RENEWED} RETURNING term`;

/** 63 bits of the wallet's address, as text: no number of JavaScript holds them. */
const lockKey = (wallet: string): string =>
  String(createHash('sha256').update(`twinbook fleet ${wallet}`).digest().readBigUInt64BE() >> 1n);

export const toOwner = (row: Row): OwnerRow => ({
  holder: String(row['holder']),
  instance: String(row['instance']),
  term: Number(row['term']),
  renewal: Number(row['renewal']),
  leaseMs: Number(row['lease_ms']),
  isFree: row['is_free'] === true,
});
