/** Merges complete sets into currency, splits currency into sets, and redeems settled shares. */

import { type Micros, minMicros, ONE, sub, toMultiple, ZERO } from '../../../shared/base/micros.js';
import { isSettledMarket } from '../../../shared/protocol/states.js';
import type { Notes } from '../../ledger/contract.js';
import type { MarketTracker } from '../../market/market-tracker.js';
import type { MarketFacts } from '../../market/view.js';
import type { MergeIntent, RedeemIntent, SplitIntent } from '../../risk/intent.js';
import type { Quotes, SetsWish } from '../../strategy/contract.js';
import { batchOf, type Economics, isPullingWorth, USUAL_PAIRS_PER_S } from '../../strategy/economics.js';
import { approveAndExecute, gatherFacts, NO_REASON, type StepContext } from '../gate.js';
import type { MarketEntry } from '../markets.js';
import { heldIn, type OwnState } from '../own/own-state.js';
import type { QuotedOrder } from '../quoting/changes.js';
import type { QuoteSlot } from '../quoting/quote-slot.js';
import type { MergeSettings } from '../settings.js';

/** Wait after a conversion before the next in the same market, ms: a merge takes the venue about a second. */
const RETRY_MS = 10_000;
/** Longest wait after refusals, ms; the wait doubles with each consecutive one. */
const LONGEST_RETRY_MS = 3_600_000;

/** Below this fraction of all cash, free currency is scarce and smaller merges are worth their requests. */
const SCARCE_CASH_FRACTION = 0.2;

/** Rules for conversions of one market in one step. */
export interface ConversionRules {
  readonly merge: MergeSettings;
  readonly core: Core;
  /** True when currency may be split. */
  readonly splits: boolean;
  /** Mark of the YES share; null while unknown. */
  readonly markMicros: Micros | null;
}

/**
 * Sell orders to cancel, because they bind pairs worth merging: currency is scarce, or the pairs have waited longer
 * than the requests are worth.
 */
export function mergeBlockers(
  { feed, nextConversionMs }: MarketEntry,
  merge: MergeSettings,
  core: Core,
  context: StepContext,
): readonly QuotedOrder[] {
  const facts = feed.facts;
  if (
    facts === null ||
    !merge.enabled ||
    !core.merges ||
    context.executor.pendingConversion('merge', facts.conditionId) !== null
  )
    return [];
  if (context.nowMs < nextConversionMs) return [];
  const { yesMicros, noMicros } = heldIn(context.own, facts.conditionId);
  const pairs = sub(minMicros(yesMicros, noMicros), core.sharesMicros);
  if (
    facts.phase !== 'open' ||
    pairs < merge.minSharesMicros ||
    freePairs(facts, core, context) >= merge.minSharesMicros
  )
    return [];
  const sells = (context.own.orders.get(facts.conditionId) ?? []).filter(
    ({ side, isYes }) => (side === 'ask') === isYes,
  );
  const blockers = sells.filter(({ isYes }) => context.own.exposure.freeShares(facts.conditionId, isYes) < pairs);
  // The expected further wait equals the time that the orders have rested.
  const waitS = Math.max(0, ...blockers.map(({ submittedMs }) => context.nowMs - submittedMs)) / 1000;
  const isWorth = isPullingWorth(context.economics, { pairs: pairs / ONE, orders: blockers.length, waitS });
  return scarceCash(context.own) || isWorth ? blockers : [];
}

/**
 * Begins one conversion: redeems shares of a settled market, merges enough free pairs, or splits currency for the core
 * of sets. Scarce currency lowers the size of a merge. Shares offered by open orders are not merged. True when a
 * conversion was begun.
 */
export function convert(entry: MarketEntry, rules: ConversionRules, context: StepContext): boolean {
  const facts = entry.feed.facts;
  if (facts === null || context.nowMs < entry.nextConversionMs) return false;
  const intent = isSettledMarket(facts.phase) ? planRedeem(facts, context) : planMerge(facts, rules, context);
  if (intent === null) return replenish(entry, rules, context);
  entry.nextConversionMs = context.nowMs + RETRY_MS;
  return approveAndExecute(intent, gatherFacts(context), NO_REASON, context) === null;
}

