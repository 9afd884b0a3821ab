/** What the page shows and what it may ask for. All of it is data that the console makes; the page decides nothing. */

/** What a button can ask for. `resume` and `unkill` lead up the ladder, the others down. */
export const PAGE_ACTIONS = [
  'widen',
  'reduce-only',
  'pause',
  'cancel-all',
  'flatten',
  'kill',
  'resume',
  'unkill',
] as const;
export type PageAction = (typeof PAGE_ACTIONS)[number];

/** Money, prices and amounts are decimal strings, times Unix milliseconds. Holds no secret. */
export interface PageState {
  /** The trader's, or `starting`, or `not answering` when what is shown is old. */
  readonly mode: string;
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
  readonly cash: string;
  /** Cash plus holdings at their marks, minus the capital put in; empty while a holding has no mark. */
  readonly result: string;
  readonly open_orders: number;
  readonly unknown_orders: number;
  readonly fill_count: number;
  readonly budget: readonly { readonly scope: string; readonly limit: number; readonly remaining: number }[];
  readonly agreement: Agreement | null;
  readonly markets: readonly PageMarket[];
  readonly orders: readonly PageOrder[];
  readonly fills: readonly PageFill[];
  readonly events: readonly PageEvent[];
}

/** The newest comparison of ledger and exchange; null before the first. */
export interface Agreement {
  readonly compared: number;
  /** One sentence each; empty when they agree. */
  readonly differences: readonly string[];
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
}

export interface PageOrder {
  readonly market: string;
  readonly side: string;
  readonly outcome: string;
  readonly price: string;
  readonly amount: string;
  readonly filled: string;
  readonly created: number;
}

export interface PageFill {
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

/** The console behind the page. */
export interface Host {
  /** Never throws: of a trader that does not answer it says that. */
  state(): PageState;
  /** In Prometheus' text format. */
  metrics(): { readonly type: string; readonly text: string };
  /** `reason` is empty when none was given. */
  act(action: PageAction, reason: string): Promise<Acted>;
}
