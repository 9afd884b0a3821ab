import { measureText } from '../../src/shared/base/text-width.js';

/** Lines that a terminal of so many columns would break wherever it happens to end. */
export const findTooWide = (text: string, columns: number): readonly string[] =>
  text.split('\n').filter((line) => measureText(line) > columns);
