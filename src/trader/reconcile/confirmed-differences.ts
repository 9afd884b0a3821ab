/**
 * Confirms differences by two rounds. One list may lag behind another, so a difference counts only if a second round
 * finds it some seconds later. Fills may change a difference's figures between the two rounds. A confirmed difference
 * stays, also over restarts, until ledger and exchange agree again or an operator accepts it.
 */

import { must } from '../../shared/base/errors.js';
import { formatDecimal, parseDecimal, sub } from '../../shared/base/micros.js';
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
  /** Time of the comparison that first found the present gap between ledger and exchange, our clock, ms. */
  readonly gapSinceMs: number;
  /** True if two rounds found the present gap. The shares that one round reads may be wrong: a list may lack a row. */
  readonly isCertain: boolean;
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
  readonly #certainNote: StoredMemory<readonly (readonly [name: string, gap: string])[]>;
  readonly #acceptedNote: StoredMemory<readonly StoredAcceptance[]>;
  readonly #open = new Map<string, Suspicion>();
  readonly #accepted: Map<string, StoredAcceptance>;

  constructor(notes: Notes, confirmAfterMs = CONFIRM_AFTER_MS) {
    this.#confirmAfterMs = confirmAfterMs;
    this.#believedNote = new StoredMemory(notes, 'believed_differences', []);
    this.#certainNote = new StoredMemory(notes, 'certain_gaps', []);
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
    const certain = new Map(this.#certainNote.value);
    const told = new Set(this.believed.map(nameDifference));
    // An earlier process confirmed these differences; their figures are not stored.
    for (const name of before) {
      const difference = { ...parseName(name), ledger: '?', exchange: '?' };
      if (!this.#open.has(name) && isUndecided(difference))
        this.#open.set(name, { difference, sinceMs: nowMs, believed: true, gapSinceMs: nowMs, isCertain: false });
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
      const known = this.#open.get(name);
      const sinceMs = Math.min(known?.sinceMs ?? nowMs, nowMs);
      const again = known !== undefined && begunMs >= sinceMs + this.#confirmAfterMs;
      const believed = again || told.has(name) || before.has(name);
      const gap = formatGap(difference);
      const same = known !== undefined && formatGap(known.difference) === gap ? known : null;
      const gapSinceMs = Math.min(same?.gapSinceMs ?? nowMs, nowMs);
      const isRepeated = same !== null && begunMs >= gapSinceMs + this.#confirmAfterMs;
      const isCertain = isRepeated || certain.get(name) === gap;
      this.#open.set(name, { difference, sinceMs, believed, gapSinceMs, isCertain });
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

  /** True if only one round has found the present gap of a position. */
  get isGapUncertain(): boolean {
    return [...this.#open.values()].some(({ difference, isCertain }) => difference.what === 'position' && !isCertain);
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
   * while their figures stay equal. Outdated or uncertain ones are dropped; later rounds find those that persist.
   *
   * @param leaveOut makes the comparison skip a difference, if possible; returns false if a booking has changed it
   */
  accept(leaveOut: (difference: Difference) => boolean, reason: string, nowMs: number): readonly Difference[] {
    const { believed } = this;
    // Before the first round of this process, the figures of stored differences are unknown.
    if (believed.length === 0) return [];
    const accepted = believed.filter((difference) => {
      const name = nameDifference(difference);
      const isCertain = difference.what !== 'position' || this.#open.get(name)?.isCertain === true;
      this.#open.delete(name);
      if (!isCertain || !leaveOut(difference)) return false;
      this.#accepted.set(name, [name, formatFigures(difference), nowMs, reason]);
      return true;
    });
    if (accepted.length > 0) this.#saveAccepted();
    this.#remember();
    return accepted;
  }

  #remember(): void {
    this.#believedNote.value = this.believed.map(nameDifference).sort();
    this.#certainNote.value = [...this.#open]
      .filter(([, { isCertain }]) => isCertain)
      .map(([name, { difference }]) => [name, formatGap(difference)]);
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
/** Shares at the exchange minus shares in the ledger; trading does not change this gap. Else the figures. */
function formatGap(difference: Difference): string {
  const [theirs, ours] = [parseDecimal(difference.exchange), parseDecimal(difference.ledger)];
  return theirs === null || ours === null ? formatFigures(difference) : formatDecimal(sub(theirs, ours));
}
const FIGURES_SEPARATOR = ' / ';
const formatFigures = ({ ledger, exchange }: Difference): string => `${ledger}${FIGURES_SEPARATOR}${exchange}`;
