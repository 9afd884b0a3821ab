/** Bugs of the request budget: trusted figures, and the duration of the trust. */

import type { WrittenBug } from './bug.js';

const PACING = 'src/shell/client/pacing.ts';
const WINDOW = 'src/shell/client/pacing.ts';
const BUDGET = 'src/trader/scheduler/budget.ts';

const TOLD = 'const isBelieved = limit >= this.#base || limit === this.#lastTold;';

export const CLIENT_BUGS: readonly WrittenBug[] = [
  {
    name: 'budget-by-the-wall-clock',
    what: 'The request budget goes by the wall clock: set back, its requests wait until the old time has come again.',
    file: 'src/trader/scheduler/request-queue.ts',
    text: '    return stepMs > 0 && stepMs <= LONGEST_STEP_MS ? this.#steadyMs + stepMs : this.#steadyMs;',
    replacement: '    return nowMs + 0 * stepMs;',
  },
  {
    name: 'ten-minutes-believed',
    what: 'A `Retry-After` of ten minutes is believed, for cancels and reads of our own too.',
    edits: [
      {
        file: PACING,
        text: 'const isBelieved = askedMs !== null && askedMs <= (genuine ? MINUTE_MS : LONGEST_STRANGERS_WAIT_MS);',
        replacement: 'const isBelieved = askedMs !== null;',
      },
      {
        file: PACING,
        text: '    return Math.max(nowMs, this.#probeAtMs);',
        replacement: '    return Math.max(nowMs, this.#probeAtMs, this.#pausedUntilMs);',
      },
    ],
  },
  {
    name: 'limit-lowered-for-good',
    what: 'One answer lowers the limit for good, and nothing leaves to find out whether it was so.',
    edits: [
      { file: WINDOW, text: TOLD, replacement: 'const isBelieved = limit <= this.#limit;' },
      {
        file: WINDOW,
        text: 'return Math.min(this.#base, this.#most) -',
        replacement: 'return Math.min(this.#limit, this.#most) -',
      },
    ],
  },
  {
    name: 'reset-holds-cancels',
    what: 'After a refusal the scheduler lets nothing leave before the reset that the answer names, cancels neither.',
    file: BUDGET,
    text: '    if (this.isProbeUnderWay || room <= floor) return null;',
    replacement: '    if (this.isProbeUnderWay || room <= floor || this.blockedUntilMs(nowMs) > nowMs) return null;',
  },
];
