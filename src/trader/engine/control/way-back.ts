/** Command that lifts a stop, of a running trader and of one that will start from its ledger. */

import { AssertionFailed } from '../../../shared/base/errors.js';
import type { LedgerReader, Notes } from '../../ledger/contract.js';
import type { Reconciler } from '../../reconcile/reconciler.js';
import type { RiskLimits } from '../../risk/limits.js';
import { Guards } from '../guards/guards.js';
import { MODES_NOTE, type Mode, Modes, type StoredModes } from './modes.js';
import { Pauses } from './pauses.js';
import type { Safety } from './safety.js';

const WITH_REASON = 'resume --reason TEXT';
/** After a restored backup, and wherever the ledger lacks a holding that the exchange shows. */
const ADOPT = 'ledger adopt --reason TEXT';

/** Empty when nothing is stopped, or when it resumes without a command. */
export function describeWayBack(safety: Safety, reconciler: Reconciler, mode: Mode): string {
  const { heldBack, modes, pauses, reduceOnly, stopped } = safety;
  const way = modes.wayBack(mode, stopped, heldBack !== null);
  // A resume ignores the differences and books nothing.
  const lacks = reconciler.verdict !== null || reconciler.accepted.length > 0;
  if (lacks && (way === '' || mode === 'reducing')) return ADOPT;
  // An odd fill reduces without an operator's command, and so does a pause of a single market.
  const isOdd = mode === 'reducing' && reduceOnly !== null;
  const isPausedSomewhere =
    mode === 'quoting' || mode === 'widened' || mode === 'reducing' ? pauses.first !== null : false;
  if (way !== '') return way;
  if (isOdd || isPausedSomewhere) return WITH_REASON;
  const [flattened] = pauses.flattened;
  return mode === 'quoting' && flattened !== undefined ? `resume --market ${flattened} --reason TEXT` : '';
}

/**
 * Stops by an operator, a limit or an alarm: the mode of the next start from this ledger. Reads only.
 *
 * @param stopFile text of the stop file; null without one
 */
export function readNextStart(ledger: Pick<LedgerReader, 'note'>, limits: RiskLimits, stopFile: string | null) {
  const setNote = (key: string) => {
    throw new AssertionFailed(`the note ${key} is only read here`);
  };
  const notes: Notes = { note: (key) => ledger.note(key), setNote };
  // The trader's state alone writes the note.
  const modes = new Modes(JSON.parse(notes.note(MODES_NOTE) ?? '{}') as Partial<StoredModes>);
  if (stopFile !== null) modes.apply({ kind: 'kill', reason: stopFile });
  modes.onStart();
  const { halted, fillAlarm } = new Guards({ ...notes, intents: () => [] }, limits);
  const alarm = fillAlarm.text;
  const paused = new Pauses(notes).first;
  const { mode, reason } = modes.mode({ halted, reducing: alarm, widened: null });
  const way = modes.wayBack(mode, halted ?? paused ?? alarm);
  const needsReason = way === '' && (mode === 'reducing' || (mode === 'quoting' && paused !== null));
  const why = mode === 'quoting' && paused !== null ? `but for ${paused}` : reason;
  return { mode, reason: why, wayBack: needsReason ? WITH_REASON : way };
}

/** `mode` holds once the own state at the exchange was read. */
export type NextStart = Readonly<ReturnType<typeof readNextStart>>;
