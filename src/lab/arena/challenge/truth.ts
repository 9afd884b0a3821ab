/** What decides the outcome, and who could know it. */
export interface Truth {
  /** Moves it by one step. */
  step(): void;
  /** That YES will pay, in [0, 1]. */
  readonly probability: number;
  /** Whether YES pays, once all steps are done. */
  readonly isYes: boolean;
}
