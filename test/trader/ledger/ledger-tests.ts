/** Tests with a ledger in a temporary folder. */

import { it } from 'vitest';
import type { Ledger } from '../../../src/trader/ledger/contract.js';
import { inFolder, withLedger } from './books.js';

/** A test with an open ledger that has one run. */
export const testWithLedger = (name: string, work: (ledger: Ledger, path: string) => void): void =>
  it(name, () => withLedger(work));

/** A test with the path of a new ledger. */
export const testInFolder = (name: string, work: (path: string) => void): void => it(name, () => inFolder(work));
