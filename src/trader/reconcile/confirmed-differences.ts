/**
 * Confirms differences between ledger and exchange. One list may lag behind another, so a difference is confirmed only
 * if a second reconciliation round finds it again some seconds later; its figures may have changed by then. A confirmed
 * difference remains, also over restarts, until ledger and exchange agree again or an operator accepts the difference.
 */

import { must } from '../../shared/base/errors.js';
import { formatDecimal, parseDecimal, sub } from '../../shared/base/micros.js';
import type { Notes } from '../ledger/contract.js';
import { StoredMemory } from '../ledger/tables.js';
import { type AcceptedDifference, DIFFERENCE_KINDS, type Difference, UNKNOWN } from './differences.js';

/** Minimum time between the two rounds that confirm a difference, ms, equal to the longest lag of lists. */
const CONFIRM_AFTER_MS = 10_000;

const NOTHING: readonly Difference[] = [];

/** Maximum number of differences in one message. The command `reconcile` prints all differences. */
const MOST_TOLD = 5;

interface Suspicion {
  readonly difference: Difference;
  /** Time of the comparison that first found the difference, our clock, ms. */
  readonly sinceMs: number;
  /** True if a second round has confirmed the difference. */
  readonly believed: boolean;
  /** Time of the comparison that first found the present gap (exchange minus ledger), our clock, ms. */
  readonly gapSinceMs: number;
  /** True if two rounds found the same gap. One round is not enough, because a list of shares may lack a row. */
  readonly isCertain: boolean;
}

/** Stored acceptance of a difference. Old acceptances lack time and reason. `adopted`: the difference was booked. */
type StoredAcceptance = readonly [name: string, figures: string, sinceMs?: number, reason?: string, by?: 'adopted'];

/** Kinds of differences whose acceptance resets their comparison, so that a difference found later is a new one. */
const REBASED: readonly Difference['what'][] = ['position', 'sum', 'list'];
/** A round that reports at least this number of differences may have missed further differences. */
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
    // A difference that two rounds have found after its acceptance is no longer accepted.
    const standing = [...this.#accepted.values()].filter(
      ([name, , , , by]) => by !== 'adopted' && this.#open.get(name)?.believed !== true,
    );
    return standing.map(([name, figures, sinceMs = null, reason = '']) => {
      const [ledger = '', exchange = ''] = figures.split(FIGURES_SEPARATOR);
      return { ...parseName(name), ledger, exchange, sinceMs, reason };
    });
  }

  get believed(): readonly Difference[] {
    // Fast path: each engine step reads this list many times, and the list is almost always empty.
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

  /** Earliest time at which a round can confirm a difference, our clock, ms; Infinity if no difference waits. */
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
   * @param isUndecided returns true if the round could not check a difference; if confirmed, the difference remains
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
    // An earlier process may have confirmed the differences in `before`; their figures are not stored.
    for (const name of before) {
      const difference = { ...parseName(name), ledger: '?', exchange: '?' };
      if (!this.#open.has(name) && isUndecided(difference))
        this.#open.set(name, { difference, sinceMs: nowMs, believed: true, gapSinceMs: nowMs, isCertain: false });
    }
    const unaccepted = differences.filter((difference) => !this.isAccepted(difference));
    const found = new Map(unaccepted.map((difference) => [nameDifference(difference), difference]));
    for (const [name, { difference, believed }] of this.#open)
      if (!found.has(name) && !(believed && isUndecided(difference))) this.#open.delete(name);
    for (const [name, difference] of found) {
      // Without `Math.min`, a backward step of our clock would delay the confirmation.
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
    // An accepted difference that the round did not find is dropped, unless the round may be incomplete.
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

  /** Drops the acceptance of the differences for which `isForgotten` is true. Later rounds report them again. */
  forgetAccepted(isForgotten: (difference: Pick<Difference, 'what' | 'subject'>) => boolean): void {
    const gone = [...this.#accepted.keys()].filter((name) => isForgotten(parseName(name)));
    for (const name of gone) this.#accepted.delete(name);
    if (gone.length > 0) this.#saveAccepted();
  }

  /** True if a position's present gap (exchange minus ledger) was found by only one round. */
  get isGapUncertain(): boolean {
    return [...this.#open.values()].some(({ difference, isCertain }) => difference.what === 'position' && !isCertain);
  }

  /** True if two rounds have confirmed that a fill of the order is missing, or an operator has accepted it. */
  isUnlisted(orderPubkey: string): boolean {
    const names = [...this.believed.map(nameDifference), ...this.#accepted.keys()];
    return names.some((name) => name.startsWith(`fill ${orderPubkey} `));
  }

  /** Clears the differences that an adoption has booked. Booked differences of own records are stored as adopted. */
  onAdopted(nowMs: number, isLeft: (difference: Pick<Difference, 'what' | 'subject'>) => boolean): void {
    const booked = [...this.believed, ...this.accepted].filter((difference) => !isLeft(difference));
    for (const [name, { difference }] of this.#open) if (!isLeft(difference)) this.#open.delete(name);
    this.forgetAccepted((difference) => !isLeft(difference));
    for (const record of booked) {
      // A missing fill's difference ends with the wait for the fill. Here only its subject contains a space.
      if (REBASED.includes(record.what) || record.ledger === UNKNOWN || record.subject.includes(' ')) continue;
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
   * Accepts the confirmed differences on an operator's command. Returns the accepted ones, which block no orders while
   * their figures stay the same. Outdated or uncertain differences are dropped, and later rounds may find them again.
   *
   * @param leaveOut makes later comparisons skip a difference; returns false if a booking has changed the difference
   */
  accept(leaveOut: (difference: Difference) => boolean, reason: string, nowMs: number): readonly Difference[] {
    const { believed } = this;
    // Figures of stored differences are unknown before this process's first round, so nothing can be accepted yet.
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
function parseName(name: string): Pick<Difference, 'what' | 'subject'> {
  const what = DIFFERENCE_KINDS.find((kind) => name.startsWith(`${kind} `));
  return { what: must(what, `kind of the difference ${name}`), subject: name.slice(name.indexOf(' ') + 1) };
}
/** Returns a position's gap (exchange minus ledger shares), which trading does not change; else both figures. */
function formatGap(difference: Difference): string {
  const [theirs, ours] = [parseDecimal(difference.exchange), parseDecimal(difference.ledger)];
  return theirs === null || ours === null ? formatFigures(difference) : formatDecimal(sub(theirs, ours));
}
const FIGURES_SEPARATOR = ' / ';
const formatFigures = ({ ledger, exchange }: Difference): string => `${ledger}${FIGURES_SEPARATOR}${exchange}`;
