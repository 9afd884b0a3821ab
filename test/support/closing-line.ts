/** Closes a test run with one line for programs: `N passed, N failed, N skipped`; inside `npm run check`, with none. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { SerializedError, UserConsoleLog } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';
import { leakText } from '../secrets/evidence.js';
import { keepOutput, searchRun } from '../secrets/suite/run-evidence.js';
import { closingText, leaveCounts } from './counts.js';

export default class ClosingLine implements Reporter {
  #said = '';

  /** Output of the tests themselves is searched for secrets too. */
  onUserConsoleLog({ content }: UserConsoleLog): void {
    this.#said += content;
  }

  async onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): Promise<void> {
    keepOutput('console', this.#said);
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      const before = count.passed + count.failed + count.skipped;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed' || state === 'failed' || state === 'skipped') count[state] += 1;
      }
      // A file that failed to load has no tests, but is a failure.
      const empty = count.passed + count.failed + count.skipped === before;
      if (empty && module.state() === 'failed') count.failed += 1;
    }
    count.failed += lateViolations() + (await leakedSecrets(modules, unhandled));
    const together = process.env['TWINBOOK_COUNTS'];
    if (together === undefined) process.stdout.write(closingText(count));
    else leaveCounts(together, count);
  }
}

/** Wrong answers of processes that outlived their test, see support/answers/: no test could report them. */
function lateViolations(): number {
  const folder = process.env['TWINBOOK_ANSWERS_FOLDER'];
  if (folder === undefined) return 0;
  const files = readdirSync(folder).filter((name) => name.startsWith('violations-'));
  for (const name of files)
    process.stdout.write(`\nan answer off the OpenAPI document:\n${readFileSync(join(folder, name), 'utf8')}`);
  if (files.length > 0) process.exitCode = 1;
  return files.length;
}

/** Secrets in the run's files or output, see secrets/suite/: a failure of the run, not of one test. */
async function leakedSecrets(modules: readonly TestModule[], unhandled: readonly SerializedError[]): Promise<number> {
  const folder = process.env['TWINBOOK_EVIDENCE'];
  if (folder === undefined) return 0;
  const errors = modules.flatMap((module) =>
    [...module.children.allTests()].flatMap((test) => test.result().errors ?? []),
  );
  keepOutput('errors', [...errors, ...unhandled].map((error) => inspect(error, { depth: 9 })).join('\n'));
  const { secrets, files, bytes, skipped, leaks } = await searchRun(folder);
  const size = `${(bytes / 2 ** 20).toFixed(0)} MiB in ${files} files (${skipped} too large)`;
  process.stdout.write(`\n${secrets} secrets of this run were looked for in ${size}: ${leaks.length} found\n`);
  for (const leak of leaks) process.stdout.write(`${leakText(leak)}\n`);
  if (leaks.length > 0) process.exitCode = 1;
  return leaks.length;
}
