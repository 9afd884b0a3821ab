/**
 * All guards that watch events of the trader and remember them. A new guard is a file in this folder and a line here.
 */

import type { Ledger, LedgerReader } from '../../ledger/contract.js';
import { ActionPace } from '../../risk/action-pace.js';
import type { RiskLimits } from '../../risk/limits.js';
import { FillAlarm } from './fill-alarm.js';
import { FillMemory } from './fill-memory.js';
import { KeyAlarm } from './key-alarm.js';
import { LossMemory } from './loss-memory.js';

/** Ledger rows read for each allowed action of a minute: some rows are conversions. */
const ROWS_PER_ACTION = 2;

export class Guards {
  readonly loss: LossMemory;
  readonly fills: FillMemory;
  readonly keys: KeyAlarm;
  /** Does not halt: only reducing orders are allowed while it stands. */
  readonly fillAlarm: FillAlarm;
  /** Orders and cancels of the last minute, of this process and the one before; stored as ledger rows. */
  readonly pace: ActionPace;

  constructor(ledger: Ledger, limits: RiskLimits) {
    this.loss = new LossMemory(ledger, limits);
    this.fills = new FillMemory(ledger, limits);
    this.keys = new KeyAlarm(ledger);
    this.fillAlarm = new FillAlarm(ledger);
    this.pace = new ActionPace(newestActions(ledger, limits.maxActionsPerMinute));
  }

  /** Sets new limits; counts and halts stay. */
  configure(limits: RiskLimits): void {
    this.loss.configure(limits);
    this.fills.configure(limits);
  }

  /** Why a limit or a rejected key has stopped everything until an operator resumes; null without a halt. */
  get halted(): string | null {
    return this.loss.halted ?? this.fills.halted ?? this.keys.halted;
  }

  /** An operator resumes and accepts each halt and loss rung. The caller stores the losses together with the marks. */
  resume(isHeldBack: boolean): void {
    this.loss.resume(isHeldBack);
    this.fills.resume();
    this.fills.store();
    this.keys.resume();
    this.fillAlarm.clear();
  }
}

/** Our clock, ms, of the newest orders and cancels in the ledger; reads a bounded number of rows. */
function newestActions(ledger: LedgerReader, perMinute: number): readonly number[] {
  const rows = ledger.intents({ limit: perMinute * ROWS_PER_ACTION });
  return rows.filter(({ kind }) => kind === 'place' || kind === 'cancel').map(({ createdMs }) => createdMs);
}
