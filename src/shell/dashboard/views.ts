/**
 * What the views beside the overview show. Money, prices and amounts are decimal strings, times Unix milliseconds, but for charts,
 * whose columns are whole millionths. Null, or an empty text, is not known.
 */

export interface PageViews {
  readonly chart: ChartView;
  readonly money: MoneyView;
  readonly risk: RiskView;
  readonly health: HealthView;
  readonly orders: OrdersView;
  readonly explain: ExplainView;
  readonly past: PastView;
  readonly log: LogView;
  readonly alerts: AlertsView;
  readonly config: ConfigView;
  readonly diff: DiffView;
  readonly runs: RunsView;
}

export type ViewName = keyof PageViews;

export const VIEW_NAMES = [
  'chart',
  'money',
  'risk',
  'health',
  'orders',
  'explain',
  'past',
  'log',
  'alerts',
  'config',
  'diff',
  'runs',
] as const satisfies readonly ViewName[];

/** What can be had as a file of comma-separated values. */
export const CSV_NAMES = ['fills', 'orders', 'days', 'markets', 'strategies'] as const;
export type CsvName = (typeof CSV_NAMES)[number];

/** What of a view is wanted; null for all of it. */
export interface ViewQuery {
  readonly market: string | null;
  /** An order, a fill, an intent or a market. */
  readonly subject: string | null;
  /** Of a chart, up to now, ms. */
  readonly spanMs: number;
  /** A moment that is over, Unix ms; null for now. */
  readonly atMs: number | null;
}

type Column = readonly (number | null)[];

/** One market over time. */
export interface ChartView {
  /** What is left out between two points of the same distance as others is a gap. */
  readonly time: readonly number[];
  /** The others' best, widest within a point. */
  readonly best_bid: Column;
  readonly best_ask: Column;
  readonly fair: Column;
  /** Our own best. */
  readonly bid: Column;
  readonly ask: Column;
  /** YES minus NO, shares. */
  readonly net: Column;
  /** Oldest first, price in YES space. */
  readonly fills: readonly ChartFill[];
  /** When another mode, or another configuration, began. */
  readonly marks: readonly { readonly time: number; readonly text: string }[];
}

export interface ChartFill {
  readonly id: string;
  readonly time: number;
  readonly price: number;
  readonly amount: number;
  readonly raises: boolean;
}

export interface MoneyView {
  readonly capital: string;
  readonly cash: string;
  readonly equity: string;
  /** Realised minus fees plus unrealised, over the whole ledger. */
  readonly result: string;
  readonly realised: string;
  readonly fees: string;
  readonly unrealised: string;
  /** Markets in which something is held that has no price now. */
  readonly unmarked: number;
  /** Of all bookings, as a part; below 1 while a long ledger is still being read. */
  readonly read: number;
  readonly days: readonly MoneyRow[];
  readonly markets: readonly MoneyMarket[];
  readonly strategies: readonly MoneyRow[];
  readonly curve: { readonly time: readonly number[]; readonly equity: Column; readonly result: Column };
  readonly markouts: readonly MarkoutRow[];
}

/** The others' middle so long after our fills, beside the prices of these: positive where it went for us. Of the newest fills. */
export interface MarkoutRow {
  readonly horizon_s: number;
  /** `bid`: we bought YES or sold NO. */
  readonly side: 'all' | 'bid' | 'ask';
  /** Of which a middle of then is known, and of which not: before it is over, in a gap of the history, without both sides. */
  readonly fills: number;
  readonly not_known: number;
  readonly shares: string;
  /** A share, weighted by shares; its standard error, empty below two markets. */
  readonly mean: string;
  readonly error: string;
  /** Of all these shares together. */
  readonly total: string;
}

/** What was booked: by average cost, fees apart. */
export interface MoneyRow {
  readonly key: string;
  readonly fills: number;
  /** Currency paid and received in fills. */
  readonly turnover: string;
  readonly realised: string;
  readonly fees: string;
  /** Realised minus fees. */
  readonly net: string;
}

export interface MoneyMarket extends MoneyRow {
  readonly title: string;
  readonly yes: string;
  readonly no: string;
  /** Complete sets among them. */
  readonly sets: string;
  /** What is held cost. */
  readonly cost: string;
  readonly unrealised: string;
  /** Net plus unrealised. */
  readonly result: string;
}

export interface RiskView {
  readonly limits: readonly RiskLimit[];
  readonly events: readonly RiskEvent[];
  /** Markets in which anything is held, or nearest to their limit. */
  readonly markets: readonly RiskMarket[];
  readonly scenarios: readonly ScenarioRow[];
}

/** One way in which an event could end, for what is held of it now. */
export interface ScenarioRow {
  /** Titles of its markets in which anything is held. */
  readonly event: string;
  readonly scenario: string;
  /** What is paid minus what it cost. */
  readonly result: string;
  /** What is paid minus what it is worth at marks. */
  readonly from_now: string;
}