/** Splits currency up to the strategy's core of sets, if the rung allows it. */
function replenish(entry: MarketEntry, { core, splits, markMicros }: ConversionRules, context: StepContext): boolean {
  const { feed } = entry;
  const split = splits && core.slot !== null ? planSplit(core, feed, markMicros, context) : null;
  if (split === null || core.slot === null) return false;
  entry.nextConversionMs = context.nowMs + RETRY_MS;
  const facts = gatherFacts(context, feed.sight(context.nowMs), core.slot.strategy.risk);
  const refusal = approveAndExecute(split, facts, NO_REASON, context);
  if (refusal !== null) core.slot.refusals.add(refusal, context.nowMs);
  return refusal === null;
}

/** Records a failed conversion of this market; the next one waits longer. */
export function conversionFailed(entry: MarketEntry, nowMs: number): void {
  entry.conversionFailures += 1;
  entry.nextConversionMs = nowMs + Math.min(RETRY_MS * 2 ** entry.conversionFailures, LONGEST_RETRY_MS);
}

export function conversionDone(entry: MarketEntry): void {
  entry.conversionFailures = 0;
}

function planMerge(
  facts: MarketFacts,
  { merge: settings, core }: ConversionRules,
  context: StepContext,
): MergeIntent | null {
  const { conditionId } = facts;
  if (
    !settings.enabled ||
    !core.merges ||
    facts.phase !== 'open' ||
    context.executor.pendingConversion('merge', conditionId) !== null
  )
    return null;
  const amountMicros = freePairs(facts, core, context);
  const scarce = scarceCash(context.own) && amountMicros >= facts.minAmountMicros;
  const enough = amountMicros >= settings.minSharesMicros || scarce;
  if (!enough || amountMicros <= 0 || context.requests.queue.headroom('signed', 'draft', context.nowMs) < 2)
    return null;
  return {
    kind: 'merge',
    intentId: context.requests.nextIntentId(conditionId),
    marketConditionId: conditionId,
    amountMicros,
  };
}

export const scarceCash = ({ availableMicros, cashMicros }: OwnState): boolean =>
  availableMicros < cashMicros * SCARCE_CASH_FRACTION;

/** Pairs beyond the core that no order offers; may be negative. */
function freePairs(facts: MarketFacts, core: Core, context: StepContext): Micros {
  const { exposure } = context.own;
  const free = minMicros(exposure.freeShares(facts.conditionId, true), exposure.freeShares(facts.conditionId, false));
  const beyond = sub(exposure.setsMicros(facts.conditionId), core.sharesMicros);
  return toMultiple(minMicros(free, beyond), facts.lotMicros, 'floor');
}

function planRedeem({ conditionId }: MarketFacts, context: StepContext): RedeemIntent | null {
  const { yesMicros, noMicros } = heldIn(context.own, conditionId);
  const pending = (kind: 'merge' | 'redeem') => context.executor.pendingConversion(kind, conditionId);
  if ((yesMicros === 0 && noMicros === 0) || pending('redeem') !== null) return null;
  // The holding is final only when no own order and no merge is in flight.
  if ((context.own.orders.get(conditionId) ?? []).length > 0 || pending('merge') !== null) return null;
  return {
    kind: 'redeem',
    intentId: context.requests.nextIntentId(conditionId),
    marketConditionId: conditionId,
    yesMicros,
    noMicros,
  };
}

/** Name of the ledger note that stores the wishes. */
const CORE_SETS_NOTE = 'core_sets';

/**
 * Core of complete sets of one market. With several strategies the largest wish counts, and any wish against merging.
 */
interface Core {
  readonly sharesMicros: Micros;
  readonly merges: boolean;
  /** Slot of the strategy with the largest wish; null without wishes. */
  readonly slot: QuoteSlot | null;
}

export const NO_CORE: Core = { sharesMicros: ZERO, merges: true, slot: null };

