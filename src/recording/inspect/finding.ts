/** What a check of a recording found. */
export interface Finding {
  readonly path: string;
  /** A difference is something that is not as it must be, a note something to know. */
  readonly severity: 'difference' | 'note';
  readonly message: string;
}
