/**
 * Pauses of single markets, stored over restarts. A pause or flatten by the operator ends only with a resume of that
 * market. A pause by the trader, for example after a refusal by the signer, also ends with a resume of all.
 */

import type { Notes } from '../../ledger/contract.js';

const NOTE = 'paused_markets';

/**
 * Cause of a pause. `flattening`: the holding is being sold, also after a restart. `flattened`: it was sold, or its
 * sale was stopped.
 */
type PauseKind = 'refused' | 'operator' | 'flattening' | 'flattened';

interface Pause {
  readonly reason: string;
  readonly kind: PauseKind;
}

/** Stored form of a pause; a pause by the trader needs no third field. */
type StoredPause = readonly [conditionId: string, reason: string, by?: Exclude<PauseKind, 'refused'>];

const FLATTENED = 'flattened by the operator';
const NONE: readonly string[] = [];

export class Pauses {
  readonly #notes: Notes;
  readonly #pauses: Map<string, Pause>;
  /** Condition ids of markets whose holdings are being sold. */
  flattening: readonly string[] = NONE;

  constructor(notes: Notes) {
    this.#notes = notes;
    // Only this class writes the note, so it is valid JSON.
    const stored = JSON.parse(notes.note(NOTE) ?? '[]') as readonly StoredPause[];
    this.#pauses = new Map(stored.map(([id, reason, by]) => [id, { reason, kind: by ?? 'refused' }]));
    this.#listFlattening();
  }

  /** Reason of a market's pause; undefined while it is not paused. */
  findReason(conditionId: string): string | undefined {
    return this.#pauses.get(conditionId)?.reason;
  }

  /** Describes the first market that the trader itself paused; null without one. A resume then needs a reason. */
  get first(): string | null {
    for (const [id, { reason, kind }] of this.#pauses) if (kind === 'refused') return `market ${id}: ${reason}`;
    return null;
  }

  /** All paused markets, with reasons. */
  get all(): readonly { readonly conditionId: string; readonly reason: string }[] {
    return Array.from(this.#pauses, ([conditionId, { reason }]) => ({ conditionId, reason }));
  }

  pause(conditionId: string, reason: string): void {
    this.#set(conditionId, { reason, kind: 'refused' });
  }

  /**
   * Pauses a market for the operator. A pause with another cause keeps its cause, so it still needs a reason to end.
   * Sales of a flatten end.
   */
  pauseByOperator(conditionId: string, reason: string): void {
    const before = this.#pauses.get(conditionId)?.kind ?? 'operator';
    if (before === 'flattening') this.endFlattening(conditionId);
    else if (before === 'operator') this.#set(conditionId, { reason, kind: 'operator' });
  }

  /** Condition ids of markets that were flattened by an operator. */
  get flattened(): readonly string[] {
    return [...this.#pauses].flatMap(([id, { kind }]) => (kind === 'flattened' ? [id] : []));
  }

  isFlattening(conditionId: string): boolean {
    return this.flattening.includes(conditionId);
  }

  /** Begins to flatten a market. It is stored before the first sale: after a restart nothing may be quoted there. */
  flatten(conditionId: string): void {
    this.#set(conditionId, { reason: 'the operator flattens it', kind: 'flattening' });
  }

  /** Ends the sales in a market, which stays paused. */
  endFlattening(conditionId: string): void {
    this.#set(conditionId, { reason: FLATTENED, kind: 'flattened' });
  }

  /** True when the trader itself paused the market, as after a refusal by the signer. */
  isRefused(conditionId: string): boolean {
    return this.#pauses.get(conditionId)?.kind === 'refused';
  }

  /** Why a resume of the market needs a reason; null when it needs none. */
  whyReasonNeeded(conditionId: string): string | null {
    const pause = this.#pauses.get(conditionId);
    return pause === undefined || pause.kind === 'operator' ? null : pause.reason;
  }

  resume(conditionId: string): void {
    if (this.#pauses.delete(conditionId)) this.#store();
  }

  /** Lifts all pauses by the trader; those by an operator stay. */
  liftOwn(): void {
    for (const [id, { kind }] of this.#pauses) if (kind === 'refused') this.#pauses.delete(id);
    this.#store();
  }

  #set(conditionId: string, pause: Pause): void {
    this.#pauses.set(conditionId, pause);
    this.#store();
  }

  #store(): void {
    this.#listFlattening();
    const stored = [...this.#pauses].map(
      ([id, { reason, kind }]): StoredPause => (kind === 'refused' ? [id, reason] : [id, reason, kind]),
    );
    this.#notes.setNote(NOTE, JSON.stringify(stored));
  }

  #listFlattening(): void {
    const ids = [...this.#pauses].flatMap(([id, { kind }]) => (kind === 'flattening' ? [id] : []));
    this.flattening = ids.length === 0 ? NONE : ids;
  }
}
