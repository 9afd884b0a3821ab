/** `twinbook reconcile`: the ledger against the exchange, by the running trader or straight. Reads only. */

import type { Command } from 'commander';
import { TwinbookError } from '../base/errors.js';
import { loadTraderConfig, type TraderConfig } from '../config/load.js';
import type { Difference, ReconcileData } from '../daemon/control-protocol.js';
import { RESTING_STATUSES } from '../protocol/states.js';
import { compare, type LedgerSide } from './compare.js';
import { askTrader } from './control-client.js';
import { type ControlOptions, SLOW_S, withControl } from './control-options.js';
import { EXIT } from './exit.js';
import { action, type CliIo, type Session } from './io.js';
import { readLedger } from './ledger-reading.js';
import { type Column, json, table } from './table.js';
import { allRows, withVenue } from './venue-session.js';

export function addReconcileCommand(program: Command, session: Session): void {
  const command = program
    .command('reconcile')
    .description('compares the ledger with the exchange; exit code 6 if they differ');
  withControl(command, SLOW_S);
  action<ControlOptions>(command, session, async (options) => {
    const config = loadTraderConfig(options.config, session.io);
    const { differences } = await reconciled(config, options.timeout * 1000, session.io);
    if (options.json === true) session.io.out(json(differences));
    else if (differences.length === 0) session.io.out('ledger and exchange agree\n');
    else session.io.out(table(differences, COLUMNS));
    return differences.length === 0 ? EXIT.ok : EXIT.difference;
  });
}

async function reconciled(config: TraderConfig, timeoutMs: number, io: CliIo): Promise<ReconcileData> {
  try {
    return await askTrader({ command: 'reconcile' }, { socket: config.control.socket, timeoutMs });
  } catch (error) {
    if (!(error instanceof TwinbookError) || error.code !== 'not_running') throw error;
    return { differences: await compareDirectly(config, io) };
  }
}

async function compareDirectly(config: TraderConfig, io: CliIo): Promise<readonly Difference[]> {
  const limit = Number.MAX_SAFE_INTEGER;
  const ours = await readLedger(
    config,
    io,
    (ledger): LedgerSide => ({
      resting: ledger.orders({ statuses: RESTING_STATUSES, limit }),
      fills: ledger.fills({ limit }),
      positions: ledger.positions(),
    }),
  );
  const internal = await readLedger(config, io, (ledger) => ledger.verify());
  const differences = await withVenue(config, io, async ({ client }) => {
    const resting = await allRows(client, 'orders.list', { status: RESTING_STATUSES }, 'open orders');
    // Without own trades at the venue the fills are made from the orders' filled amounts, compared with the orders.
    const trades = config.venue.profile.own_trades ? await allRows(client, 'trades.list', {}, 'own trades') : null;
    const assets = await allRows(client, 'account.assets', {}, 'account assets');
    return compare(ours, { resting, trades, assets });
  });
  return [
    ...internal.map((text): Difference => ({ what: 'position', subject: 'ledger', ledger: text, exchange: '' })),
    ...differences,
  ];
}

const COLUMNS: readonly Column<Difference>[] = [
  { title: 'WHAT', cell: (row) => row.what },
  { title: 'WHICH', cell: (row) => row.subject },
  { title: 'LEDGER', cell: (row) => row.ledger },
  { title: 'EXCHANGE', cell: (row) => row.exchange },
];
