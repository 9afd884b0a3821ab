/** Runs quoters, the objects that a strategy's code creates. A quoter that throws or hangs must not stop the trader. */

import { isDeepStrictEqual, types } from 'node:util';
import type { Ledger } from '../../ledger/contract.js';
import type { EventFacts, MarketFacts, MarketView, WholeEventView } from '../../market/view.js';
import { checkEventQuotes, checkQuotes } from '../../strategy/check.js';
import {
  type AnyEvent,
  MAX_STATE_BYTES,
  NO_QUOTES,
  type ParamValues,
  type Quotes,
  type SavedState,
  type Strategy,
} from '../../strategy/contract.js';
import type { BoundedCall, StrategySettings, TraderSettings } from '../settings.js';

/** The quoter of one market or of one event. Only an event's quoter uses `conditionId`. */
interface AnyQuoter {
  quote(view: MarketView | WholeEventView): unknown;
  observe?(event: AnyEvent, conditionId: string): void;
  save?(): unknown;
  params?(next: ParamValues): void;
}

type Create = (params: ParamValues, saved: unknown) => AnyQuoter;

/** Interval at which a strategy's state is saved, ms. */
const SAVE_EVERY_MS = 10_000;

/** Runs the quoter of one market or one event. After a failure, the quoter is not called until `renew` replaces it. */
export class StrategySandbox {
  /** The event that is quoted as a whole; null for a quoter of one market. */
  readonly event: EventFacts | null;
  readonly #create: Create;
  readonly #call: BoundedCall;
  /** Version of the saved state; null for a module without state. */
  readonly #version: number | null;
  /** Current parameters of the strategy's quoter. */
  params: ParamValues;
  #quoter: AnyQuoter | null;
  /** Newest quotes for the event's markets, by condition id; null before the first quotes, or if they are invalid. */
  #eventQuotes: Readonly<Record<string, Quotes>> | null = null;
  /** Newest parameters, if the quoter did not accept them; otherwise null. */
  #refusedParams: ParamValues | null = null;
  /** Why the quoter was stopped; null while it works. */
  failure: string | null = null;
  #isFailureTaken = false;
  #memoryTrouble: string | null = null;
  /** Time when the quoter's state was last saved, our clock, ms. */
  #savedMs = Number.NEGATIVE_INFINITY;
  /** JSON of the newest state: empty if that state could not be stored, so that only the first is reported. */
  #savedText: string | null = null;
  #hasLearned = false;
  /** True if a saved state existed but the quoter began without it. */
  readonly hasBegunAnew: boolean;
  /** Save time of the state with which the quoter began, our clock, ms; null if it began without one. */
  restoredMs: number | null = null;
  readonly #restoredIn = new Set<string>();

  /** @param event event that is quoted as a whole; null for a quoter of one market */
  constructor(
    { state }: Pick<Strategy, 'state'>,
    create: Create,
    params: ParamValues,
    call: BoundedCall,
    event: EventFacts | null = null,
    saved: SavedState | null = null,
  ) {
    this.#create = create;
    this.#call = (work) => refusePromise(call(work));
    this.#version = state?.version ?? null;
    this.params = params;
    this.event = event;
    const restored = this.#restoreQuoter(saved);
    this.hasBegunAnew = saved !== null && restored === null;
    this.#quoter = restored ?? this.#createQuoter();
  }

  /** Returns, once per market, the time of the restored state: the quoter has not observed later fills. Else null. */
  takeRestoredMs(conditionId: string): number | null {
    if (this.#restoredIn.has(conditionId)) return null;
    this.#restoredIn.add(conditionId);
    return this.restoredMs;
  }

  /** Creates a quoter from saved state. Returns null if the state is unusable; `takeMemoryTrouble` then says why. */
  #restoreQuoter(saved: SavedState | null): AnyQuoter | null {
    if (saved === null || this.#version === null) return null;
    if (saved.version !== this.#version) {
      this.#memoryTrouble = `the strategy starts without its saved state, which has version ${saved.version}; the module reads version ${this.#version}`;
      return null;
    }
    try {
      const remembered: unknown = JSON.parse(saved.text);
      return this.#call(() => this.#create(this.params, remembered));
    } catch (error) {
      this.#memoryTrouble = `the strategy starts without its saved state, which cannot be used: ${describe(error)}`;
      return null;
    }
  }

  #createQuoter(): AnyQuoter | null {
    try {
      const quoter = this.#call(() => this.#create(this.params, undefined));
      if (typeof quoter?.quote !== 'function') this.failure = 'create() returned no object with a quote function';
      return quoter;
    } catch (error) {
      this.failure = `create() failed: ${describe(error)}`;
      return null;
    }
  }

