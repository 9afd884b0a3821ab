/** Holds a fill model that somebody else wrote to what holds under every model, whatever it answers. */

import { TwinbookError } from '../../../shared/base/errors.js';
import { type FillModel, fillModel } from './fill-model.js';

/** The model of a name, or this one within its bounds. Throws TwinbookError `usage` for a name that is not known. */
export const chosenModel = (choice: string | FillModel): FillModel =>
  typeof choice === 'string' ? fillModel(choice) : boundedModel(choice);

/**
 * The same model within bounds: what stands ahead is never less than nothing, never more than the level shows, never more
 * than before, and a whole number of lots, rounded up. Throws TwinbookError `usage` for a model without a name;
 * its methods throw it for an answer that is no number.
 */
function boundedModel(model: FillModel): FillModel {
  const { name, fillsAtTouch, postsOnly = false } = model;
  if (name === '') throw new TwinbookError('usage', 'a fill model has no name', 'Reports name results by it.');
  return {
    name,
    fillsAtTouch,
    postsOnly,
    aheadOnJoin: (displayed) => between(model.aheadOnJoin(displayed), displayed, name),
    aheadAfterChange(ahead, previous, next, traded, lot) {
      const bound = Math.min(ahead, next);
      const left = between(model.aheadAfterChange(ahead, previous, next, traded, lot), bound, name);
      return Math.min(bound, Math.ceil(left / lot) * lot);
    },
  };
}

function between(answer: number, most: number, name: string): number {
  if (Number.isNaN(answer)) {
    throw new TwinbookError(
      'usage',
      `the fill model ${name} answered no number`,
      'Amounts are integers in millionths.',
    );
  }
  return Math.max(0, Math.min(most, Math.ceil(answer)));
}
