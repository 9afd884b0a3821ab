/**
 * The API keys of one wallet as one budget of signed requests. Where the venue counts each key by itself, each has a line of its
 * own and a request goes by the one with most room; where it counts the wallet, or nobody knows, all keys share one line and all
 * but the first are in reserve. A key that the venue refuses is put aside, but only once another was believed: the last stays,
 * for there is nothing better, and what it is told goes to who asked.
 */

import { refusesKey } from '../../shared/protocol/errors.js';
import type { Outcome } from '../../shared/protocol/seam.js';
import type { Credentials } from '../wallet/credentials.js';
import type { Line } from './budget-line.js';

/** What a request leaves by: the line that it stands in, and the key that signs it; null for what nobody signs. */
export interface Seat {
  readonly line: Line;
  readonly credentials: Credentials | null;
}

/** Signed requests that may leave by any key. */
export interface WalletRoom {
  readonly limit: number;
  readonly remaining: number;
  /** Monotonic ms: when one more may leave; Infinity while only an answer can tell. */
  readonly nextPlaceMs: number;
}

/** Chooses the key that signs a request, and keeps those that the venue does not take out of it. */
export class KeyRing {
  readonly #makeLine: () => Line;
  /** The one line of all keys; null where each has its own. */
  readonly #shared: Line | null;
  /** By the key's id: every key that was given, those put aside included, in their order. */
  #seats: ReadonlyMap<string, Seat> = new Map();
  #live: readonly Seat[] = [];
  #uses = 0;
  readonly #lastUse = new Map<Seat, number>();

  constructor(credentials: readonly Credentials[], makeLine: () => Line, isCountedByKey: boolean) {
    this.#makeLine = makeLine;
    this.#shared = isCountedByKey ? null : makeLine();
    this.replace(credentials);
  }

  /** Keys that were given, and those of them that are used. */
  get size(): { readonly known: number; readonly live: number } {
    return { known: this.#seats.size, live: this.#live.length };
  }

  /** Goes on with these keys in place of those before them, the others put aside. What was counted under a key stays counted. */
  replace(live: readonly Credentials[], others: readonly Credentials[] = []): void {
    const before = this.#seats;
    const seatOf = (each: Credentials) => before.get(each.apiKey) ?? this.#seat(each);
    this.#seats = new Map([...live, ...others].map((each) => [each.apiKey, seatOf(each)]));
    this.#live = [...this.#seats.values()].slice(0, live.length);
  }

  /** Also one that was put aside; null for a key that was never given. */
  find(apiKey: string): Seat | null {
    return this.#seats.get(apiKey) ?? null;
  }

  /** The key with most room that is not among these; of equals the one that rested longest. Null when there is none. */
  choose(refused: Pick<ReadonlySet<Seat>, 'has'> = NONE): Seat | null {
    const [first] = this.#live;
    if (first !== undefined && this.#live.length === 1) return refused.has(first) ? null : first;
    let best: Seat | null = null;
    for (const seat of this.#live) if (!refused.has(seat) && (best === null || this.#isBetter(seat, best))) best = seat;
    if (best !== null) this.#lastUse.set(best, this.#uses++);
    return best;
  }

  /** One that may send now what others were told to ask later, for their windows are their own; null when there is none. */
  chooseFree(throttled: Pick<ReadonlySet<Seat>, 'has'>): Seat | null {
    const seat = this.#shared === null ? this.choose(throttled) : null;
    return seat !== null && seat.line.room().remaining >= 1 ? seat : null;
  }

  /** Of several keys this one is used no more. What waits in its line is turned away, and finds another. */
  putAside(seat: Seat): void {
    if (this.#live.length < 2 || !this.#live.includes(seat)) return;
    this.#live = this.#live.filter((other) => other !== seat);
    const { credentials } = seat;
    if (this.#shared !== null || credentials === null) return;
    // Somebody may still ask whether it is taken again.
    this.#seats = new Map(this.#seats).set(credentials.apiKey, this.#seat(credentials));
    void seat.line.close();
  }

  isLive(seat: Seat): boolean {
    return this.#live.includes(seat);
  }

  /** The id of its key, where other keys have limits of their own; null where what stops it stops all. */
  ownLimitOf({ credentials }: Seat): string | null {
    return credentials === null || this.#shared !== null || this.#seats.size < 2 ? null : credentials.apiKey;
  }

  /** Its limit is used up for a while: who waits for it finds another key, for theirs are their own. */
  pause(seat: Seat): void {
    if (this.#shared === null && this.#live.length > 1 && this.#live.includes(seat)) seat.line.sendAway();
  }

  /** What all keys that are used may send together; null where one line is all there is, for its own answers say that. */
  get room(): WalletRoom | null {
    if (this.#shared !== null || this.#seats.size < 2) return null;
    const rooms = this.#live.map(({ line }) => line.room());
    const sum = (of: (room: WalletRoom) => number) => rooms.reduce((all, room) => all + of(room), 0);
    return {
      limit: sum(({ limit }) => limit),
      remaining: sum(({ limit, remaining }) => Math.min(limit, Math.max(0, Math.floor(remaining)))),
      nextPlaceMs: Math.min(...rooms.map(({ nextPlaceMs }) => nextPlaceMs)),
    };
  }

  /** The part of what all keys that are used may send in a minute which could leave now; below 0 where more wait than can. NaN where nothing is counted. */
  get freePart(): number {
    const lines = this.#shared === null ? this.#live.map(({ line }) => line) : [this.#shared];
    const rooms = lines.map((line) => line.room());
    return rooms.reduce((sum, { remaining }) => sum + remaining, 0) / rooms.reduce((sum, { limit }) => sum + limit, 0);
  }

  async close(): Promise<void> {
    const lines = [...this.#seats.values()].map(({ line }) => line);
    await Promise.all((this.#shared === null ? lines : [this.#shared]).map((line) => line.close()));
  }

  #isBetter(a: Seat, b: Seat): boolean {
    const [one, other] = [a.line.room(), b.line.room()];
    if (one.remaining < 1 && other.remaining < 1 && one.nextPlaceMs !== other.nextPlaceMs)
      return one.nextPlaceMs < other.nextPlaceMs;
    if (one.remaining !== other.remaining) return one.remaining > other.remaining;
    // Keys in reserve stay there.
    if (this.#shared !== null) return false;
    return (this.#lastUse.get(a) ?? -1) < (this.#lastUse.get(b) ?? -1);
  }

  #seat(credentials: Credentials): Seat {
    return { credentials, line: this.#shared ?? this.#makeLine() };
  }
}

const NONE: ReadonlySet<Seat> = new Set();

/** Whether the service itself said that this key has asked too often: nothing was done, and another key may have room. */
export const isKeyThrottled = (outcome: Outcome): boolean => outcome.kind === 'refused' && outcome.status === 429;

/** Whether the venue did not believe the key, or lets it not do this. */
export const isKeyRefusal = (outcome: Outcome): boolean => outcome.kind === 'refused' && refusesKey(outcome);