  /** Returns the quoter's failure once, for a notice; null if there is no new failure. */
  takeFailure(): string | null {
    if (this.#isFailureTaken) return null;
    this.#isFailureTaken = this.failure !== null;
    return this.failure;
  }

  /** Returns a new problem with the saved state, which is unusable or was not saved; null if there is no new one. */
  takeMemoryTrouble(): string | null {
    const trouble = this.#memoryTrouble;
    this.#memoryTrouble = null;
    return trouble;
  }

  /** Replaces a failed quoter by one with these parameters and without saved state. */
  renew(params: ParamValues): void {
    this.params = params;
    this.#eventQuotes = null;
    this.failure = null;
    this.#isFailureTaken = false;
    this.#memoryTrouble = null;
    this.#savedMs = Number.NEGATIVE_INFINITY;
    this.#savedText = null;
    this.#hasLearned = false;
    this.#quoter = this.#createQuoter();
  }

  /** Runs the quoter of an event. A null view means that no market may be quoted; then the quoter is not called. */
  askEvent(view: WholeEventView | null): void {
    this.#eventQuotes = view && this.#ask(view, checkEventQuotes);
  }

  /** Returns one market's quotes, without levels after a failure. For an event, `askEvent` has computed the quotes. */
  quote(view: MarketView): Quotes {
    const quotes =
      this.event === null
        ? this.#ask(view, checkQuotes)
        : this.failure === null && this.#eventQuotes?.[view.market.conditionId];
    if (this.failure !== null) return NO_QUOTES(`strategy stopped: ${this.failure}`);
    return quotes || NO_QUOTES('the event has not been quoted yet');
  }

  /** Calls the quoter and returns its quotes; null if the quoter has failed, or if `check` finds the quotes invalid. */
  #ask<T, V extends MarketView | WholeEventView>(view: V, check: (answer: T, view: V) => string | null): T | null {
    const quoter = this.#quoter;
    if (this.failure !== null || quoter === null) return null;
    try {
      // The cast is safe: `check` verifies the value.
      const quotes = this.#call(() => quoter.quote(view)) as T;
      const nonsense = check(quotes, view);
      if (nonsense === null) return quotes;
      this.failure = `quote() returned invalid quotes: ${nonsense}`;
    } catch (error) {
      this.failure = `quote() failed: ${describe(error)}`;
    }
    return null;
  }

  /** Passes an event to the quoter. After a fill, the state is saved soon, because a fill is passed only once. */
  observe(event: AnyEvent, conditionId: string): void {
    const quoter = this.#quoter;
    this.#hasLearned ||= event.kind === 'fill';
    if (this.failure !== null || quoter === null) return;
    try {
      this.#call(() => quoter.observe?.(event, conditionId));
    } catch (error) {
      this.failure = `observe() failed: ${describe(error)}`;
    }
  }

