/** Limits of a sweep, and minimums for its statistics. */

/** More than a user's machine tries in a day or a person reads. */
export const MAX_CONFIGURATIONS = 10_000;

/** Default folds: a fold needs enough events. */
export const USUAL_FOLDS = 4;
/** Minimum events per fold; by default there are then fewer folds. */
export const LEAST_EVENTS_PER_FOLD = 2;
export const MAX_FOLDS = 50;

/** With fewer events a ratio is too random to be shown. */
export const LEAST_EVENTS_FOR_SHARPE = 8;
/** Cross-validation of the search in 8 blocks, and in 16 from twice as many events on. */
export const LEAST_EVENTS_FOR_OVERFITTING = 16;
/** 16 blocks have 12,870 splits; with more configurations than this, 8 blocks are used. */
export const MOST_CONFIGURATIONS_IN_16_BLOCKS = 1_000;

/** By default workers stream decoded recordings beyond it: 25 million events. */
export const USUAL_MEMORY_BYTES = 512 * 1024 * 1024;

/** Both rules for crossings, and the fewest fills: the sign of a result must hold under all. */
export const USUAL_FILL_MODELS = ['trade-through', 'posts-only', 'risk-averse'] as const;
