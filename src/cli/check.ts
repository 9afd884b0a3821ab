/** One finding of the doctor. */

import { TwinbookError } from '../shared/base/errors.js';

export interface Check {
  readonly name: string;
  readonly result: 'ok' | 'warn' | 'fail';
  readonly text: string;
  /** Advice; empty if none is needed. */
  readonly hint: string;
}

export const ok = (name: string, text: string): Check => ({ name, result: 'ok', text, hint: '' });

/** A failed check from an error. */
export function failCheck(name: string, error: unknown): Check {
  if (!(error instanceof TwinbookError)) throw error;
  return { name, result: 'fail', text: error.message, hint: error.hint };
}
