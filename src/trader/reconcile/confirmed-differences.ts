/**
 * What differed, round by round. One list lags behind another, an answer is under way: so a subject that differs is
 * believed only in a second round that began a good while after the first, whatever the figures are then (they move with
 * every fill). What is believed stays so until it agrees again or a person takes note of it, also over restarts.
 */

import { must } from '../../shared/base/errors.js';
import type { Notes } from '../ledger/contract.js';
import { type AcceptedDifference, DIFFERENCE_KINDS, type Difference, UNKNOWN } from './differences.js';
import { StoredMemory } from './stored-memory.js';

/** Longest lag of lists, ms; a read within it would show the same again. */
const CONFIRM_AFTER_MS = 10_000;

const NOTHING: readonly Difference[] = [];

/** Maximum differences in a sentence; `reconcile` prints all. */
const MOST_TOLD = 5;

/** Result of accepting a difference: skipped by the comparison, or outdated because bookings have changed it since. */
export type LeavingOut = 'left out' | 'outdated';

interface Suspicion {
  readonly difference: Difference;
  /** Our clock, ms, of the comparison that first found it. */
  readonly sinceMs: number;
  readonly believed: boolean;
}

/**
 * `sinceMs` and `reason` may be missing in an older note. `adopted`: its holdings are booked, so the record leaves
 * nothing out.
 */
type StoredAcceptance = readonly [name: string, figures: string, sinceMs?: number, reason?: string, by?: 'adopted'];

/** Accepting these changes the comparison: equal figures later are a new difference. */
const REBASED: readonly Difference['what'][] = ['position', 'sum', 'list'];
/** A round with this many differences may not name all. */
const MOST_FOUND = 200;

export class ConfirmedDifferences {
  readonly #confirmAfterMs: number;
  readonly #believedNote: StoredMemory<readonly string[]>;
  readonly #acceptedNote: StoredMemory<readonly StoredAcceptance[]>;
  readonly #open = new Map<string, Suspicion>();
  /** By name, as accepted. */
  readonly #accepted: Map<string, StoredAcceptance>;

  constructor(notes: Notes, confirmAfterMs = CONFIRM_AFTER_MS) {
    this.#confirmAfterMs = confirmAfterMs;
    this.#believedNote = new StoredMemory(notes, 'believed_differences', []);
    this.#acceptedNote = new StoredMemory(notes, 'accepted_differences', []);
    this.#accepted = new Map(this.#acceptedNote.value.map((stored) => [stored[0], stored]));
  }

  /** Unresolved accepted differences, oldest first. */
  get accepted(): readonly AcceptedDifference[] {
    // A difference that is open again counts as open.
    const standing = [...this.#accepted.values()].filter(
      ([name, , , , by]) => by !== 'adopted' && this.#open.get(name)?.believed !== true,
    );
    return standing.map(([name, figures, sinceMs = null, reason = '']) => {
      const [ledger = '', exchange = ''] = figures.split(FIGURES_SEPARATOR);
      return { ...parseName(name), ledger, exchange, sinceMs, reason };
    });
  }

