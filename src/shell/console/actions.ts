/** Sends the trader the command of a clicked button of the page. If `kill` gets no answer, writes the stop file. */

import { execFile } from 'node:child_process';
import { messageOf, TwinbookError } from '../../shared/base/errors.js';
import {
  FIRST_NAMES,
  OPERATOR_COMMANDS,
  OPERATOR_NAMES,
  type OperatorName,
  type OperatorRow,
  operatorRequest,
} from '../../shared/protocol/operator-commands.js';
import { askOwner } from '../control/control-client.js';
import type { ControlQuestion } from '../control/control-protocol.js';
import { leaveStopFile, locateStopFile } from '../control/stop-file.js';
import { type Acted, marketCommand, type TraderAction } from '../dashboard/contract.js';
import { nowMs } from '../runtime/clock.js';
import { PROGRAM } from './own-commands.js';
import type { AlertStore } from './store.js';
import type { Watch } from './watch.js';

/** Maximum wait for each of two answers, ms; without an answer the trader counts as hanging. The page waits 4 s. */
export const ANSWER_WITHIN_MS = 1_500;

export const STOPPED_MODES = ['paused', 'halted', 'killed', 'stopping', 'stopped', 'ending'];
/** For each mode: commands that have no effect in this mode or are refused, in addition to `STOPPED_MODES`. */
const USELESS: Readonly<Record<string, readonly OperatorName[]>> = {
  widened: ['widen'],
  reducing: ['widen', 'reduce-only'],
  canceling: ['widen', 'reduce-only'],
  flattening: ['widen', 'reduce-only'],
  killed: ['flatten'],
  stopping: ['flatten'],
};
/** `wayBack`: command that ends the current mode; empty if no command does. */
type ActionFacts = Readonly<{ mode: string; answers: boolean; wayBack: string }>;

const describeAction = (name: OperatorName, [label, help]: OperatorRow['button'], action: string = name) => ({
  name: action,
  label,
  help,
  role: OPERATOR_COMMANDS[name].role,
  isFirst: FIRST_NAMES.some((first) => first === name),
});

type PageButton = ReturnType<typeof describeAction>;

export function listActions({ mode, answers, wayBack }: ActionFacts): readonly PageButton[] {
  const isUseful = (name: OperatorName): boolean => {
    if (name === 'kill') return mode !== 'killed' && mode !== 'stopped';
    // A trader that does not answer can only be killed, by the stop file.
    if (!answers || mode === 'stopped') return false;
    if (name === 'resume' || name === 'unkill') return wayBack.startsWith(name);
    if (USELESS[mode]?.includes(name) === true) return false;
    // The end of an order or holding must not move another button under the pointer.
    return name === 'cancel-all' || name === 'flatten' || !STOPPED_MODES.includes(mode);
  };
  return OPERATOR_NAMES.filter(isUseful).map((name) => describeAction(name, OPERATOR_COMMANDS[name].button));
}
export const ACTIONS_ON_ALL = FIRST_NAMES.map((name) => describeAction(name, OPERATOR_COMMANDS[name].button));

/** Lists the actions on one market. @param isStopped whether the trader quotes nothing */
export function listMarketActions(isPaused: boolean, isHolding: boolean, isStopped: boolean): readonly PageButton[] {
  if (isStopped) return [];
  const { pause, resume, flatten } = OPERATOR_COMMANDS;
  const toggle = isPaused
    ? describeAction('resume', resume.marketButton, 'resume-market')
    : describeAction('pause', pause.marketButton, 'pause-market');
  return isHolding ? [toggle, describeAction('flatten', flatten.marketButton, 'flatten-market')] : [toggle];
}

type ActionPlace = Parameters<typeof askOwner>[1];

/** Executes an action. @param market condition id for an action on one market; null for the other actions */
export async function act(action: TraderAction, reason: string, place: ActionPlace, market: string | null = null) {
  // The cast is safe: an action on all markets has the same name as its command.
  const command = marketCommand(action) ?? (action as OperatorName);
  try {
    // The cast is safe: the table of commands determines the fields of each request.
    const question = operatorRequest(command, { reason, sender: ON_THE_PAGE, market }) as ControlQuestion;
    const answer = await askOwner(question, place, { timeoutMs: ANSWER_WITHIN_MS });
    if (market !== null) return { refusal: null, text: 'done, for this market only' };
    const notes = 'notes' in answer ? (answer.notes ?? []) : [];
    return { refusal: null, text: ['done', ...notes].join('; ') };
  } catch (error) {
    if (action === 'kill') return killWithout(reason, place);
    if (!(error instanceof TwinbookError)) throw error;
    const refusal = error.message.replace(/^the trader refused: /, '');
    return { refusal: error.code === 'usage' ? refusal : `${refusal}. KILL still works.`, text: '' };
  }
}

function killWithout(reason: string, { ledger }: ActionPlace): Acted {
  try {
    leaveStopFile(locateStopFile(ledger.path), reason || ON_THE_PAGE);
  } catch (error) {
    return { refusal: messageOf(error), text: '' };
  }
  const text =
    'the trader does not answer: the stop file kills it before its next step and at its next start; ' +
    'resting orders are canceled by the guardian, or by "twinbook kill"';
  return { refusal: null, text };
}

const ON_THE_PAGE = 'operator, on the page';

/** Maximum run time of a `twinbook config` command, ms; shorter than the page's wait for the answer. */
const COMMAND_WITHIN_MS = 25_000;

/** Applies or rolls back a configuration in a child process. An endless loop in strategy code blocks only the child. */
export function changeConfig(action: 'apply' | 'rollback', reason: string, file: string) {
  if (action === 'rollback' && reason === '')
    return Promise.resolve<Acted>({ refusal: 'a rollback needs a reason', text: '' });
  const because = reason === '' ? [] : [`--reason=${reason}`];
  return new Promise<Acted>((resolve) => {
    execFile(
      process.execPath,
      [...process.execArgv, PROGRAM, 'config', action, '-c', file, ...because],
      { timeout: COMMAND_WITHIN_MS },
      (error, stdout, stderr) => {
        const late = `twinbook config ${action} did not end within ${COMMAND_WITHIN_MS / 1000} s`;
        resolve(error === null ? { refusal: null, text: stdout.trim() } : { refusal: stderr.trim() || late, text: '' });
      },
    );
  });
}

/**
 * Acknowledges alerts. An acknowledged alert is not sent again while its condition lasts, and remains open.
 *
 * @param about kind of one alert; null for all open ones
 */
export function acknowledge(
  { watch, alerts }: { readonly watch: Pick<Watch, 'open'>; readonly alerts: Pick<AlertStore, 'acknowledge'> },
  about: string | null,
): Acted {
  const open = watch.open.filter(({ kind }) => about === null || kind === about);
  if (open.length === 0) return { refusal: about === null ? 'no alert is open' : 'no such alert is open', text: '' };
  const timeMs = nowMs();
  const kept = open.filter(({ kind, sinceMs }) => alerts.acknowledge({ kind, sinceMs, timeMs }));
  if (kept.length < open.length)
    return { refusal: 'the acknowledgement cannot be stored; the log of the console says why', text: '' };
  const kinds = open.map(({ kind }) => kind).join(', ');
  return { refusal: null, text: `these alerts are acknowledged, and not sent again while open: ${kinds}` };
}
