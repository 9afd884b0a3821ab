/** Initial state of a run that its backtest lacks: an earlier command of the operator, shares, orders. */

import type { OperatorCommand } from '../../shared/protocol/seam.js';
import type { RunJournal } from '../../shell/journal/contract.js';
import type { Trader } from '../../trader/engine/trader.js';
import type { DraftSigner } from '../../trader/executor/contract.js';
import type { Ledger } from '../../trader/ledger/contract.js';
import { type ReplayedTrader, remadeTrader } from '../replay/replay.js';
import { startingLedger } from '../replay/replay-run.js';
import { formatQuantity } from '../report/figures.js';

export interface OpeningAccount {
  /** Command that puts a backtest into the run's initial mode; null when not needed. */
  readonly command: OperatorCommand | null;
  readonly remarks: readonly string[];
}

export function readOpeningAccount(run: RunJournal, settings: ReplayedTrader): OpeningAccount {
  if (run.ledgerFile === null) {
    return {
      command: null,
      remarks: ['What the run began with is not known: there is no copy of its starting ledger.'],
    };
  }
  const ledger = startingLedger(run);
  try {
    const { startedMs } = run.description;
    const signer: DraftSigner = { sign: () => ({ ok: false, reason: 'nothing is signed here' }) };
    const trader = remadeTrader({ trader: settings, ledger, startedMs, signer, boundedCall: (call) => call() });
    return { command: makeOpeningCommand(trader, startedMs), remarks: remarksOn(ledger) };
  } finally {
    ledger.close();
  }
}

function makeOpeningCommand(trader: Trader, startedMs: number): OperatorCommand | null {
  const { mode, reason } = trader.snapshot(startedMs);
  if (mode === 'killed') return { kind: 'kill', reason };
  if (mode === 'widened') return { kind: 'widen', reason };
  if (mode === 'reducing') return { kind: 'reduce-only', reason };
  // A halt at a loss limit is lifted by the same command as a pause.
  return mode === 'paused' || mode === 'halted' ? { kind: 'pause', reason } : null;
}

function remarksOn(ledger: Ledger): string[] {
  const held = ledger.positions().length;
  const underWay = ledger.activeIntents().length;
  const remarks: string[] = [];
  if (held > 0) {
    remarks.push(
      `The run began with ${formatQuantity(held, 'holding')}, the backtest with none; only what changed is compared.`,
    );
  }
  if (underWay > 0) {
    remarks.push(
      `The run began with ${formatQuantity(underWay, 'order')} or conversions under way, the backtest with none.`,
    );
  }
  return remarks;
}
