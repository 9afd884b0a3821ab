/** What the page shows and what it may ask for. All of it is data that the console makes; the page decides nothing. */

import type { CsvName, PageViews, ViewName, ViewQuery } from './views.js';

/**
 * What a button can ask for. `resume` and `unkill` lead up the ladder, those before them down. `ack`: a person has seen all alerts that are open.
 * `apply` and `rollback` are of the configuration.
 */
export const PAGE_ACTIONS = [
  'widen',
  'reduce-only',
  'pause',
  'cancel-all',
  'flatten',
  'pause-market',
  'resume-market',
  'flatten-market',
  'kill',
  'resume',
  'unkill',
  'ack',
  'apply',
  'rollback',
] as const;
export type PageAction = (typeof PAGE_ACTIONS)[number];

/** Those of one market, which is named with them. */
export type MarketAction = 'pause-market' | 'resume-market' | 'flatten-market';

export const isOfMarket = (action: PageAction): action is MarketAction => action.endsWith('-market');

/** What all traders of a console can be asked at once. */
export const ALL_ACTIONS = ['pause', 'kill'] as const satisfies readonly PageAction[];
export type AllAction = (typeof ALL_ACTIONS)[number];

/** Who looks: each may also what those before it may. */
export const ROLES = ['view', 'stop', 'operate'] as const;
export type Role = (typeof ROLES)[number];

/** What each action wants at least. */
export const ROLE_OF: Readonly<Record<PageAction, Role>> = {
  widen: 'stop',
  'reduce-only': 'stop',
  pause: 'stop',
  'cancel-all': 'stop',
  kill: 'stop',
  flatten: 'operate',
  'pause-market': 'stop',
  'resume-market': 'operate',
  'flatten-market': 'operate',
  resume: 'operate',
  unkill: 'operate',
  ack: 'stop',
  apply: 'operate',
  rollback: 'operate',
};

export const isAllowed = (role: Role, least: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least);

/** The server's side of a handshake. */
export interface Greeting {
  /** Drawn at the start of the console, so that no key outlives it. */
  readonly salt: string;
  /** Of PBKDF2, from the secret to the key. */
  readonly rounds: number;
  /** Random, 32 bytes in hex; the name of the session that it opens. */
  readonly nonce: string;
  /** One for each secret that opens the page, hex. */
  readonly proofs: readonly string[];
}

/** Money, prices and amounts are decimal strings, times Unix milliseconds. Holds no secret. */
export interface PageState {
  /** Of its file, to tell it from others. */
  readonly trader: string;
  /** The trader's, or `starting`, or `not answering` when what is shown is old. */
  readonly mode: string;
  /** When this console saw the mode begin, by the trader's clock; null where it began before. */
  readonly mode_since: number | null;
  readonly reason: string;
  /** Whether the trader has told its state within the last seconds; where it has not, all below is old. */
  readonly answers: boolean;
  /** The trader's clock when it last told its state; null before it ever did. */
  readonly heard: number | null;
  /** What the guardian says of itself, for a person. */
  readonly guardian: string;
  /** Whether the exchange has not answered some requests in a row. */
  readonly silent: boolean;
  readonly now: number;
  readonly started: number;
  readonly pid: number;
  readonly version: string;
  readonly venue: string;
  readonly base_url: string;
  readonly config_hash: string;
  /** The command that leads back up from this mode; empty when none is needed. */
  readonly way_back: string;
  /** Alerts that are open. */
  readonly alerts: number;
  readonly health: PageHealth | null;
  readonly losses: readonly PageLoss[];
  readonly cash: string;
  /** Cash plus holdings at their marks, minus the capital put in; empty while a holding has no mark. */
  readonly result: string;
  readonly open_orders: number;
  readonly unknown_orders: number;
  readonly fill_count: number;
  readonly budget: readonly { readonly scope: string; readonly limit: number; readonly remaining: number }[];
  readonly agreement: Agreement | null;
  readonly markets: readonly PageMarket[];
  /** The one that was asked for; null when none was, or when it is not looked at. */
  readonly market: PageMarketDetail | null;
  readonly orders: readonly PageOrder[];
  readonly fills: readonly PageFill[];
  readonly events: readonly PageEvent[];
}

/** How the trader's process does. */
export interface PageHealth {
  readonly step_p50_ms: number;
  readonly step_p99_ms: number;
  readonly beat_late_p99_ms: number;
  readonly memory_mb: number;
  /** Above 0: what is told is thinned, to spare the trader. */
  readonly brake: number;
}

/** A loss limit, and what of it is used. */
export interface PageLoss {
  readonly name: string;
  /** Negative for a gain. */
  readonly loss: string;
  readonly limit: string;
}

/** The newest comparison of ledger and exchange; null before the first. */
export interface Agreement {
  readonly compared: number;
  /** One sentence each; empty when they agree. */
  readonly differences: readonly string[];
  /** One sentence, and how many differences an operator has accepted. Absent from a trader of an earlier version. */
  readonly text?: string;
  readonly accepted?: number;
}

