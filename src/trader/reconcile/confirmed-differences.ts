/**
 * Confirms differences by two rounds. One list may lag behind another, so a difference counts only if a second round
 * finds it some seconds later. Fills may change a difference's figures between the two rounds. A confirmed difference
 * stays, also over restarts, until ledger and exchange agree again or an operator accepts it.
 */

import { must } from '../../shared/base/errors.js';
import type { Notes } from '../ledger/contract.js';
import { StoredMemory } from '../ledger/tables.js';
import { type AcceptedDifference, DIFFERENCE_KINDS, type Difference, UNKNOWN } from './differences.js';

/** Minimum time between the two rounds that confirm a difference, ms, equal to the longest lag of lists. */
const CONFIRM_AFTER_MS = 10_000;

const NOTHING: readonly Difference[] = [];

/** Maximum number of differences in one message. The command `reconcile` prints all. */
const MOST_TOLD = 5;

interface Suspicion {
  readonly difference: Difference;
  /** Time of the comparison that first found the difference, our clock, ms. */
  readonly sinceMs: number;
  /** True if a second round has confirmed the difference. */
  readonly believed: boolean;
}

/** Stored acceptance of a difference. Old notes may lack time and reason. `adopted`: the difference was booked. */
type StoredAcceptance = readonly [name: string, figures: string, sinceMs?: number, reason?: string, by?: 'adopted'];

/** Kinds of differences whose acceptance changes later comparisons; the same figures are then a new difference. */
const REBASED: readonly Difference['what'][] = ['position', 'sum', 'list'];
/** If a round reports at least this number of differences, it may have missed others. */
const MOST_FOUND = 200;

export class ConfirmedDifferences {
  readonly #confirmAfterMs: number;
  readonly #believedNote: StoredMemory<readonly string[]>;
  readonly #acceptedNote: StoredMemory<readonly StoredAcceptance[]>;
  readonly #open = new Map<string, Suspicion>();
  readonly #accepted: Map<string, StoredAcceptance>;

  constructor(notes: Notes, confirmAfterMs = CONFIRM_AFTER_MS) {
    this.#confirmAfterMs = confirmAfterMs;
    this.#believedNote = new StoredMemory(notes, 'believed_differences', []);
    this.#acceptedNote = new StoredMemory(notes, 'accepted_differences', []);
    this.#accepted = new Map(this.#acceptedNote.value.map((stored) => [stored[0], stored]));
  }

  /** Accepted differences that still exist, oldest first. */
  get accepted(): readonly AcceptedDifference[] {
    // A difference that was confirmed again after its acceptance no longer counts as accepted.
    const standing = [...this.#accepted.values()].filter(
      ([name, , , , by]) => by !== 'adopted' && this.#open.get(name)?.believed !== true,
    );
    return standing.map(([name, figures, sinceMs = null, reason = '']) => {
      const [ledger = '', exchange = ''] = figures.split(FIGURES_SEPARATOR);
      return { ...parseName(name), ledger, exchange, sinceMs, reason };
    });
  }

