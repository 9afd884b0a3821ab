/** What a sweep never goes beyond, and what it needs before it speaks. */

/** More than this no machine of a user tries in a day, and a table of them no person reads. */
export const MAX_CONFIGURATIONS = 10_000;

/** Folds unless told: a fold must hold enough events to mean something. */
export const USUAL_FOLDS = 4;
/** Fewer events in a fold say nothing; without a wish there are then fewer folds. */
export const LEAST_EVENTS_PER_FOLD = 2;
export const MAX_FOLDS = 50;

/** Below so many events a ratio is a coin thrown a few times, and is not shown. */
export const LEAST_EVENTS_FOR_SHARPE = 8;
/** Cross-validation of the search in 8 blocks, and in 16 from twice as many on. */
export const LEAST_EVENTS_FOR_OVERFITTING = 16;
/** 16 blocks are cut 12,870 ways; with more configurations than this, 8 blocks must do. */
export const MOST_CONFIGURATIONS_IN_16_BLOCKS = 1_000;

/** Decoded recordings beyond it are streamed by each worker unless told otherwise: 25 million events. */
export const USUAL_MEMORY_BYTES = 512 * 1024 * 1024;

/** Both rules about crossings, and the fewest fills: what the sign of a result must survive. */
export const USUAL_FILL_MODELS = ['trade-through', 'posts-only', 'risk-averse'] as const;
