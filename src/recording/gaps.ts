/** Gaps of any recording. */

import type { RecordedGap, Recording } from './contract.js';

/** Of a raw recording, those found so far. */
export const gapsIn = ({ summary, gaps }: Pick<Recording, 'summary' | 'gaps'>): readonly RecordedGap[] =>
  summary?.gaps ?? gaps ?? [];
