/** Numbers of passed, failed and skipped tests: printed at the end, or left for the calling program. */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const counts = z.object({ passed: z.int(), failed: z.int(), skipped: z.int() });

export type Counts = z.infer<typeof counts>;

/** One plain machine-readable line. */
export const closingText = ({ passed, failed, skipped }: Counts): string =>
  `\n${passed} passed, ${failed} failed, ${skipped} skipped\n`;

/** Leaves a run's counts in a folder. */
export const leaveCounts = (folder: string, of: Counts): void =>
  writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify(of));

/** The sum of all counts in a folder. */
export function readCounts(folder: string): Counts {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const name of readdirSync(folder)) {
    const { passed, failed, skipped } = counts.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')));
    sum.passed += passed;
    sum.failed += failed;
    sum.skipped += skipped;
  }
  return sum;
}