  get believed(): readonly Difference[] {
    // Read many times in every step, and almost always empty.
    if (this.#open.size === 0) return NOTHING;
    return [...this.#open.values()].filter(({ believed }) => believed).map(({ difference }) => difference);
  }

  /** Names of confirmed differences as stored, also those of the earlier process. */
  get storedNames(): readonly string[] {
    return this.#believedNote.value;
  }

  /** Includes differences of the earlier process that no round has confirmed or cleared yet. */
  believesAny(what: Difference['what']): boolean {
    return this.storedNames.some((name) => name.startsWith(`${what} `));
  }

  /** Our clock, ms, from which another round can decide; Infinity without doubt. */
  get doubtsFromMs(): number {
    const doubts = [...this.#open.values()].filter(({ believed }) => !believed);
    return Math.min(...doubts.map(({ sinceMs }) => sinceMs + this.#confirmAfterMs));
  }

  /** Why only reducing orders are allowed; null without a confirmed difference. */
  get verdict(): string | null {
    const { believed } = this;
    if (believed.length === 0) return null;
    const more = believed.length > MOST_TOLD ? `; and ${believed.length - MOST_TOLD} more` : '';
    return `the ledger and the exchange disagree: ${believed.slice(0, MOST_TOLD).map(inWords).join('; ')}${more}`;
  }

  /**
   * Takes in a complete round's differences; returns the confirmed ones.
   *
   * @param begunMs our clock, when the round's first request left
   * @param isUndecided the round says nothing about it: confirmed stays confirmed, doubtful starts again
   */
  take(
    differences: readonly Difference[],
    begunMs: number,
    nowMs: number,
    isUndecided: (difference: Difference) => boolean,
  ): readonly Difference[] {
    const before = new Set(this.storedNames);
    const told = new Set(this.believed.map(nameDifference));
    // Confirmed by the earlier process: its figures are not stored, and this round has none.
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
      // A clock set back must not delay the second round by that time.
      const sinceMs = Math.min(this.#open.get(name)?.sinceMs ?? nowMs, nowMs);
      const again = this.#open.has(name) && begunMs >= sinceMs + this.#confirmAfterMs;
      const believed = again || told.has(name) || before.has(name);
      this.#open.set(name, { difference, sinceMs, believed });
    }
    this.#remember();
    this.#forgetHealed(differences);
    return this.believed.filter((difference) => !told.has(nameDifference(difference)));
  }

  /** True when an operator has accepted it with these figures. */
  isAccepted(difference: Difference): boolean {
    if (REBASED.includes(difference.what)) return false;
    return this.#accepted.get(nameDifference(difference))?.[1] === formatFigures(difference);
  }

  /** Drops accepted records that agree now. A round that lost a list, or found too much, proves nothing. */
  #forgetHealed(found: readonly Difference[]): void {
    if (this.#accepted.size === 0 || found.length >= MOST_FOUND || found.some(({ what }) => what === 'list')) return;
    const names = new Set(found.map(nameDifference));
    const healed = [...this.#accepted.keys()].filter(
      (name) => !REBASED.includes(parseName(name).what) && !names.has(name),
    );
    for (const name of healed) this.#accepted.delete(name);
    if (healed.length > 0) this.#saveAccepted();
  }

  /** Drops accepted differences of these subjects: they are compared again. */
  forgetAccepted(isForgotten: (difference: Pick<Difference, 'what' | 'subject'>) => boolean): void {
    const gone = [...this.#accepted.keys()].filter((name) => isForgotten(parseName(name)));
    for (const name of gone) this.#accepted.delete(name);
    if (gone.length > 0) this.#saveAccepted();
  }

  /** True when two rounds or an operator have confirmed it. */
  isConfirmed(difference: Difference): boolean {
    return this.#open.get(nameDifference(difference))?.believed === true || this.isAccepted(difference);
  }

  /**
   * The ledger holds what the exchange holds: nothing is open or skipped. An order unknown to the ledger is no holding.
   */
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
   * An operator accepts the confirmed differences: they hold nothing back while they stay equal. Returns them; outdated
   * ones are dropped, and the next rounds find them again if they persist.
   *
   * @param leaveOut tries to skip it in the comparison
   * @param nowMs our clock, ms
   */
  accept(
    leaveOut: (difference: Difference) => LeavingOut,
    { reason, nowMs }: { readonly reason: string; readonly nowMs: number },
  ): readonly Difference[] {
    const { believed } = this;
    // Before a process's first round the earlier confirmed differences are unknown.
    if (believed.length === 0) return [];
    const accepted = believed.filter((difference) => {
      this.#open.delete(nameDifference(difference));
      if (leaveOut(difference) === 'outdated') return false;
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

/** Confirmed and accepted differences in a ledger, from the newest comparison. Reads only. */
export function readStanding({ note }: { note(key: string): string | null }) {
  const { accepted, storedNames } = new ConfirmedDifferences({ note, setNote: () => undefined });
  return { open: storedNames.length, accepted };
}

/** For a person. */
export const inWords = ({ what, subject, ledger, exchange }: Difference): string =>
  `${what} ${subject}: ledger ${ledger}, exchange ${exchange}`;

const nameDifference = ({ what, subject }: Difference): string => `${what} ${subject}`;
/** Inverse of `nameDifference`; kinds contain no spaces. */
const parseName = (name: string): Pick<Difference, 'what' | 'subject'> => ({
  what: must(
    DIFFERENCE_KINDS.find((kind) => name.startsWith(`${kind} `)),
    `kind of the difference ${name}`,
  ),
  subject: name.slice(name.indexOf(' ') + 1),
});
const FIGURES_SEPARATOR = ' / ';
const formatFigures = ({ ledger, exchange }: Difference): string => `${ledger}${FIGURES_SEPARATOR}${exchange}`;
