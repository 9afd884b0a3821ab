/** Data and requests of the operator's page. The console makes all data and decisions; the page displays them. */

import {
  MARKET_NAMES,
  type MarketName,
  OPERATOR_COMMANDS,
  OPERATOR_NAMES,
  type OperatorName,
  ROLES,
  type Role,
} from '../../shared/protocol/operator-commands.js';

const ofMarket = (name: MarketName) => `${name}-market` as const;

/** Actions of the page that are not operator commands, such as acknowledging alerts, with their minimum role. */
const OTHER_ACTIONS = {
  ack: 'stop',
  apply: 'operate',
  rollback: 'operate',
  report: 'operate',
  backtest: 'operate',
  parity: 'operate',
} as const satisfies Record<string, Role>;

export type TraderAction = OperatorName | ReturnType<typeof ofMarket>;
type PageAction = TraderAction | keyof typeof OTHER_ACTIONS;

/** Minimum role that a user of the page needs for each action. */
export const ROLE_OF = {
  ...Object.fromEntries(OPERATOR_NAMES.map((name) => [name, OPERATOR_COMMANDS[name].role])),
  ...Object.fromEntries(MARKET_NAMES.map((name) => [ofMarket(name), OPERATOR_COMMANDS[name].role])),
  ...OTHER_ACTIONS,
} as Readonly<Record<PageAction, Role>>;

// The cast is safe: the keys of `ROLE_OF` are exactly the actions.
export const PAGE_ACTIONS = Object.keys(ROLE_OF) as readonly PageAction[];

/** Returns the trader's command for an action on one market; null for any other action. */
export const marketCommand = (action: PageAction): MarketName | null =>
  MARKET_NAMES.find((name) => ofMarket(name) === action) ?? null;

export const isAllowed = (role: Role, least: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least);

/** `refusal`: reason why the action failed; null for an accepted action. `text`: result of an accepted action. */
export type Acted = Readonly<{ refusal: string | null; text: string }>;

export const readText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const LONGEST_SPAN_MS = 90 * 86_400_000;
const MOST_PAGES = 1_000;
/** Latest time of a `Date`, Unix ms. */
const LATEST_MS = 8_640_000_000_000_000;

/** Parses a view's query, which selects part of the view's data; an absent filter selects all. */
export function viewQuery({ market, subject, span, at, side, filter, page }: Readonly<Record<string, unknown>>) {
  const spanMs = Number(readText(span) ?? 0);
  const atMs = Number(readText(at) ?? 0);
  return {
    market: readText(market),
    subject: readText(subject),
    /** Length of the shown time span, which ends now, ms; 0 for the view's default. */
    spanMs: spanMs > 0 && spanMs <= LONGEST_SPAN_MS ? spanMs : 0,
    /** Point in time that the view shows, Unix ms; null for now. */
    atMs: atMs > 0 && atMs <= LATEST_MS ? atMs : null,
    /** Filter: a side of orders, or a severity of log lines; empty for all. */
    side: readText(side) ?? '',
    /** Filter: words that every row of the list must contain; empty for all. */
    words: readText(filter) ?? '',
    page: Math.min(MOST_PAGES, Number(/^\d+$/.exec(readText(page) ?? '')?.[0] ?? 0)),
  };
}

export type ViewQuery = ReturnType<typeof viewQuery>;

/**
 * Data and actions of one trader that the page shows. Money, prices and amounts are decimal strings, times Unix
 * milliseconds; columns of charts are micros. Null or an empty text means unknown.
 */
export interface TraderHost {
  /** Returns the trader's state, with details of `market`, without secrets. Does not throw if the trader is silent. */
  state(market: string | null): object;
  /** Returns null for an unknown view or subject. */
  view(name: string, query: ViewQuery): Promise<object | null>;
  /** Returns null while the ledger cannot be read. */
  csv(name: 'fills' | 'orders'): string | null;
  /** Returns the HTML of a report; null for an unknown name. */
  report(name: string): string | null;
  /**
   * `reason` is empty if the user gave none. `market` is the condition id for an action on one market, the recording
   * for a backtest, the run for a comparison, and null otherwise.
   */
  act(action: PageAction, reason: string, market: string | null): Promise<Acted>;
}

export interface Host {
  readonly names: readonly string[];
  trader(name: string): TraderHost | null;
  traders(): object;
  metrics(): { readonly type: string; readonly text: string };
}
