/**
 * The control socket's language: newline-delimited JSON over a unix socket of mode 0600, one answer per request. Types
 * only (and the one parser that both ends share), so that the command line and the daemon cannot drift apart.
 */

import type { AcceptedDifference } from '../../trader/reconcile/agreement.js';
import type { Difference } from '../../trader/reconcile/differences.js';
import type { PrunedBatch } from '../../trader/reconcile/prune.js';

/** What an operator may ask of a running trader. */
export type ControlRequest =
  /** Whether it answers at all; costs nothing. */
  | { readonly command: 'ping' }
  | { readonly command: 'status' }
  | { readonly command: 'widen'; readonly reason: string }
  | { readonly command: 'reduce-only'; readonly reason: string }
  /** `market` is a condition id: that market alone. */
  | { readonly command: 'pause'; readonly reason: string; readonly market?: string }
  /** An empty reason says that none was given; the trader refuses that where it wants one. `market` as of a pause, whose pauses only this lifts. */
  | { readonly command: 'resume'; readonly reason: string; readonly market?: string }
  | { readonly command: 'stop' }
  /** `verify`: answers only after two reads showed that nothing rests. */
  | { readonly command: 'cancel-all'; readonly verify: boolean }
  /** `market` as of a pause. */
  | { readonly command: 'flatten'; readonly market?: string }
  | { readonly command: 'kill'; readonly reason: string }
  | { readonly command: 'unkill'; readonly reason: string }
  | { readonly command: 'reconcile' }
  | { readonly command: 'adopt'; readonly reason: string }
  /** One batch of a prune: `before` in Unix ms; `after` and `rows` as of `PruneBatch`. */
  | { readonly command: 'prune'; readonly before: number; readonly after: number | null; readonly rows: number }
  /** `subject` is an intent id, an order's pubkey or a market's condition id. */
  | { readonly command: 'explain'; readonly subject: string }
  /** `hash` is of a rollback; empty for what was in force before. */
  | {
      readonly command: 'config';
      readonly action: ConfigAction;
      readonly reason: string;
      readonly hash: string;
      readonly dryRun: boolean;
    }
  /** From then on the connection says what the trader sees and does, as `telemetry/lines.ts` has it, and hears no command. */
  | { readonly command: 'subscribe' };

/** What is answered by one line. */
export type ControlQuestion = Exclude<ControlRequest, { readonly command: 'subscribe' }>;

const CONFIG_ACTIONS = ['diff', 'apply', 'rollback'] as const;
/** What may be done about the configuration of a running trader. */
export type ConfigAction = (typeof CONFIG_ACTIONS)[number];

export type ControlResponse =
  | { readonly ok: true; readonly data: unknown }
  /** `error` is one sentence for a person; `ofFiles` says that the configuration's files cannot be used. */
  | { readonly ok: false; readonly error: string; readonly ofFiles?: boolean };

/** The data of each command's answer. Money and amounts are decimal strings, times Unix milliseconds. */
export interface ControlData {
  readonly ping: PingData;
  readonly status: StatusData;
  readonly widen: ModeData;
  readonly 'reduce-only': ModeData;
  readonly pause: ModeData;
  readonly resume: ResumedData;
  readonly stop: ModeData;
  readonly 'cancel-all': CancelAllData;
  readonly flatten: ModeData;
  readonly kill: KillData;
  readonly unkill: ModeData;
  readonly reconcile: ReconcileData;
  readonly adopt: AdoptData;
  readonly prune: PruneData;
  readonly explain: ExplainData;
  readonly config: ConfigData;
}

export interface PingData {
  readonly pid: number;
}

export interface ModeData {
  /** What the trader does now, e.g. `quoting`, `reducing`, `paused`, `stopping`, `killed`, `flattening`. */
  readonly mode: string;
  readonly reason: string;
}

export interface ResumedData extends ModeData {
  /** What a resume of everything leaves as it is, a sentence each. Absent where it leaves nothing. */
  readonly notes?: readonly string[];
}

export interface KillData extends ModeData {
  /** Orders of ours that rest, or may rest, at the moment of the answer: they are being canceled. Null when it is not known. Absent from a trader older than this field. */
  readonly resting?: number | null;
}

export interface CancelAllData {
  /** Orders that were asked to be canceled. */
  readonly asked: number;
  /** Orders seen resting at the last look; with `verify` 0 means that two reads agreed. */
  readonly resting: number;
  readonly verified: boolean;
}

