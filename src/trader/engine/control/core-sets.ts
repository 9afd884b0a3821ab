/** Complete sets that strategies keep in stock, stored over restarts, and the split that provides them. */

import { type Micros, ONE, sub, toMultiple, ZERO } from '../../../shared/base/micros.js';
import type { Notes } from '../../ledger/contract.js';
import type { MarketTracker } from '../../market/market-tracker.js';
import type { SplitIntent } from '../../risk/intent.js';
import type { Quotes, SetsWish } from '../../strategy/contract.js';
import { batchOf, type Economics, USUAL_PAIRS_PER_S } from '../../strategy/economics.js';
import type { StepContext } from '../gate.js';
import type { QuoteSlot } from '../quoting/quote-slot.js';

/** The ledger's note. */
const CORE_SETS_NOTE = 'core_sets';

/** Core of one market. With several strategies, the largest wish decides, and a wish against merging wins. */
export interface Core {
  readonly sharesMicros: Micros;
  readonly merges: boolean;
  /** Slot of the strategy that wants it; null when none does. */
  readonly slot: QuoteSlot | null;
}

export const NO_CORE: Core = { sharesMicros: ZERO, merges: true, slot: null };

/**
 * Wishes by market and strategy. They persist while a market is not quoted because of an old book: otherwise each pause
 * would cost a merge and a split.
 */
export class CoreSets {
  readonly #notes: Notes;
  readonly #wishes: Map<string, SetsWish>;

  constructor(notes: Notes) {
    this.#notes = notes;
    // This class alone writes the note.
    const stored = JSON.parse(notes.note(CORE_SETS_NOTE) ?? '[]') as readonly (readonly [string, SetsWish])[];
    this.#wishes = new Map(stored);
  }

  /** Stores a strategy's wish if it changed; quotes without a fair value leave it unchanged. */
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

  /** Only strategies that still run here: the wish of a removed one would never change. */
  of(slots: readonly QuoteSlot[]): Core {
    if (this.#wishes.size === 0) return NO_CORE;
    let core = NO_CORE;
    for (const slot of slots) {
      const wish = this.#wishes.get(makeKey(slot));
      if (wish === undefined) continue;
      const isMore = core.slot === null || wish.coreSharesMicros > core.sharesMicros;
      const merges = core.merges && wish.merge === 'auto';
      core = { merges, ...(isMore ? { sharesMicros: wish.coreSharesMicros, slot } : pick(core)) };
    }
    return core;
  }
}

const makeKey = ({ conditionId, strategy }: QuoteSlot): string => `${conditionId} ${strategy.name}`;
const isPlain = ({ coreSharesMicros, merge }: SetsWish): boolean => coreSharesMicros === 0 && merge === 'auto';
const pick = ({ sharesMicros, slot }: Core): Pick<Core, 'sharesMicros' | 'slot'> => ({ sharesMicros, slot });

/** True when the missing sets are worth the requests of a split. */
export const isShort = (coreMicros: Micros, setsMicros: Micros, economics: Economics): boolean =>
  coreMicros - setsMicros >= Math.min(coreMicros, batchOf(economics, USUAL_PAIRS_PER_S) * ONE) && coreMicros > 0;

/**
 * Split that refills the core once a whole batch is missing. Null when none is needed, or when currency, requests or a
 * price are missing.
 */
export function planSplit(
  { sharesMicros }: Core,
  feed: Pick<MarketTracker, 'facts'>,
  markMicros: Micros | null,
  context: StepContext,
): SplitIntent | null {
  const { facts } = feed;
  if (facts === null || facts.phase !== 'open' || sharesMicros === 0) return null;
  const { conditionId, lotMicros } = facts;
  const { executor, own, economics, queue, nowMs } = context;
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
  if (queue.headroom('signed', 'draft', nowMs) < 2) return null;
  return {
    kind: 'split',
    intentId: context.nextIntentId(conditionId),
    marketConditionId: conditionId,
    eventConditionId: facts.eventConditionId,
    amountMicros,
    yesPriceMicros: markMicros,
  };
}
