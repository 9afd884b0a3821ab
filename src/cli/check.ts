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

export const warn = (name: string, text: string, hint = ''): Check => ({ name, result: 'warn', text, hint });
export const fail = (name: string, text: string, hint: string): Check => ({ name, result: 'fail', text, hint });

export function failCheck(name: string, error: unknown): Check {
  if (!(error instanceof TwinbookError)) throw error;
  return fail(name, error.message, error.hint);
}
