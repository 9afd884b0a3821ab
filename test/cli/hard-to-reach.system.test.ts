/** Commands to a trader that does not answer; they wait three seconds for it. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openLedger } from '../../src/trader/ledger/ledger.js';
import { trader } from '../shell/config/files.js';
import { folderOf } from '../support/folders.js';
import { HOLDER } from '../trader/ledger/books.js';
import { run } from './run.js';

describe('a trader that does not answer', () => {
  /** A folder whose ledger is locked and whose exchange is down, so that a direct cancel fails. */
  const held = () => {
    const cwd = folderOf({ 'trader.yaml': trader() });
    const ledger = openLedger(join(cwd, 'twinbook.sqlite'), HOLDER);
    onTestFinished(() => ledger.close());
    return { cwd, command: (line: string) => run([...line.split(' '), '-c', 'trader.yaml'], { cwd }) };
  };

  test.each(['status', 'stop'])('%s does not take it for one that does not run', async (line) => {
    const { code, err } = await held().command(line);
    expect(err).toMatch(new RegExp(`^The trader \\(process ${HOLDER.pid}\\) does not answer\\n .*lost its socket`));
    expect(code).toBe(5);
  });

  test('kill leaves the stop file though the lock is damaged', async () => {
    const cwd = folderOf({ 'trader.yaml': trader(), 'twinbook.sqlite.lock': 'no lock at all'.repeat(1_000) });
    const { err } = await run(['kill', '--reason', 'now', '-c', 'trader.yaml'], { cwd });
    expect(err).toContain(
      'Whether a trader runs is unknown, because its lock file cannot be read or does not name its owner; the trader is killed once it runs again',
    );
    expect(readFileSync(join(cwd, 'twinbook.sqlite.kill'), 'utf8')).toBe('now\n');
  });
});
