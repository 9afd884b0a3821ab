/** The command that helps, by the subject of an alert: an operator woken at night should not have to search for it. */

const NEXT_STEPS: Readonly<Record<string, string>> = {
  trader_gone: '`twinbook cancel-all --verify`, then start it again',
  trader_silent: '`twinbook status`; `twinbook kill` works past it',
  guardian_absent: '`twinbook status` says what it said last; its log is beside the ledger',
  disk_low: 'remove journals, recordings and logs, never the ledger',
  backup_failed: '`twinbook ledger backup` makes one now, or says why it cannot',
  backup_old: '`twinbook ledger backup` makes one now, or says why it cannot',
  journal_ended:
    'make room on its disk (`journal.max_mb` bounds it); `twinbook stop`, then `twinbook start`, begins another one',
  login_refused:
    'was it you, `twinbook alerts --ack login_refused`; else give the page another password and start it again',
  telemetry_slowed: 'close pages and `twinbook top` that nobody reads; nothing is wrong with trading',
  reader_cut: 'end readers that do not read; `twinbook top` and the console reconnect automatically',
  killed: '`twinbook events` says why; `twinbook unkill --reason TEXT` leads back up',
  halted: '`twinbook events` says why; `twinbook resume --reason TEXT` leads back up',
  ledger_differs: '`twinbook reconcile` names all that differs; only orders that reduce leave meanwhile',
  unknown_orders: '`twinbook cancel-all --verify`, and compare with the page of the venue',
  venue_silent: '`twinbook status`, and the status page of the venue',
  throttled: '`twinbook status` says which requests are left',
  clock_off: 'synchronise the clock of this machine',
  reconciled_late: '`twinbook reconcile`',
  loss: '`twinbook pnl --by market`; `twinbook reduce-only` or `pause` holds it back',
  feed_silent: '`twinbook status` says how old its values are; who quotes by it quotes nothing',
  signing_refused: '`twinbook kill`, then `twinbook events`',
  signed_elsewhere: '`twinbook kill`, then `twinbook events`',
  foreign_order: '`twinbook kill`, then `twinbook events`',
  cancel_undone:
    '`twinbook kill --verify`, and compare with the page of the venue; its market stays out until `twinbook resume --reason TEXT`',
  fill_differs: '`twinbook events`; only orders that reduce leave until `twinbook resume --reason TEXT`',
  settled_trade_failed: '`twinbook events`; only orders that reduce leave until `twinbook resume --reason TEXT`',
  list_unread:
    '`twinbook doctor` shows the exchange’s refusal; for a key: `twinbook keys list`, `twinbook keys bootstrap`',
  market_unread: '`twinbook events` names market, field and value; all other markets continue',
  orders_refused:
    '`twinbook explain MARKET` has the words of the exchange; compare `capital` with the account for a lack of funds',
  budget_short:
    '`twinbook status` says which requests are left; does another program use this key or this address? Ask the venue',
  configured: '`twinbook config diff --history` says who changed what',
  strategy_failed: '`twinbook resume --reason TEXT` lets it try again',
  market_failed: '`twinbook resume --reason TEXT` lets it try again',
};

/** Empty when nothing is to be done. */
export const findNextStep = (kind: string): string => (Object.hasOwn(NEXT_STEPS, kind) ? (NEXT_STEPS[kind] ?? '') : '');

/** A text with the next step on a separate line; unchanged where there is none. */
export function addNextStep(kind: string, text: string): string {
  const step = findNextStep(kind);
  return step === '' ? text : `${text}\nDo: ${step}`;
}
