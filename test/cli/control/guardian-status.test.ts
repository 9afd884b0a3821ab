import { expect, it } from 'vitest';
import { guardianStatus } from '../../../src/cli/console-commands.js';
import { readMark } from '../../../src/shared/base/processes.js';
import { BeatWriter } from '../../../src/shell/guardian/beat-file.js';
import { type GuardianReport, locateReportFile } from '../../../src/shell/guardian/decide.js';
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
  if (written !== null) new BeatWriter(locateReportFile(config.ledger.path)).write(written);
  expect(guardianStatus(config)).toBe(text);
});
