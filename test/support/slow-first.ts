/** Starts first what takes longest: tests of real processes mostly wait, and a long one begun last would be waited for alone. */

import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files and folders whose tests start processes or take minutes, the longest first. */
const SLOW = [
  'test/daemon/record.test.ts',
  'test/daemon/stop.test.ts',
  'test/disk/',
  'test/backtest/sweep/',
  'test/guardian/',
  'test/backtest/same-again.test.ts',
  'test/daemon/',
  'test/exchange/store/',
  'test/recording/import.test.ts',
  'test/simulation/',
  'test/secrets/',
  'test/cli/',
] as const;

export default class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const path = relative(process.cwd(), moduleId);
      const rank = SLOW.findIndex((slow) => path.startsWith(slow));
      return rank < 0 ? SLOW.length : rank;
    };
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}
