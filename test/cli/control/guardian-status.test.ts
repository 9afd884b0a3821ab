import { expect, it } from 'vitest';
import { guardianStatus, watchGuardian } from '../../../src/cli/console-commands.js';
import { readMark } from '../../../src/shared/base/processes.js';
import { writeBeat } from '../../../src/shell/guardian/beat-file.js';
import { type GuardianReport, HANGS_AFTER_MS, locateReportFile } from '../../../src/shell/guardian/decide.js';
import { loadedTrader } from '../../shell/config/files.js';

const report: GuardianReport = {
  run: 'one',
  process: readMark(process.pid),
  count: 1,
  stays: false,
  state: 'canceling',
  text: 'could not cancel: no answer',
};

/** A process id that does not exist: larger than any that a system assigns. */
const GONE = { pid: 2 ** 30, born: null };

it.each([
  ['exchange: {}', null, 'no guardian is needed: the exchange stops with the trader'],
  ['guardian: { enabled: false }', null, 'NONE: guardian.enabled is false'],
  ['', null, 'NONE'],
  ['', report, `canceling, process ${process.pid}: could not cancel: no answer`],
  ['', { ...report, state: 'watching', text: '' }, `watching, process ${process.pid}`],
  ['', { ...report, process: GONE }, 'NONE; the last guardian reported: canceling, could not cancel: no answer'],
] as const)('status tells of the guardian with %j and %j: %s', (lines, written, text) => {
  const config = loadedTrader(lines);
  if (written !== null) writeBeat(locateReportFile(config.ledger.path), written);
  expect(guardianStatus(config)).toBe(text);
});

it('a console takes a guardian that writes no new report for one that hangs', () => {
  const config = loadedTrader();
  let nowMs = 1_000_000;
  const { status, isGuarded } = watchGuardian(config, () => nowMs);
  const look = (count: number, passedMs: number) => {
    writeBeat(locateReportFile(config.ledger.path), { ...report, state: 'watching', text: '', count });
    nowMs += passedMs;
    return [isGuarded(), status()];
  };
  const [well, hangs] = [`watching, process ${process.pid}`, 'NONE: the guardian hangs; its last report: watching'];
  expect([look(1, 0), look(1, HANGS_AFTER_MS - 1), look(2, 1)]).toEqual(Array(3).fill([true, well]));
  expect(look(2, HANGS_AFTER_MS)).toEqual([false, expect.stringContaining(hangs)]);
  expect(look(3, 0)).toEqual([true, well]);
  expect(watchGuardian(loadedTrader('guardian: { enabled: false }')).isGuarded()).toBeNull();
});
