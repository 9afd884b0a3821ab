/** The bracket as a table for the terminal. */

import { AssertionFailed } from '../base/errors.js';
import type { Analysis } from './analysis/contract.js';

/** Sessions side by side, at most 100 columns wide, ending in a line break; a flip of the result's sign is said. */
export function summaryTable(analyses: readonly Analysis[]): string {
  throw new AssertionFailed(`not yet written: ${analyses.length}`);
}