export interface StatusData extends ModeData {
  /** The command that leads back up from this mode; empty when none is needed. */
  readonly way_back: string;
  readonly pid: number;
  readonly version: string;
  readonly config_file: string;
  readonly config_hash: string;
  readonly venue: string;
  readonly base_url: string;
  /** Address of the page, without what opens it; null when there is none. */
  readonly dashboard: string | null;
  readonly started: number;
  readonly now: number;
  /** Absent from a trader older than this field. */
  readonly agreement?: StatusAgreement;
  readonly cash: string;
  /** Cash plus holdings at their marks, minus the capital put in. */
  readonly result: string;
  readonly open_orders: number;
  readonly unknown_orders: number;
  readonly fills: number;
  /** Drafts that the signer refused, over all runs of this ledger. */
  readonly signing_refused: number;
  readonly markets: readonly StatusMarket[];
  readonly budget: readonly StatusBudget[];
  /** What requests of this run were spent on. Absent from a trader older than this field. */
  readonly spent?: readonly StatusSpent[];
  /** Requests of this run for each of its fills, and result for each of its requests; null before there are any. */
  readonly requests_per_fill?: number | null;
  readonly value_per_request?: number | null;
  /** What looks have shown of the venue's marks; null where they are not to be used. Absent from a trader older than this field. */
  readonly marks?: StatusMarks | null;
  /** Absent from a trader older than feeds. */
  readonly feeds?: readonly StatusFeed[];
}

/** Ledger against exchange, as of the newest complete round. */
export interface StatusAgreement {
  /** One sentence. */
  readonly text: string;
  /** Differences that no operator has accepted; null before the first round. */
  readonly open: number | null;
  /** Differences that an operator has accepted: they are left out of the comparison. */
  readonly accepted: number;
}

export interface StatusMarks {
  /** Whether they say which book to look at next. */
  readonly believed: boolean;
  /** Moves that they told of and a look judged; older ones count less. */
  readonly told: number;
  /** Parts, 0 to 1: of told moves those that were there, and of moves those that were told. */
  readonly precision: number;
  readonly recall: number;
}

export interface StatusMarket {
  readonly market_condition_id: string;
  readonly title: string;
  readonly strategy: string;
  /** `quoting`, or why not, in a few words. */
  readonly state: string;
  readonly bid: string | null;
  readonly ask: string | null;
  readonly fair: string | null;
  readonly yes: string;
  readonly no: string;
  readonly open_orders: number;
  /** What quoting it is worth; null where that is not known. Absent from a trader older than this field. */
  readonly value?: StatusValue | null;
}

/** Currency an hour, and what it follows from. */
export interface StatusValue {
  /** 1 for the most valuable. */
  readonly place: number;
  readonly net: number;
  readonly edge: number;
  readonly stale: number;
  readonly looks: number;
  readonly moves: number;
  readonly fills: number;
  readonly reserve: number;
  readonly currency: number;
  readonly look_every_s: number;
  readonly fills_an_hour: number;
  readonly currency_bound: number;
}

/** A source of the user's own fair values. */
export interface StatusFeed {
  readonly name: string;
  /** Markets with a value that strategies are told now. */
  readonly current_markets: number;
  /** Values taken in since the start. */
  readonly values: number;
  /** Age of the newest value, ms; null before the first. */
  readonly newest_age_ms: number | null;
  /** Rows and lines that were left out since the start. */
  readonly problems: number;
  /** Why its source cannot be read now; null while it can. */
  readonly trouble: string | null;
}

/** Requests in the current minute. */
export interface StatusBudget {
  readonly scope: string;
  readonly limit: number;
  readonly remaining: number;
}

export interface StatusSpent {
  /** looks, moves, cancels, conversions, own */
  readonly purpose: string;
  readonly last_minute: number;
  readonly total: number;
}

export interface ReconcileData {
  /** What differs in two rounds; of the newest complete one where `complete` is false. */
  readonly differences: readonly Difference[];
  /** Left out, because an operator has accepted them. Absent from a trader older than this field. */
  readonly accepted?: readonly AcceptedDifference[];
  /** Why rounds were void meanwhile. */
  readonly voided: readonly string[];
  /** False when no complete round, or no second one, was possible in time. */
  readonly complete: boolean;
}