  get believed(): readonly Difference[] {
    // This early return is fast: the list is read many times per engine step and is almost always empty.
    if (this.#open.size === 0) return NOTHING;
    return [...this.#open.values()].filter(({ believed }) => believed).map(({ difference }) => difference);
  }

  get storedNames(): readonly string[] {
    return this.#believedNote.value;
  }

  /** True if a difference of this kind is confirmed, by this process or by an earlier one. */
  believesAny(what: Difference['what']): boolean {
    return this.storedNames.some((name) => name.startsWith(`${what} `));
  }

  /** Time from which a round can confirm an open difference, our clock, ms; Infinity without an open difference. */
  get doubtsFromMs(): number {
    const doubts = [...this.#open.values()].filter(({ believed }) => !believed);
    return Math.min(...doubts.map(({ sinceMs }) => sinceMs + this.#confirmAfterMs));
  }

  get verdict(): string | null {
    const { believed } = this;
    if (believed.length === 0) return null;
    const more = believed.length > MOST_TOLD ? `; and ${believed.length - MOST_TOLD} more` : '';
    return `the ledger and the exchange disagree: ${believed.slice(0, MOST_TOLD).map(inWords).join('; ')}${more}`;
  }

  /**
   * Processes the differences of a complete round, and returns the newly confirmed ones.
   *
   * @param begunMs time when the round's first request was sent, our clock, ms
   * @param isUndecided returns true if the round could not check a difference, which then stays only if it is confirmed
   */
  take(
    differences: readonly Difference[],
    begunMs: number,
    nowMs: number,
    isUndecided: (difference: Difference) => boolean,
  ): readonly Difference[] {
    const before = new Set(this.storedNames);
    const told = new Set(this.believed.map(nameDifference));
    // An earlier process confirmed these differences; their figures are not stored.
    for (const name of before) {
      const difference = { ...parseName(name), ledger: '?', exchange: '?' };
      if (!this.#open.has(name) && isUndecided(difference))
        this.#open.set(name, { difference, sinceMs: nowMs, believed: true });
    }
    const found = new Map(
      differences
        .filter((difference) => !this.isAccepted(difference))
        .map((difference) => [nameDifference(difference), difference] as const),
    );
    for (const [name, { difference, believed }] of this.#open) {
      if (!found.has(name) && !(believed && isUndecided(difference))) this.#open.delete(name);
    }
    for (const [name, difference] of found) {
      // A step back of our clock must not delay the confirmation by the second round.
      const sinceMs = Math.min(this.#open.get(name)?.sinceMs ?? nowMs, nowMs);
      const again = this.#open.has(name) && begunMs >= sinceMs + this.#confirmAfterMs;
      const believed = again || told.has(name) || before.has(name);
      this.#open.set(name, { difference, sinceMs, believed });
    }
    this.#remember();
    // Accepted differences that no longer exist are dropped, but only if the round certainly found all differences.
    if (differences.length < MOST_FOUND && !differences.some(({ what }) => what === 'list')) {
      const names = new Set(differences.map(nameDifference));
      this.forgetAccepted((accepted) => !REBASED.includes(accepted.what) && !names.has(nameDifference(accepted)));
    }
    return this.believed.filter((difference) => !told.has(nameDifference(difference)));
  }

  isAccepted(difference: Difference): boolean {
    if (REBASED.includes(difference.what)) return false;
    return this.#accepted.get(nameDifference(difference))?.[1] === formatFigures(difference);
  }

  /** Drops the acceptance of some differences; later rounds then report these differences again. */
  forgetAccepted(isForgotten: (difference: Pick<Difference, 'what' | 'subject'>) => boolean): void {
    const gone = [...this.#accepted.keys()].filter((name) => isForgotten(parseName(name)));
    for (const name of gone) this.#accepted.delete(name);
    if (gone.length > 0) this.#saveAccepted();
  }

  /** True if two rounds have confirmed the difference, or an operator has accepted it. */
  isConfirmed(difference: Difference): boolean {
    return this.#open.get(nameDifference(difference))?.believed === true || this.isAccepted(difference);
  }

  /** Clears all differences after an adoption. Confirmed records of known orders are stored as adopted. */
  onAdopted(nowMs: number): void {
    const records = [...this.believed, ...this.accepted].filter(
      ({ what, ledger }) => !REBASED.includes(what) && ledger !== UNKNOWN,
    );
    this.#open.clear();
    this.#accepted.clear();
    for (const record of records) {
      const name = nameDifference(record);
      this.#accepted.set(name, [name, formatFigures(record), nowMs, '', 'adopted']);
    }
    this.#saveAccepted();
    this.#remember();
  }

  #saveAccepted(): void {
    this.#acceptedNote.value = [...this.#accepted.values()];
  }

  /**
   * Accepts the confirmed differences on an operator's command, and returns them. Accepted differences block no orders
   * while their figures stay equal. Outdated differences are dropped; later rounds find those that persist.
   *
   * @param leaveOut makes the comparison skip a difference, if possible; returns false if a booking has changed it
   */
  accept(leaveOut: (difference: Difference) => boolean, reason: string, nowMs: number): readonly Difference[] {
    const { believed } = this;
    // Before the first round of this process, the figures of stored differences are unknown.
    if (believed.length === 0) return [];
    const accepted = believed.filter((difference) => {
      this.#open.delete(nameDifference(difference));
      if (!leaveOut(difference)) return false;
      const name = nameDifference(difference);
      this.#accepted.set(name, [name, formatFigures(difference), nowMs, reason]);
      return true;
    });
    if (accepted.length > 0) this.#saveAccepted();
    this.#remember();
    return accepted;
  }

  #remember(): void {
    this.#believedNote.value = this.believed.map(nameDifference).sort();
  }
}

/** Reads the confirmed and accepted differences of the newest comparison from a ledger. */
export function readStanding({ note }: { note(key: string): string | null }) {
  const { accepted, storedNames } = new ConfirmedDifferences({ note, setNote: () => undefined });
  return { open: storedNames.length, accepted };
}

export const inWords = ({ what, subject, ledger, exchange }: Difference): string =>
  `${what} ${subject}: ledger ${ledger}, exchange ${exchange}`;

const nameDifference = ({ what, subject }: Pick<Difference, 'what' | 'subject'>): string => `${what} ${subject}`;
/** Parses a name from `nameDifference`. Kinds of differences contain no spaces. */
const parseName = (name: string): Pick<Difference, 'what' | 'subject'> => ({
  what: must(
    DIFFERENCE_KINDS.find((kind) => name.startsWith(`${kind} `)),
    `kind of the difference ${name}`,
  ),
  subject: name.slice(name.indexOf(' ') + 1),
});
const FIGURES_SEPARATOR = ' / ';
const formatFigures = ({ ledger, exchange }: Difference): string => `${ledger}${FIGURES_SEPARATOR}${exchange}`;
