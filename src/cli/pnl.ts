/** `twinbook pnl`: what the trader earned, from the ledger's own postings. */

import type { Command } from 'commander';
import { formatDecimal, parseDecimal } from '../base/decimal.js';
import type { Micros } from '../base/micros.js';
import { loadTraderConfig, type TraderConfig } from '../config/load.js';
import { askTrader } from './control-client.js';
import { EXIT } from './exit.js';
import { action, type Session, withConfig, withJson } from './io.js';
import { type ReadOptions, readLedger } from './ledger-reading.js';
import { json, record } from './table.js';

export function addPnlCommand(program: Command, session: Session): void {
  const command = program
    .command('pnl')
    .description('result so far: realised, fees, and holdings at the running trader’s fair prices (else at cost)');
  withJson(withConfig(command));
  action<ReadOptions>(command, session, async (options) => {
    const config = loadTraderConfig(options.config, session.io);
    const marks = await fairPrices(config);
    const pnl = await readLedger(config, session.io, (ledger) => ledger.pnl(marks));
    const row = {
      capital: formatDecimal(pnl.capitalMicros),
      cash: formatDecimal(pnl.cashMicros),
      realised: formatDecimal(pnl.realisedMicros),
      fees: formatDecimal(pnl.feesMicros),
      unrealised: formatDecimal(pnl.unrealisedMicros),
      total: formatDecimal(pnl.totalMicros),
      unmarked: pnl.unmarked,
    };
    if (options.json === true) session.io.out(json(row));
    else {
      const { unmarked, ...figures } = row;
      session.io.out(record(Object.entries(figures)));
      if (unmarked.length > 0)
        session.io.out(`Holdings in ${unmarked.length} market(s) have no price now and count at what they cost.\n`);
    }
    return EXIT.ok;
  });
}

/** YES prices of the running trader; none when it does not run: then nobody watches the market. */
async function fairPrices(config: TraderConfig): Promise<ReadonlyMap<string, Micros>> {
  const marks = new Map<string, Micros>();
  const status = await askTrader({ command: 'status' }, { socket: config.control.socket, timeoutMs: 2000 }).catch(
    () => null,
  );
  for (const { market_condition_id: market, fair } of status?.markets ?? []) {
    const price = fair === null ? null : parseDecimal(fair);
    if (price !== null) marks.set(market, price);
  }
  return marks;
}
