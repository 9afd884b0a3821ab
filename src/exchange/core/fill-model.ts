/**
 * What becomes of an order's place in a recorded queue. The formulas are hftbacktest's (models/queue.rs); amounts are
 * Micros, all of the recorded level alone, real orders not counted.
 */

export interface FillModel {
  readonly name: string;
  /** Recorded amount ahead of an order that joins a level which shows `displayed`. */
  aheadOnJoin(displayed: number): number;
  /**
   * Recorded amount ahead after the level changed from `previous` to `next`. `traded` is what recorded trades took from the
   * level since its last change: that part of the decrease has been taken off `ahead` already.
   */
  aheadAfterChange(ahead: number, previous: number, next: number, traded: number): number;
}

/** Nobody ahead of us ever cancels before those behind us have: only trades move us, and the level's end. */
export const riskAverse: FillModel = {
  name: 'risk-averse',
  aheadOnJoin: (displayed) => displayed,
  aheadAfterChange: (ahead, _previous, next) => Math.min(ahead, next),
};
