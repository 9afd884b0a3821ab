/**
 * Every planted bug. The random simulation must find each of them within 200 seeds, by a broken invariant; a missed one
 * shows a gap in the simulation. No product code knows this list: a bug is a change of its text.
 */

import type { Bug, WrittenBug } from './bug.js';
import { CLIENT_BUGS } from './client-bugs.js';
import { CONTROL_BUGS } from './control-bugs.js';
import { ENGINE_BUGS } from './engine-bugs.js';
import { EXECUTOR_BUGS } from './executor-bugs.js';
import { LEDGER_BUGS } from './ledger-bugs.js';
import { RECORD_BUGS } from './record-bugs.js';
import { SIGHT_BUGS } from './sight-bugs.js';

const WRITTEN: readonly WrittenBug[] = [
  EXECUTOR_BUGS,
  LEDGER_BUGS,
  ENGINE_BUGS,
  CLIENT_BUGS,
  RECORD_BUGS,
  SIGHT_BUGS,
  CONTROL_BUGS,
].flat();

export const BUGS: readonly Bug[] = WRITTEN.map((bug) => {
  if ('edits' in bug) return bug;
  const { name, what, ...edit } = bug;
  return { name, what, edits: [edit] };
});
