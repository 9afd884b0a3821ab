/** A trader on an unread terminal: selected text, Ctrl-S, or a hung window. */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { TraderStatus } from '../../../src/shared/protocol/trader-status.js';
import { askTrader } from '../../../src/shell/control/control-client.js';
import { endedWithTest, exchangeOfFile } from '../../support/cases.js';
import { BIN, program } from '../../support/processes.js';
import { until, untilTrue } from '../../support/waiting.js';
import { traderAt } from './trader-at.js';

/** Runs the trader on its own terminal, and forwards its output. SIGUSR1: stops reading, in one of two ways. SIGUSR2: reads again. */
const TERMINAL = `
import os, pty, select, signal, subprocess, sys
how, words = sys.argv[1], sys.argv[2:]
master, slave = pty.openpty()
trader = subprocess.Popen(words, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
print('pid', trader.pid, flush=True)
state = {'reads': True}
def stop(*_):
    if how == 'Ctrl-S': os.write(master, b'\\x13')
    state.update(reads=how == 'Ctrl-S')
    print('unread', flush=True)
def go(*_):
    if how == 'Ctrl-S': os.write(master, b'\\x11')
    state.update(reads=True)
signal.signal(signal.SIGUSR1, stop)
signal.signal(signal.SIGUSR2, go)
while trader.poll() is None:
    if state['reads'] and select.select([master], [], [], 0.02)[0]:
        try: sys.stdout.write(os.read(master, 65536).decode(errors='replace')); sys.stdout.flush()
        except OSError: pass
    elif not state['reads']: select.select([], [], [], 0.02)
print('ended with', trader.returncode, flush=True)
`;

const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) console.warn('the tests of a terminal that is not read are skipped: there is no python3');

describe.skipIf(!hasPython)('a trader whose terminal is not read', () => {
  const exchangeUrl = exchangeOfFile('--no-rate-limits');

  async function onTerminal(how: 'Ctrl-S' | 'no reader') {
    const at = traderAt(exchangeUrl(), 'guardian: {}\nstrategies: [maker.yaml]');
    const { folder } = at;
    const words = [process.execPath, BIN, 'start', '-c', at.config];
    const terminal = endedWithTest(program('python3', ['-c', TERMINAL, how, ...words]));
    const [, pid = ''] = await terminal.waitFor(/pid (\d+)/);
    await terminal.waitFor(/\d\d:\d\d:\d\d quoting \| markets/);
    await untilTrue(() => existsSync(`${folder}/ledger.sqlite.guardian.log`));
    terminal.process.kill('SIGUSR1');
    await terminal.waitFor(/unread/);
    const ask = (command: 'status' | 'widen' | 'resume' | 'pause', reason = '') =>
      askTrader({ command, reason }, { socket: `${folder}/ledger.sqlite.sock`, timeoutMs: 15_000 });
    // More lines than any terminal buffers.
    for (let at = 0; at < 200; at++) {
      await ask('widen', 'x'.repeat(400));
      await ask('resume', 'x'.repeat(400));
    }
    const resting = async () => (await at.resting()).length;
    const guardianLog = () => readFileSync(`${folder}/ledger.sqlite.guardian.log`, 'utf8');
    return { terminal, pid: Number(pid), ask, resting, guardianLog };
  }

  it.each(['Ctrl-S', 'no reader'] as const)('(%s) quotes on, and read again shows its newest state', async (how) => {
    const { terminal, ask, resting, guardianLog } = await onTerminal(how);
    expect(await ask('status')).toMatchObject({ account: { mode: 'quoting' } });
    await ask('pause', 'seen nowhere');
    await until(resting, (count) => count === 0);
    expect(terminal.output()).not.toContain('seen nowhere');
    terminal.process.kill('SIGUSR2');
    await terminal.waitFor(/lines were dropped: this output was read too slowly[\s\S]*seen nowhere/);
    process.kill(((await ask('status')) as TraderStatus).process.pid, 'SIGTERM');
    await terminal.waitFor(/ended with 0/);
    expect(guardianLog()).not.toContain('ALARM');
  });

  it('ends in order on a signal though it is not read to the end', async () => {
    const { terminal, pid, resting, guardianLog } = await onTerminal('no reader');
    process.kill(pid, 'SIGTERM');
    await terminal.waitFor(/ended with 0/);
    expect(await resting()).toBe(0);
    expect(guardianLog()).not.toContain('ALARM');
  });
});
