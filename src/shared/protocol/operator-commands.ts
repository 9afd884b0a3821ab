/** Commands that change the trader's mode, one row each, for command line, page, Telegram and `twinbook mcp`. */

/** Roles of a page, ascending: each includes the permissions of those before. */
export const ROLES = ['view', 'stop', 'operate'] as const;
/** Role of a visitor of the page. */
export type Role = (typeof ROLES)[number];

/** A button's label and explanation. */
type Button = readonly [label: string, title: string];

/** One command. */
export interface OperatorRow {
  readonly help: string;
  /** `usual`: the sender's name is recorded if none is given. */
  readonly reason: 'none' | 'usual' | 'optional' | 'required';
  /** Minimum role on the page. */
  readonly role: Role;
  readonly button: Button;
  /** Absent: the command applies to all markets only. */
  readonly marketButton?: Button;
  /** Offered by `twinbook mcp`: an agent can only stop the trader. */
  readonly isTool?: true;
  /** Whether `--verify` waits for the proof that no order rests. */
  readonly isVerifiable?: true;
}

/** Commands in the order of the page's buttons. */
export const OPERATOR_COMMANDS = {
  widen: {
    reason: 'usual',
    role: 'stop',
    help: 'quotes on, but no nearer to the fair value than risk.widen_distance',
    button: ['Widen', 'quotes keep away from the fair value'],
  },
  pause: {
    reason: 'usual',
    role: 'stop',
    isTool: true,
    help: 'stops quoting and pulls every order; fills are still booked',
    button: ['Pause', 'pulls every order, stays out'],
    marketButton: ['Pause this market', 'cancels the orders here, stays out; all other markets continue'],
  },
  'reduce-only': {
    reason: 'usual',
    role: 'stop',
    isTool: true,
    help: 'quotes only what brings positions towards zero',
    button: ['Reduce only', 'only what brings positions towards zero'],
  },
  'cancel-all': {
    reason: 'none',
    role: 'stop',
    isTool: true,
    isVerifiable: true,
    help: 'cancels every open order; works without a running trader too, and past one that hangs',
    button: ['Cancel all', 'cancels everything once'],
  },
  flatten: {
    reason: 'none',
    role: 'operate',
    help: 'cancels everything, sells all holdings into the book, and stays out',
    button: ['Flatten', 'sells all holdings into the book, then stays out'],
    marketButton: ['Flatten this market', 'cancels the orders here, sells the holdings, then stays out'],
  },
  kill: {
    reason: 'usual',
    role: 'stop',
    isTool: true,
    isVerifiable: true,
    help:
      'cancels everything and forbids new orders, also after a restart; works without a running trader too, and past ' +
      'one that hangs',
    button: ['KILL', 'press twice: cancels everything; nothing new until it is lifted, also after a restart'],
  },
  resume: {
    reason: 'optional',
    role: 'operate',
    help: 'quotes as usual again; markets paused alone stay paused; needs a reason after anything but a plain pause, widen or reduce-only',
    button: ['Resume', 'quotes as usual again'],
    marketButton: ['Resume this market', 'quotes here as usual again'],
  },
  unkill: {
    reason: 'required',
    role: 'operate',
    help: 'lifts a kill; needs a reason',
    button: ['Lift the kill', 'needs a reason'],
  },
} as const satisfies Readonly<Record<string, OperatorRow>>;

type Rows = typeof OPERATOR_COMMANDS;
/** Name of a command, as typed. */
export type OperatorName = keyof Rows;

/** Name of a command that also applies to one market. */
export type MarketName = {
  [Name in OperatorName]: Rows[Name] extends { readonly marketButton: Button } ? Name : never;
}[OperatorName];

// The table's keys are exactly the names.
export const OPERATOR_NAMES = Object.keys(OPERATOR_COMMANDS) as readonly OperatorName[];
const hasMarketButton = (name: OperatorName): name is MarketName => 'marketButton' in OPERATOR_COMMANDS[name];
export const MARKET_NAMES = OPERATOR_NAMES.filter(hasMarketButton);
/** Always visible on the page, also for all traders at once. */
export const FIRST_NAMES = ['pause', 'kill'] as const satisfies readonly OperatorName[];
/** Offered by Telegram: a stolen telephone can only stop the trader. */
export const CHAT_NAMES = ['pause', 'reduce-only', 'kill'] as const satisfies readonly OperatorName[];

/**
 * The request of a command, with only the fields that it takes.
 * @param reason empty when none was given @param sender recorded in its place where a reason is usual
 * @param market condition id; null for all markets
 */
export function operatorRequest(
  command: OperatorName,
  { reason, sender, market }: { readonly reason: string; readonly sender: string; readonly market: string | null },
) {
  const { reason: wanted }: OperatorRow = OPERATOR_COMMANDS[command];
  return {
    command,
    ...(wanted === 'none' ? {} : { reason: wanted === 'usual' ? reason || sender : reason }),
    ...(market === null ? {} : { market }),
  };
}
