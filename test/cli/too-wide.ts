import { measureText } from '../../src/shared/base/text.js';

/** Lines that are wider than the terminal. */
export const findTooWide = (text: string, columns: number): readonly string[] =>
  text.split('\n').filter((line) => measureText(line) > columns);
