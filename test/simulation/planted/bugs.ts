/**
 * Every planted bug. The random simulation must find each of them within 200 seeds, by a broken invariant; a missed one
 * shows a gap in the simulation. No product code knows this list: a bug is a change of its text.
 */

import type { Bug } from './bug.js';
import { CLIENT_BUGS } from './client-bugs.js';
import { CONTROL_BUGS } from './control-bugs.js';
import { ENGINE_BUGS } from './engine-bugs.js';
import { EXECUTOR_BUGS } from './executor-bugs.js';
import { LEDGER_BUGS } from './ledger-bugs.js';
import { RECORD_BUGS } from './record-bugs.js';
import { SIGHT_BUGS } from './sight-bugs.js';

export const BUGS: readonly Bug[] = [
  ...EXECUTOR_BUGS,
  ...LEDGER_BUGS,
  ...ENGINE_BUGS,
  ...CLIENT_BUGS,
  ...RECORD_BUGS,
  ...SIGHT_BUGS,
  ...CONTROL_BUGS,
];
