/** Commands that change the trader's mode, for command line, dashboard, Telegram and `twinbook mcp`. */

/** Roles on the dashboard, fewest permissions first. Each role includes the permissions of the roles before it. */
export const ROLES = ['view', 'stop', 'operate'] as const;
/** Role of a visitor of the dashboard. */
export type Role = (typeof ROLES)[number];

type Button = readonly [label: string, title: string];

/** Description of one operator command. */
export interface OperatorRow {
  readonly help: string;
  /** Whether the operator gives a reason with the command. `usual`: the sender's name replaces a missing reason. */
  readonly reason: 'none' | 'usual' | 'optional' | 'required';
  /** Minimum role for the command on the dashboard. */
  readonly role: Role;
  readonly button: Button;
  /** Dashboard button for one market. The button is absent for a command that applies only to all markets. */
  readonly marketButton?: Button;
  /** Set if `twinbook mcp` offers the command to AI agents. AI agents get only commands that stop trading. */
  readonly isTool?: true;
  /** Set if the command has the option `--verify`, which waits until the exchange shows no open order. */
  readonly isVerifiable?: true;
}

/** All operator commands, in the order of the dashboard's buttons. */
export const OPERATOR_COMMANDS = {
  widen: {
    reason: 'usual',
    role: 'stop',
    help: 'continues quoting, but no nearer to the fair value than risk.widen_distance',
    button: ['Widen', 'continues quoting, further from the fair value'],
  },
  pause: {
    reason: 'usual',
    role: 'stop',
    isTool: true,
    help: 'stops quoting and cancels every order; fills are still booked',
    button: ['Pause', 'cancels every order and stops quoting'],
    marketButton: ['Pause this market', 'cancels the orders of this market and stops its quotes; others continue'],
  },
  'reduce-only': {
    reason: 'usual',
    role: 'stop',
    isTool: true,
    help: 'quotes only orders that reduce positions',
    button: ['Reduce only', 'quotes only orders that reduce positions'],
  },
  'cancel-all': {
    reason: 'none',
    role: 'stop',
    isTool: true,
    isVerifiable: true,
    help: 'cancels every open order, even if the trader hangs or is not running',
    button: ['Cancel all', 'cancels every open order once'],
  },
  flatten: {
    reason: 'none',
    role: 'operate',
    help: 'cancels every order, sells all holdings into the book, and stops quoting',
    button: ['Flatten', 'sells all holdings into the book, then stops quoting'],
    marketButton: ['Flatten this market', 'cancels the orders of this market, sells its holdings, stops its quotes'],
  },
  kill: {
    reason: 'usual',
    role: 'stop',
    isTool: true,
    isVerifiable: true,
    help: 'cancels every order and forbids new orders, also after a restart, even if the trader hangs or is not running',
    button: ['KILL', 'press twice: cancels all orders, forbids new ones until the kill is lifted, even after restarts'],
  },
  resume: {
    reason: 'optional',
    role: 'operate',
    help: 'quotes as usual again; markets paused individually stay paused; needs a reason except after pause, widen or reduce-only by the operator',
    button: ['Resume', 'quotes as usual again'],
    marketButton: ['Resume this market', 'quotes this market as usual again'],
  },
  unkill: {
    reason: 'required',
    role: 'operate',
    help: 'lifts a kill, so that new orders are possible again; needs a reason',
    button: ['Lift the kill', 'permits new orders again; needs a reason'],
  },
} as const satisfies Readonly<Record<string, OperatorRow>>;

type OperatorRows = typeof OPERATOR_COMMANDS;
/** Name of an operator command, as the operator types it. */
export type OperatorName = keyof OperatorRows;

/** Name of a command that can also apply to a single market. */
export type MarketName = {
  [Name in OperatorName]: OperatorRows[Name] extends { readonly marketButton: Button } ? Name : never;
}[OperatorName];

export const OPERATOR_NAMES = Object.keys(OPERATOR_COMMANDS) as readonly OperatorName[];
const hasMarketButton = (name: OperatorName): name is MarketName => 'marketButton' in OPERATOR_COMMANDS[name];
export const MARKET_NAMES = OPERATOR_NAMES.filter(hasMarketButton);
/** Main commands: the dashboard offers these commands also for all traders at once. */
export const FIRST_NAMES = ['pause', 'kill'] as const satisfies readonly OperatorName[];
/** Commands that Telegram offers: a thief of the operator's telephone can only stop the trader. */
export const CHAT_NAMES = ['pause', 'reduce-only', 'kill'] as const satisfies readonly OperatorName[];

/**
 * Returns the request for a command, with only the fields that this command has.
 * @param reason empty if none was given @param sender recorded as the reason if a `usual` reason is empty
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
