/** `twinbook explain ORDER` and `twinbook explain MARKET`. */

import type { Command } from 'commander';
import { formatDecimal } from '../base/decimal.js';
import { TwinbookError } from '../base/errors.js';
import { loadTraderConfig, type TraderConfig } from '../config/load.js';
import type { ExplainData } from '../daemon/control-protocol.js';
import type { IntentRow, LedgerReader } from '../ledger/contract.js';
import { askTrader } from './control-client.js';
import { type ControlOptions, withControl } from './control-options.js';
import { EXIT } from './exit.js';
import { action, type CliIo, type Session } from './io.js';
import { readLedger } from './ledger-reading.js';
import { json, when } from './table.js';

export function addExplainCommand(program: Command, session: Session): void {
  const command = program
    .command('explain')
    .argument('<order|market>', "an order's pubkey, an intent id, or a market's condition id")
    .description('why this order, at this price; or why this market is not quoted, guard by guard');
  withControl(command, 10);
  action<ControlOptions>(command, session, async (options, [subject = '']) => {
    const config = loadTraderConfig(options.config, session.io);
    const { lines } = await explained(subject, config, options.timeout * 1000, session.io);
    session.io.out(options.json === true ? json({ lines }) : `${lines.join('\n')}\n`);
    return EXIT.ok;
  });
}

/** The running trader knows most; without it the ledger still tells why an order was made. */
async function explained(subject: string, config: TraderConfig, timeoutMs: number, io: CliIo): Promise<ExplainData> {
  try {
    return await askTrader({ command: 'explain', subject }, { socket: config.control.socket, timeoutMs });
  } catch (error) {
    if (!(error instanceof TwinbookError) || error.code !== 'not_running') throw error;
    const lines = await readLedger(config, io, (ledger) => linesFromLedger(ledger, subject)).catch(() => null);
    if (lines !== null) return { lines };
    throw error;
  }
}

function linesFromLedger(ledger: LedgerReader, subject: string): readonly string[] | null {
  const order = ledger.order(subject);
  const intent = ledger.intent(order?.intentId ?? subject);
  if (intent === null) return null;
  return [
    intentText(intent),
    `state: ${intent.state}${intent.lastReason === '' ? '' : ` (${intent.lastReason})`}`,
    ...(order === null ? [] : [`order ${order.pubkey}: ${order.status}, ${formatDecimal(order.filledMicros)} filled`]),
    `strategy: ${intent.strategy}, configuration ${intent.configHash.slice(0, 12)}`,
    `because: ${intent.reason}`,
    'The trader is not running: this is what the ledger kept.',
  ];
}

function intentText(intent: IntentRow): string {
  const outcome = intent.isYes === null ? '' : intent.isYes ? ' YES' : ' NO';
  const price = intent.priceMicros === null ? '' : ` at ${formatDecimal(intent.priceMicros)}`;
  const amount = intent.amountMicros === null ? '' : ` ${formatDecimal(intent.amountMicros)}`;
  const side = intent.side === null ? '' : ` ${intent.side}`;
  return `${intent.id}: ${intent.kind}${side}${amount}${outcome}${price} in ${intent.marketConditionId}, ${when(intent.createdMs)} UTC`;
}
