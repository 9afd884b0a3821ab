/** Starts the longest files first: tests of real processes mostly wait, and a long one at the end would run alone. */

import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** System tests, the longest first; then all others of that tier, then the fast ones. */
const SLOW = [
  'test/shell/daemon/stop.system.test.ts',
  'test/shell/daemon/record.system.test.ts',
  'test/shell/daemon/control.system.test.ts',
  'test/shell/daemon/settlement.system.test.ts',
  'test/disk/kill-points.system.test.ts',
  'test/disk/failing-trader.system.test.ts',
  'test/cli/rehearsal/altered.system.test.ts',
  'test/cli/replay.system.test.ts',
  'test/examples/programs.system.test.ts',
  'test/simulation/simulation.system.test.ts',
  'test/shell/guardian/processes.system.test.ts',
  'test/lab/sweep/sweep.system.test.ts',
  'test/shell/daemon/',
  'test/shell/console/page.system.test.ts',
] as const;

export default class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const path = relative(process.cwd(), moduleId);
      if (!path.endsWith('.system.test.ts')) return SLOW.length + 1;
      const rank = SLOW.findIndex((slow) => path.startsWith(slow));
      return rank < 0 ? SLOW.length : rank;
    };
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}
