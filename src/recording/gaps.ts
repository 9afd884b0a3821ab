/** The gaps of a recording, wherever it keeps them. */

import type { RecordedGap, Recording } from './contract.js';

/** Of a raw recording, those that were found so far. */
export const gapsIn = ({ summary, gaps }: Pick<Recording, 'summary' | 'gaps'>): readonly RecordedGap[] =>
  summary?.gaps ?? gaps ?? [];