/**
 * Stores wishes for complete sets by market and strategy. They persist while a market is not quoted because of an old
 * book: otherwise each interruption would cost a merge and a split.
 */
export class CoreSets {
  readonly #notes: Notes;
  readonly #wishes: Map<string, SetsWish>;

  constructor(notes: Notes) {
    this.#notes = notes;
    // Only this class writes the note.
    const stored = JSON.parse(notes.note(CORE_SETS_NOTE) ?? '[]') as readonly (readonly [string, SetsWish])[];
    this.#wishes = new Map(stored);
  }

  /** Stores a strategy's wish if it changed; quotes without a fair price leave it unchanged. */
  take(slot: QuoteSlot, { fairMicros, sets }: Quotes): void {
    if (fairMicros === null && sets === undefined) return;
    const key = makeKey(slot);
    const before = this.#wishes.get(key);
    const wish = sets === undefined || isPlain(sets) ? undefined : sets;
    if (before?.coreSharesMicros === wish?.coreSharesMicros && before?.merge === wish?.merge) return;
    if (wish === undefined) this.#wishes.delete(key);
    else this.#wishes.set(key, { coreSharesMicros: wish.coreSharesMicros, merge: wish.merge });
    this.#notes.setNote(CORE_SETS_NOTE, JSON.stringify([...this.#wishes]));
  }

  /** Combines the wishes of the running strategies; the wish of a removed one is ignored. */
  of(slots: readonly QuoteSlot[]): Core {
    if (this.#wishes.size === 0) return NO_CORE;
    let core = NO_CORE;
    for (const slot of slots) {
      const wish = this.#wishes.get(makeKey(slot));
      if (wish === undefined) continue;
      const isMore = core.slot === null || wish.coreSharesMicros > core.sharesMicros;
      const merges = core.merges && wish.merge === 'auto';
      core = isMore ? { merges, sharesMicros: wish.coreSharesMicros, slot } : { ...core, merges };
    }
    return core;
  }
}

const makeKey = ({ conditionId, strategy }: QuoteSlot): string => `${conditionId} ${strategy.name}`;
const isPlain = ({ coreSharesMicros, merge }: SetsWish): boolean => coreSharesMicros === 0 && merge === 'auto';
/** True when the missing sets are worth the requests of a split. */
export const isShort = (coreMicros: Micros, setsMicros: Micros, economics: Economics): boolean =>
  coreMicros - setsMicros >= Math.min(coreMicros, batchOf(economics, USUAL_PAIRS_PER_S) * ONE) && coreMicros > 0;

/**
 * Plans a split that refills the core once a whole batch is missing. Null when none is needed, or when currency,
 * requests or a mark are missing.
 */
function planSplit(
  { sharesMicros }: Core,
  feed: Pick<MarketTracker, 'facts'>,
  markMicros: Micros | null,
  context: StepContext,
): SplitIntent | null {
  const { facts } = feed;
  if (facts === null || facts.phase !== 'open' || sharesMicros === 0) return null;
  const { conditionId, lotMicros } = facts;
  const { executor, own, economics, requests, nowMs } = context;
  const pending = (kind: 'split' | 'merge') => executor.pendingConversion(kind, conditionId);
  if (pending('split') !== null || pending('merge') !== null) return null;
  const sets = own.exposure.setsMicros(conditionId);
  const amountMicros = toMultiple(sub(sharesMicros, sets), lotMicros, 'floor');
  if (
    !isShort(sharesMicros, sets, economics) ||
    amountMicros < facts.minAmountMicros ||
    amountMicros > own.availableMicros
  )
    return null;
  if (markMicros === null || markMicros <= 0 || markMicros >= ONE) return null;
  if (requests.queue.headroom('signed', 'draft', nowMs) < 2) return null;
  return {
    kind: 'split',
    intentId: context.requests.nextIntentId(conditionId),
    marketConditionId: conditionId,
    eventConditionId: facts.eventConditionId,
    amountMicros,
    yesPriceMicros: markMicros,
  };
}
