/** Runs one quoter of a strategy. A quoter may throw, hang or lose its state; the failure stays inside. */

import type { SavedState, StateDeclaration } from '../../strategy/contract.js';
import { MAX_STATE_BYTES } from '../../strategy/contract.js';
import type { ParamValues } from '../../strategy/params.js';

/**
 * Calls a function and gives up on it after a bounded time by throwing. The shell supplies it, because only a shell can
 * measure time; a shell on virtual time may simply call.
 */
export type BoundedCall = <T>(call: () => T) => T;

/** Shared part of the quoters of a market and of an event. */
interface AnyQuoter {
  readonly quote: unknown;
  save?(): unknown;
  params?(next: ParamValues): void;
}

/** A strategy's state is saved at its first turn in each span of this length, ms. */
const SAVE_EVERY_MS = 10_000;

/** After a failure it returns no quotes until a new quoter is made: a strategy that threw may have broken state. */
export class StrategySandbox<Q extends AnyQuoter = AnyQuoter> {
  readonly #call: BoundedCall;
  readonly #quoter: Q | null;
  /** Null for a module that declares no state. */
  readonly #version: number | null;
  #failure: string | null = null;
  #isFailureTaken = false;
  #memoryTrouble: string | null = null;
  /** Our clock, ms. */
  #savedMs = Number.NEGATIVE_INFINITY;
  #savedText: string | null = null;
  #hasLearned = false;
  /** True when saved state existed that the quoter was not created from. */
  readonly hasBegunAnew: boolean;

  /**
   * @param state absent for a module that declares none
   * @param saved last saved state of a quoter of this strategy, in any version
   */
  constructor(
    create: (saved: unknown) => Q,
    state: StateDeclaration | undefined,
    call: BoundedCall,
    saved: SavedState | null = null,
  ) {
    this.#call = call;
    this.#version = state?.version ?? null;
    const bounded = (remembered: unknown): Q => call(() => create(remembered));
    const restored = this.#restoreQuoter(saved, bounded);
    this.hasBegunAnew = saved !== null && restored === null;
    this.#quoter = restored ?? this.#createQuoter(bounded);
  }

  /** Null when the saved state cannot be used; `takeMemoryTrouble` returns the reason. */
  #restoreQuoter(saved: SavedState | null, create: (state: unknown) => Q): Q | null {
    if (saved === null || this.#version === null) return null;
    if (saved.version !== this.#version) {
      this.#memoryTrouble = `it begins anew: what was saved is of version ${saved.version}, and it reads version ${this.#version}`;
      return null;
    }
    try {
      return create(JSON.parse(saved.text));
    } catch (error) {
      this.#memoryTrouble = `it begins anew: what was saved cannot be gone on from: ${describe(error)}`;
      return null;
    }
  }

  #createQuoter(create: (state: unknown) => Q): Q | null {
    try {
      const quoter = create(undefined);
      if (typeof quoter?.quote !== 'function') this.#failure = 'create() returned no object with a quote function';
      return quoter;
    } catch (error) {
      this.#failure = `create() failed: ${describe(error)}`;
      return null;
    }
  }

  /** Why it is stopped; null while it works. */
  get failure(): string | null {
    return this.#failure;
  }

  /** The same, returned once for the notice. */
  takeFailure(): string | null {
    if (this.#isFailureTaken) return null;
    this.#isFailureTaken = this.#failure !== null;
    return this.#failure;
  }

  /** Why the saved state could not be used, or why none is saved; returned once. */
  takeMemoryTrouble(): string | null {
    const trouble = this.#memoryTrouble;
    this.#memoryTrouble = null;
    return trouble;
  }

  /** The quoter's answer; null after any failure, or when `judge` rejects the answer. */
  ask<T>(answer: (quoter: Q) => T, judge: (answer: T) => string | null): T | null {
    const quoter = this.#quoter;
    if (this.#failure !== null || quoter === null) return null;
    try {
      const quotes = this.#call(() => answer(quoter));
      const nonsense = judge(quotes);
      if (nonsense === null) return quotes;
      this.#failure = `quote() returned nonsense: ${nonsense}`;
    } catch (error) {
      this.#failure = `quote() failed: ${describe(error)}`;
    }
    return null;
  }

  /**
   * Passes an observation to the quoter. @param isKept whether its state is saved at the next turn: a fill arrives only
   * once
   */
  tell(tell: (quoter: Q) => void, isKept: boolean): void {
    const quoter = this.#quoter;
    this.#hasLearned ||= isKept;
    if (this.#failure !== null || quoter === null) return;
    try {
      this.#call(() => tell(quoter));
    } catch (error) {
      this.#failure = `observe() failed: ${describe(error)}`;
    }
  }

  /** Passes new parameters to the quoter; false when it takes none or threw, so that a new one is needed. */
  takeParams(next: ParamValues): boolean {
    const quoter = this.#quoter;
    if (this.#failure !== null || quoter?.params === undefined) return false;
    try {
      this.#call(() => quoter.params?.(next));
      return true;
    } catch {
      return false;
    }
  }

  /** True when its state is to be saved: after an observation, or at the first turn of a span. */
  isSaveDue(nowMs: number): boolean {
    // Fixed spans, not ages: all markets are saved in few steps, because each save costs a sync.
    return this.#hasLearned || Math.floor(nowMs / SAVE_EVERY_MS) !== Math.floor(this.#savedMs / SAVE_EVERY_MS);
  }

  /** State to store; null when there is none or it is unchanged. */
  save(nowMs: number): SavedState | null {
    const saved = this.#readState();
    this.#savedMs = nowMs;
    this.#hasLearned = false;
    if (saved === null || saved.text === this.#savedText) return null;
    this.#savedText = saved.text;
    return saved;
  }

  /** State for the next creation of the quoter; null when none can be stored. */
  #readState(): SavedState | null {
    const quoter = this.#quoter;
    if (this.#failure !== null || this.#version === null || quoter?.save === undefined) return null;
    try {
      const text: unknown = JSON.stringify(this.#call(() => quoter.save?.()));
      const bytes = typeof text === 'string' ? Buffer.byteLength(text) : 0;
      if (typeof text === 'string' && bytes <= MAX_STATE_BYTES) return { version: this.#version, text };
      const what =
        typeof text === 'string' ? `${bytes} bytes, at most ${MAX_STATE_BYTES}` : 'nothing that JSON can hold';
      this.#memoryTrouble = `nothing is saved of it: save() gave ${what}`;
    } catch (error) {
      this.#failure = `save() failed: ${describe(error)}`;
    }
    return null;
  }
}

/** Text of a thrown value, shortened: a strategy may throw anything. */
function describe(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
