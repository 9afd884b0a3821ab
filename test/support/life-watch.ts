/** The process that outlives a run of tests by a moment: it waits for the end of the run, and ends what the run has left. */

import { endMarked, RUN_MARK } from './life.js';

const [mark = ''] = process.argv.slice(2);
process.stdin.on('close', () => {
  endMarked(RUN_MARK, mark);
  process.exit();
});
process.stdin.resume();