export interface PageMarket {
  readonly id: string;
  readonly title: string;
  /** `quoting`, or why not. */
  readonly state: string;
  readonly bid: string | null;
  readonly ask: string | null;
  readonly fair: string | null;
  readonly yes: string;
  readonly no: string;
  readonly open_orders: number;
  /** YES minus NO. */
  readonly net: string;
  /** The others' best prices. */
  readonly best_bid: string | null;
  readonly best_ask: string | null;
  /** When the newest book was seen; null before the first. */
  readonly book_seen: number | null;
}

/** One market from close by. */
export interface PageMarketDetail extends PageMarket {
  readonly strategy: string;
  readonly note: string;
  /** When it resolves; null where that is not known. */
  readonly resolves: number | null;
  /** Best asks above, best bids below. */
  readonly ladder: readonly PageLadderRow[];
  /** What led to the fair value and the quotes, by name. */
  readonly factors: readonly { readonly name: string; readonly value: number }[];
  readonly refusals: readonly { readonly control: string; readonly count: number; readonly text: string }[];
  /** Public trades, newest first; null where they are not told. */
  readonly tape: readonly PageTrade[] | null;
}

/** A public trade, YES space; the exchange's clock. */
export interface PageTrade {
  readonly time: number;
  readonly price: string;
  readonly amount: string;
  readonly taker: 'buy' | 'sell';
  /** Whether the ledger has a fill of this second, price and amount. */
  readonly ours: boolean;
}

/** One price, YES space. Amounts in shares; empty for none. */
export interface PageLadderRow {
  readonly price: string;
  readonly side: 'bid' | 'ask' | 'fair';
  readonly others: string;
  readonly ours: string;
  /** Others' shares before ours, a risk-averse estimate; empty where it is not known. */
  readonly ahead: string;
}

export interface PageOrder {
  readonly id: string;
  readonly market: string;
  readonly side: string;
  readonly outcome: string;
  readonly price: string;
  readonly amount: string;
  readonly filled: string;
  readonly created: number;
}

export interface PageFill {
  readonly id: string;
  readonly market: string;
  readonly side: string;
  readonly outcome: string;
  readonly price: string;
  readonly amount: string;
  readonly time: number;
}

export interface PageEvent {
  readonly time: number;
  readonly kind: string;
  readonly text: string;
}

/** What became of a press. */
export interface Acted {
  /** Null when it is obeyed, else why not and what is wanted. */
  readonly refusal: string | null;
  /** What is done, for a person. */
  readonly text: string;
}

/** One trader among those that a console shows. Money is a decimal string, empty where it is not known. */
export interface TraderRow {
  readonly name: string;
  /** Results of those of one group add up. */
  readonly group: string;
  /** As in `PageState`, or `not running`. */
  readonly mode: string;
  readonly reason: string;
  /** Whether it has told its state within the last seconds; else its figures are old. */
  readonly answers: boolean;
  /** When it last told its state, to this console or to one before it; null when it never did. */
  readonly heard: number | null;
  readonly guardian: string;
  readonly version: string;
  readonly pid: number;
  readonly cash: string;
  readonly result: string;
  readonly loss_day: string;
  /** Null, as the following, where the trader has told nothing yet. */
  readonly open_orders: number | null;
  readonly unknown_orders: number | null;
  /** Looked at, and those of them that are quoted. */
  readonly markets: number | null;
  readonly quoting: number | null;
  /** Open ones, and those of them that are critical. */
  readonly alerts: number;
  readonly critical: number;
}

/** Traders whose results add up. */
export interface TraderSum {
  readonly group: string;
  readonly traders: number;
  readonly answering: number;
  readonly cash: SummedMoney;
  readonly result: SummedMoney;
  readonly loss_day: SummedMoney;
  /** Of those that have told. */
  readonly open_orders: number;
  readonly unknown_orders: number;
  readonly alerts: number;
  readonly critical: number;
}

/** Over so many traders of which it is known; empty where it is known of none. */
export interface SummedMoney {
  readonly sum: string;
  readonly known: number;
}

/** A state as the page gets it. */
export interface ServedState extends PageState {
  readonly role: Role;
  /** Names of all that this console shows. */
  readonly traders: readonly string[];
}

export interface ServedTraders extends TradersState {
  readonly role: Role;
}

export interface TradersState {
  readonly now: number;
  readonly traders: readonly TraderRow[];
  readonly sums: readonly TraderSum[];
}

/** One trader behind the page. */
export interface TraderHost {
  /** Never throws: of a trader that does not answer it says that. `market`: the one that is wanted from close by. */
  state(market: string | null): PageState;
  /** Calls back whenever the state may have changed, until what it gives is called. */
  watch(onChange: () => void): () => void;
  /** Null where nothing is known of what is wanted. */
  view(name: ViewName, query: ViewQuery): Promise<PageViews[ViewName] | null>;
  /** Comma-separated values; null while the ledger cannot be read. */
  csv(name: CsvName): string | null;
  /** `reason` is empty when none was given, `market` the condition id of an action that is of one market and else null. */
  act(action: PageAction, reason: string, market: string | null): Promise<Acted>;
}

/** The console behind the page. */
export interface Host {
  /** At least one. */
  readonly names: readonly string[];
  /** Null for a name that none has. */
  trader(name: string): TraderHost | null;
  traders(): TradersState;
  /** In Prometheus' text format. */
  metrics(): { readonly type: string; readonly text: string };
}
