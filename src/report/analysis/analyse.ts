/** From the record of a session to every figure of its report. */

import { AssertionFailed } from '../../base/errors.js';
import type { SessionRecord } from '../contract.js';
import type { Analysis, BracketVerdict } from './contract.js';

/** Pure: the same record gives the same figures, to the bit. */
export function analyse(record: SessionRecord): Analysis {
  throw new AssertionFailed(`not yet written: ${record.title}`);
}

/** Reads analyses in the bracket's order, most pessimistic first. */
export function bracketVerdict(analyses: readonly Analysis[]): BracketVerdict {
  throw new AssertionFailed(`not yet written: ${analyses.length}`);
}
