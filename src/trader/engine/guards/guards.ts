/** Everything that watches what happens to the trader and remembers it. A new guard is a file beside this one and a line here. */

import type { Ledger, LedgerReader } from '../../ledger/contract.js';
import { ActionPace } from '../../risk/action-pace.js';
import type { RiskLimits } from '../../risk/limits.js';
import { FillAlarm } from './fill-alarm.js';
import { FillMemory } from './fill-memory.js';
import { KeyAlarm } from './key-alarm.js';
import { LossMemory } from './loss-memory.js';

/** Newest rows of the ledger that are looked at for each action that is allowed in a minute: some are conversions. */
const ROWS_PER_ACTION = 2;

export class Guards {
  readonly loss: LossMemory;
  readonly fills: FillMemory;
  readonly keys: KeyAlarm;
  /** Does not halt: while it stands only orders that reduce may leave. */
  readonly fillAlarm: FillAlarm;
  /** Orders and cancels begun lately, by this process or the one before it: the ledger's rows are its memory. */
  readonly pace: ActionPace;

  constructor(ledger: Ledger, limits: RiskLimits) {
    this.loss = new LossMemory(ledger, limits);
    this.fills = new FillMemory(ledger, limits);
    this.keys = new KeyAlarm(ledger);
    this.fillAlarm = new FillAlarm(ledger);
    this.pace = new ActionPace(newestActions(ledger, limits.maxActionsPerMinute));
  }

  /** Other limits from now on: what happened stays, and what halted halts. */
  configure(limits: RiskLimits): void {
    this.loss.configure(limits);
    this.fills.configure(limits);
  }

  /** Why a limit, or a key that is refused, has stopped everything until a person resumes; null while none has. */
  get halted(): string | null {
    return this.loss.halted ?? this.fills.halted ?? this.keys.halted;
  }

  /** A person resumes: what halted or holds back is accepted. The losses are the caller's to store, together with the marks. */
  resume(isHeldBack: boolean): void {
    this.loss.resume(isHeldBack);
    this.fills.resume();
    this.fills.store();
    this.keys.resume();
    this.fillAlarm.clear();
  }
}

/** Our clock, ms, of the newest orders and cancels that the ledger has; a number of rows, whatever its history. */
function newestActions(ledger: LedgerReader, perMinute: number): readonly number[] {
  const rows = ledger.intents({ limit: perMinute * ROWS_PER_ACTION });
  return rows.filter(({ kind }) => kind === 'place' || kind === 'cancel').map(({ createdMs }) => createdMs);
}
