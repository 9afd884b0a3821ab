/**
 * Takes up a configuration, or takes one back, by the command that a person would type. It is a process of its own: code of strategies that never
 * ends while it is loaded must end neither the console nor the trader.
 */

import { execFile } from 'node:child_process';
import type { Acted } from '../dashboard/contract.js';
import { PROGRAM } from './program.js';

/** The page waits a little longer. */
const WITHIN_MS = 25_000;

/** @param file of the trader @param reason empty when none was given; the command says when one is wanted */
export function changeConfig(
  action: 'apply' | 'rollback',
  reason: string,
  file: string,
  program = PROGRAM,
): Promise<Acted> {
  if (action === 'rollback' && reason === '')
    return Promise.resolve({ refusal: 'a rollback needs a reason', text: '' });
  const because = reason === '' ? [] : [`--reason=${reason}`];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...process.execArgv, program, 'config', action, '-c', file, ...because],
      { timeout: WITHIN_MS },
      (error, stdout, stderr) => {
        const said = (error === null ? stdout : stderr).trim();
        if (error === null) resolve({ refusal: null, text: said });
        else
          resolve({ refusal: said || `twinbook config ${action} did not end within ${WITHIN_MS / 1000} s`, text: '' });
      },
    );
  });
}
