/** The page: one self-contained HTML file. */

import { AssertionFailed } from '../../base/errors.js';
import type { Analysis } from '../analysis/contract.js';
import type { Bracket } from '../contract.js';

/** `analyses[i]` is `analyse(bracket.sessions[i])`. Under 5 MB whatever the sessions' size. */
export function reportHtml(bracket: Bracket, analyses: readonly Analysis[]): string {
  throw new AssertionFailed(`not yet written: ${bracket.sessions.length} ${analyses.length}`);
}