export interface AdoptData extends ModeData {
  /** A sentence for each outcome of which something was booked. */
  readonly booked: readonly string[];
}

export interface PruneData extends PrunedBatch {
  /** How long it held the ledger, ms. */
  readonly tookMs: number;
}

/** What differs from what is in force, and whether it was taken up. */
export interface ConfigData {
  readonly lines: readonly string[];
  readonly applied: boolean;
  /** Of the configuration that was asked for; null where its code is not loaded for a comparison. */
  readonly hash: string | null;
}

/** Lines for a person, most important first. */
export interface ExplainData {
  readonly lines: readonly string[];
}

/** A request line longer than this is refused unread: no command needs more. */
export const MAX_CONTROL_LINE = 64 * 1024;

/** What takes risk again, or sells: obeyed late it would undo what was asked since, a kill past a trader that hung for instance. */
const NEVER_LATE: readonly ControlRequest['command'][] = ['resume', 'unkill', 'flatten', 'adopt', 'config'];

/**
 * Whether it is too late for a request line: whoever sent it has been told that no answer came. What stops is obeyed whenever it comes.
 * `until`, beside the fields of a command, is the last moment at which its sender still waits, Unix ms; a line without one is never late.
 */
export function isTooLate(line: string, { command }: ControlRequest, nowMs: number): boolean {
  if (!NEVER_LATE.includes(command)) return false;
  const { until } = JSON.parse(line) as { until?: unknown }; // it was read as a request before
  return typeof until === 'number' && nowMs > until;
}

/** Absent: all markets are meant. What is no id is one that no market has: it must not pass for all of them. */
const readMarket = (market: unknown): { readonly market?: string } =>
  market === undefined || market === null
    ? {}
    : { market: typeof market === 'string' ? market.trim() : String(market) };

const NO_SUBJECT =
  'explain needs a subject: an order, a fill or a market; `twinbook orders`, `fills` and `markets` list them';

/** Reads one request line; a text says what is wrong with it. A reason for stopping defaults to `operator`. */
export function readControlRequest(line: string): ControlRequest | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return 'not a line of JSON';
  }
  if (typeof parsed !== 'object' || parsed === null) return 'a request is a JSON object';
  const fields = new Map<string, unknown>(Object.entries(parsed));
  const readText = (name: string): string => {
    const value = fields.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const command = readText('command');
  switch (command) {
    case 'ping':
    case 'status':
    case 'stop':
    case 'reconcile':
    case 'subscribe':
      return { command };
    case 'widen':
    case 'reduce-only':
    case 'kill':
      return { command, reason: readText('reason') || 'operator' };
    case 'pause':
      return { command, reason: readText('reason') || 'operator', ...readMarket(fields.get('market')) };
    case 'resume':
      return { command, reason: readText('reason'), ...readMarket(fields.get('market')) };
    case 'flatten':
      return { command, ...readMarket(fields.get('market')) };
    case 'adopt':
      return readText('reason') === '' ? 'adopt needs a reason' : { command, reason: readText('reason') };
    case 'unkill':
      return readText('reason') === '' ? 'unkill needs a reason' : { command, reason: readText('reason') };
    case 'cancel-all':
      return { command, verify: fields.get('verify') === true };
    case 'explain':
      return readText('subject') === '' ? NO_SUBJECT : { command, subject: readText('subject') };
    case 'prune': {
      const [before, after, rows] = [fields.get('before'), fields.get('after') ?? null, fields.get('rows')];
      const isPlace = after === null || (Number.isSafeInteger(after) && Number(after) >= 0);
      if (!Number.isSafeInteger(before) || !Number.isSafeInteger(rows) || !isPlace)
        return 'prune needs whole numbers: before, in Unix ms, rows, and after, which may be null';
      return { command, before: Number(before), after: after === null ? null : Number(after), rows: Number(rows) };
    }
    case 'config': {
      const action = CONFIG_ACTIONS.find((known) => known === readText('action'));
      if (action === undefined) return `config wants one of ${CONFIG_ACTIONS.join(', ')}`;
      const [reason, hash, dryRun] = [readText('reason'), readText('hash'), fields.get('dryRun') === true];
      if (action === 'rollback' && reason === '') return 'a rollback needs a reason';
      return { command, action, reason, hash, dryRun };
    }
    default:
      return `unknown command ${JSON.stringify(command.slice(0, 40))}`;
  }
}