export interface RiskLimit {
  readonly name: string;
  readonly words: string;
  readonly unit: string;
  readonly limit: string;
  /** Empty where the limit is about one order and nothing is used up. */
  readonly used: string;
  /** 0 to 1 and above; null with `used` empty. */
  readonly share: number | null;
  /** Times that it refused an order of the markets looked at. */
  readonly refusals: number;
  /** Of the newest, both figures. */
  readonly newest: string;
  /** Strategies that have a tighter one. */
  readonly tighter: string;
}

export interface RiskEvent {
  readonly id: string;
  readonly title: string;
  readonly markets: number;
  readonly position: string;
  /** At its worst; negative where it can only gain. */
  readonly loss: string;
  readonly share: number | null;
}

export interface RiskMarket {
  readonly id: string;
  readonly title: string;
  readonly net: string;
  readonly limit: string;
  readonly share: number | null;
  readonly mark: string;
}

export interface HealthView {
  readonly figures: readonly { readonly name: string; readonly value: string; readonly is_bad: boolean }[];
  readonly requests: readonly {
    readonly endpoint: string;
    readonly answered: number;
    readonly refused: number;
    readonly unknown: number;
    /** Seconds within which so many were answered, as bounds of a histogram. */
    readonly p50: string;
    readonly p95: string;
    readonly p99: string;
  }[];
  readonly budgets: readonly {
    readonly scope: string;
    readonly limit: number;
    readonly own_limit: number;
    readonly left: number;
    readonly blocked_until: number | null;
  }[];
  readonly spent: readonly { readonly purpose: string; readonly total: number }[];
  readonly feeds: readonly {
    readonly name: string;
    readonly current: number;
    readonly values: number;
    readonly age_ms: number | null;
    readonly problems: number;
    readonly trouble: string;
  }[];
  readonly books: readonly {
    readonly id: string;
    readonly title: string;
    readonly seen: number | null;
    readonly trouble: string;
  }[];
}

export interface OrdersView {
  readonly orders: readonly OrderRow[];
  readonly fills: readonly FillRow[];
}

export interface OrderRow {
  readonly id: string;
  readonly market: string;
  readonly title: string;
  readonly side: string;
  readonly price: string;
  readonly amount: string;
  readonly filled: string;
  readonly status: string;
  readonly created: number;
  readonly closed: number | null;
}

export interface FillRow {
  readonly id: string;
  readonly order: string;
  readonly market: string;
  readonly title: string;
  readonly side: string;
  readonly price: string;
  readonly amount: string;
  readonly fee: string;
  readonly role: string;
  readonly time: number;
}

export interface ExplainView {
  readonly subject: string;
  /** Null when nothing has this name. */
  readonly tree: ExplainNode | null;
}

/** A market at a moment that is over. */
export interface PastView {
  readonly subject: string;
  /** Unix ms. */
  readonly at: number;
  /** `waiting` for another moment that is worked out; either is asked for again. */
  readonly state: 'waiting' | 'working' | 'done' | 'failed';
  /** What the command line says, in lines; until then what is done. */
  readonly text: string;
}

/** A figure, what it is made of, and where it comes from. */
export interface ExplainNode {
  readonly name: string;
  readonly value: string;
  readonly unit: string;
  /** The same for a whole tree: what the ledger kept, or what the trader told last. */
  readonly source: 'ledger' | 'trader';
  /** What it names can be explained too. */
  readonly subject: string | null;
  readonly children: readonly ExplainNode[];
}

export interface LogView {
  /** Newest first. */
  readonly lines: readonly {
    readonly time: number;
    readonly severity: string;
    readonly kind: string;
    readonly text: string;
    readonly source: 'ledger' | 'trader';
  }[];
}

export interface AlertsView {
  readonly open: readonly OpenAlertRow[];
  readonly recent: readonly AlertRow[];
  readonly channels: readonly {
    readonly channel: string;
    readonly delivered: number;
    readonly failed: number;
    readonly lost: number;
    readonly waiting: number;
  }[];
}

export interface AlertRow {
  readonly time: number;
  readonly severity: string;
  readonly kind: string;
  readonly state: string;
  readonly title: string;
  readonly text: string;
}

export interface OpenAlertRow extends AlertRow {
  /** The command that helps; empty where none does. */
  readonly step: string;
  /** When a person said so; null while nobody has. */
  readonly seen: number | null;
}

export interface ConfigView {
  readonly hash: string;
  readonly file: string;
  readonly settings: readonly { readonly name: string; readonly value: string }[];
}

/** How the files differ from what is in force. */
export interface DiffView {
  readonly lines: readonly string[];
}

export interface RunsView {
  readonly runs: readonly {
    readonly id: string;
    readonly version: string;
    readonly config_hash: string;
    readonly started: number;
    readonly stopped: number | null;
    readonly note: string;
    readonly is_current: boolean;
  }[];
}