  /** Passes new parameters to the quoter. Returns false if the quoter must be replaced. */
  takeParams(next: ParamValues): boolean {
    if (isDeepStrictEqual(this.params, next)) return true;
    const quoter = this.#quoter;
    if (this.#refusedParams === next || this.failure !== null || quoter?.params === undefined) return false;
    this.#refusedParams = next;
    try {
      this.#call(() => quoter.params?.(next));
    } catch {
      return false;
    }
    this.#refusedParams = null;
    this.params = next;
    return true;
  }

  /** Returns true if the quoter's state must be saved: after a fill, or if a new save interval has begun. */
  isSaveDue(nowMs: number): boolean {
    // All quoters have the same intervals, so their states are saved together. Each save costs a disk sync.
    return this.#hasLearned || Math.floor(nowMs / SAVE_EVERY_MS) !== Math.floor(this.#savedMs / SAVE_EVERY_MS);
  }

  /** Returns the quoter's state to store; null if it has none, or if the state is unchanged or cannot be stored. */
  save(nowMs: number): SavedState | null {
    const quoter = this.#quoter;
    this.#savedMs = nowMs;
    this.#hasLearned = false;
    if (this.failure !== null || this.#version === null || quoter?.save === undefined) return null;
    try {
      const state: unknown = this.#call(() => quoter.save?.());
      const text: unknown = JSON.stringify(state);
      if (state === undefined || text === this.#savedText) return null;
      const bytes = typeof text === 'string' ? Buffer.byteLength(text) : 0;
      const isSound = typeof text === 'string' && bytes <= MAX_STATE_BYTES;
      const what = bytes > 0 ? `${bytes} bytes, but the maximum is ${MAX_STATE_BYTES}` : 'a value that is not JSON';
      if (!isSound && this.#savedText !== '')
        this.#memoryTrouble = `the strategy's state is not saved: save() returned ${what}`;
      this.#savedText = isSound ? text : '';
      return isSound ? { version: this.#version, text } : null;
    } catch (error) {
      this.failure = `save() failed: ${describe(error)}`;
      return null;
    }
  }
}

/** Returns a call's result. A promise is refused, and its later rejection is ignored, so it cannot end the trader. */
function refusePromise<T>(result: T): T {
  if (!types.isPromise(result)) return result;
  result.catch(() => undefined);
  throw new TypeError('the function returned a promise, but must return its result at once');
}

/** Describes a thrown value, shortened. A strategy may throw anything, even a value that cannot become text. */
function describe(error: unknown): string {
  try {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return text.length > 300 ? `${text.slice(0, 300)}…` : text;
  } catch {
    return 'a value that cannot be shown as text';
  }
}

/** Creates quoters, from saved state if there is any. A strategy that quotes whole events has one quoter per event. */
export class Sandboxes {
  readonly #memory: Ledger;
  readonly #kept = new Map<string, { sandbox: StrategySandbox; event: string; strategy: StrategySettings }>();

  constructor(memory: Ledger) {
    this.#memory = memory;
  }

  /** True if a strategy quotes an event as a whole. */
  get haveEvents(): boolean {
    return this.#kept.size > 0;
  }

  /** Returns a new quoter, or the event's existing one; null if the strategy needs an event and the market has none. */
  open(
    strategy: StrategySettings,
    facts: MarketFacts,
    { events, boundedCall }: Pick<TraderSettings, 'events' | 'boundedCall'>,
  ): StrategySandbox | null {
    const { name, module, params } = strategy;
    if (module.scope !== 'event') {
      const create: Create = (values, kept) => module.create(values, facts, kept);
      return this.#restore(strategy, facts.conditionId, null, create, boundedCall);
    }
    const event = facts.eventConditionId;
    if (event === null) return null;
    const key = `${name} ${event}`;
    const found = this.#kept.get(key);
    const isSameCode = found?.strategy.moduleKey === strategy.moduleKey;
    if (found !== undefined && isSameCode && isDeepStrictEqual(found.sandbox.params, params)) return found.sandbox;
    const eventFacts = findEventFacts(event, facts.conditionId, events);
    const create: Create = (values, kept) => module.create(values, eventFacts, kept);
    const sandbox = this.#restore(strategy, event, eventFacts, create, boundedCall);
    this.#kept.set(key, { sandbox, event, strategy });
    return sandbox;
  }

  /** Drops the quoters of a strategy that no longer quotes. */
  dismiss(strategy: string): void {
    for (const [key, kept] of this.#kept) if (kept.strategy.name === strategy) this.#kept.delete(key);
  }

  /** Drops the quoters and saved states of an event whose markets are not tracked. Call inside a ledger transaction. */
  forget(event: string): void {
    this.#memory.forgetStrategyStates(event);
    for (const [key, kept] of this.#kept) if (kept.event === event) this.#kept.delete(key);
  }

  #restore(
    { name, module, params }: StrategySettings,
    memoryId: string,
    event: EventFacts | null,
    create: Create,
    call: BoundedCall,
  ): StrategySandbox {
    const version = module.state?.version;
    const saved = version === undefined ? null : this.#memory.strategyState(name, memoryId, version);
    const sandbox = new StrategySandbox(module, create, params, call, event, saved);
    // Unusable saved state is marked, so that the next save does not overwrite it.
    const hasBegunAnew = sandbox.hasBegunAnew && sandbox.failure === null;
    if (!sandbox.hasBegunAnew) sandbox.restoredMs = saved?.savedMs ?? null;
    if (saved !== null && saved.version === version && hasBegunAnew)
      this.#memory.setStrategyStateAside(name, memoryId, saved.version);
    return sandbox;
  }
}

/** Returns an event's declaration in the trader's file. Searches by market first: recordings may lack event ids. */
function findEventFacts(eventConditionId: string, market: string, events: TraderSettings['events']): EventFacts {
  const rule =
    events.find(({ marketConditionIds }) => marketConditionIds.includes(market)) ??
    events.find((each) => each.eventConditionId === eventConditionId);
  const marketConditionIds = Object.freeze([...(rule?.marketConditionIds ?? [])]);
  return Object.freeze({ eventConditionId, outcomes: rule?.outcomes ?? null, marketConditionIds });
}
