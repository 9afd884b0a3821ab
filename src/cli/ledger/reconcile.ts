/** `twinbook reconcile`: compares the ledger with the exchange, through the running trader or directly. Reads only. */

import { TwinbookError } from '../../shared/base/errors.js';
import type { TraderConfig } from '../../shell/config/config.js';
import { askTrader } from '../../shell/control/control-client.js';
import { type AcceptedDifference, agreementText, type Difference } from '../../trader/reconcile/differences.js';
import { command, SLOW_S, timeoutOption } from '../command.js';
import { type CliIo, EXIT } from '../output/io.js';
import { type Column, table } from '../output/table.js';
import { withVenue } from '../venue-session.js';
import { type Compared, reconcileDirectly } from './direct-reconciliation.js';

export const addReconcileCommand = command({
  name: 'reconcile',
  help: 'compares the ledger with the exchange; exit code 6 if they differ, 7 if accepted differences are left out',
  config: 'trader',
  options: { timeout: timeoutOption(SLOW_S) },
  answer: async ({ options: { timeout }, config, io }) => {
    const { differences, accepted } = await compare(config, timeout * 1000, io);
    return {
      data: [...differences.map(openRow), ...accepted.map(acceptedRow)],
      text: (width) => comparedText(differences, accepted, width),
      code: differences.length > 0 ? EXIT.difference : accepted.length > 0 ? EXIT.accepted : EXIT.ok,
    };
  },
});

const openRow = (difference: Difference) => ({ ...difference, accepted: null });
const acceptedRow = ({ sinceMs, reason, ...difference }: AcceptedDifference) => ({
  ...difference,
  accepted: { since: sinceMs, reason },
});

function comparedText(
  differences: readonly Difference[],
  accepted: readonly AcceptedDifference[],
  width: number | undefined,
): string {
  return [
    ...(differences.length > 0 ? [table(differences, COLUMNS, width)] : []),
    ...(differences.length === 0 || accepted.length > 0 ? [`${agreementText(differences.length, accepted)}\n`] : []),
    ...(differences.length + accepted.length > 0 ? [`${HOW_TO_BOOK}\n`] : []),
  ].join('');
}

const HOW_TO_BOOK =
  '`twinbook ledger adopt --reason TEXT` books what the exchange holds; `resume --reason` only leaves it out';

async function compare(config: TraderConfig, timeoutMs: number, io: CliIo): Promise<Compared> {
  const sayVoid = (reason: string) => io.err(`A round was void (${reason}); trying again.\n`);
  try {
    const socket = config.control.socket;
    const answer = await askTrader({ command: 'reconcile' }, { socket, timeoutMs });
    const { differences, accepted, voided, complete } = answer;
    for (const reason of voided) sayVoid(reason);
    if (complete) return { differences, accepted };
  } catch (error) {
    if (!(error instanceof TwinbookError) || error.code !== 'not_running') throw error;
    return compareDirectly(config, timeoutMs, io, sayVoid);
  }
  const hint = 'Try again: the exchange may be out of reach, or lose pages of its lists.';
  throw new TwinbookError('timed_out', 'the trader had no complete rounds in time', hint);
}

async function compareDirectly(
  config: TraderConfig,
  withinMs: number,
  io: CliIo,
  onVoid: (reason: string) => void,
): Promise<Compared> {
  const { openReadOnly } = await import('../../trader/ledger/ledger.js');
  const ledger = openReadOnly(config.ledger.path);
  try {
    const inside = ledger
      .verify()
      .map((text): Difference => ({ what: 'sum', subject: 'ledger', ledger: text, exchange: '' }));
    const ownTrades = config.venue.profile.own_trades;
    const outside = await withVenue(config, io, ({ client }) =>
      reconcileDirectly({ ledger, client, ownTrades, withinMs, onVoid }),
    );
    return { differences: [...inside, ...outside.differences], accepted: outside.accepted };
  } finally {
    ledger.close();
  }
}

const COLUMNS: readonly Column<Difference>[] = [
  { title: 'WHAT', cell: (row) => row.what },
  { title: 'WHICH', cell: (row) => row.subject, gives: 'fold' },
  { title: 'LEDGER', cell: (row) => row.ledger, gives: 'fold' },
  { title: 'EXCHANGE', cell: (row) => row.exchange, gives: 'fold' },
];
