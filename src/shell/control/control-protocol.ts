/** The control socket's protocol: JSON lines over a unix socket of mode 0600, one answer per request. */

import { z } from 'zod';
import { parseJson } from '../../shared/base/text.js';
import type { TraderStatus } from '../../shared/protocol/trader-status.js';
import type { AcceptedDifference, Difference } from '../../trader/reconcile/differences.js';
import type { PrunedBatch } from '../../trader/reconcile/prune.js';

/** Schema of a text, which is trimmed; a value of another type becomes an empty text. */
const said = z.string().trim().catch('');
/** Reason of a command that stops or limits trading; without a reason, `operator` is stored. */
const why = said.transform((text) => text || 'operator');
const needed = (error: string) => said.refine((text) => text !== '', error);
const isTrue = z.boolean().catch(false);
/** Condition id of one market; absent for all markets. An invalid id is kept, then refused as an unknown market. */
const market = z
  .unknown()
  .transform((id) => (id === undefined || id === null ? undefined : String(id).trim()))
  .optional();

const NO_SUBJECT =
  'explain needs a subject: an order, a fill or a market; `twinbook orders`, `fills` and `markets` list them';
const NO_NUMBERS = 'prune needs whole numbers: before (in Unix ms), rows, and after (or null)';
const ACTIONS = ['diff', 'apply', 'rollback'] as const;

const ask = <Name extends string, Fields extends z.ZodRawShape>(command: Name, fields: Fields) =>
  z.object({ command: z.literal(command), ...fields });

const REQUESTS = {
  ping: ask('ping', {}),
  status: ask('status', {}),
  widen: ask('widen', { reason: why }),
  'reduce-only': ask('reduce-only', { reason: why }),
  pause: ask('pause', { reason: why, market }),
  /** The trader may refuse `resume` without a reason. To resume a market that was paused alone, name it in `market`. */
  resume: ask('resume', { reason: said, market }),
  stop: ask('stop', {}),
  /** `verify`: the trader answers only after two reads of the exchange in a row have shown no resting order. */
  'cancel-all': ask('cancel-all', { verify: isTrue }),
  flatten: ask('flatten', { market }),
  kill: ask('kill', { reason: why }),
  unkill: ask('unkill', { reason: needed('unkill needs a reason') }),
  reconcile: ask('reconcile', {}),
  adopt: ask('adopt', { reason: needed('adopt needs a reason') }),
  /** Prunes one batch: `before` in Unix ms; `after` and `rows` as in `PruneBatch`. */
  prune: ask('prune', {
    before: z.int(NO_NUMBERS),
    after: z
      .int(NO_NUMBERS)
      .min(0, NO_NUMBERS)
      .nullish()
      .transform((place) => place ?? null),
    rows: z.int(NO_NUMBERS),
  }),
  /** `subject` is an intent id, an order's pubkey or a market's condition id. */
  explain: ask('explain', { subject: needed(NO_SUBJECT) }),
  /** `hash`: configuration of a rollback, empty for the previous one. `file`: expected configuration file, or empty. */
  config: ask('config', {
    action: z.enum(ACTIONS, `config wants one of ${ACTIONS.join(', ')}`),
    reason: said,
    hash: said,
    file: said,
    dryRun: isTrue,
  }).refine(({ action, reason }) => action !== 'rollback' || reason !== '', 'a rollback needs a reason'),
  /** After this request the connection streams the trader's status as `StatusLine`s, and accepts no further command. */
  subscribe: ask('subscribe', {}),
} as const;

type ControlRequest = z.output<(typeof REQUESTS)[keyof typeof REQUESTS]>;

export type ControlQuestion = Exclude<ControlRequest, { readonly command: 'subscribe' }>;

export type ControlResponse =
  | { readonly ok: true; readonly data: unknown }
  /** `error`: one sentence for the operator. `ofFiles`: true if the configuration's files are unusable. */
  | { readonly ok: false; readonly error: string; readonly ofFiles?: boolean };

/** The data of each command's answer; times are Unix ms. */
export interface ControlData
  extends Readonly<Record<'widen' | 'reduce-only' | 'pause' | 'stop' | 'flatten' | 'unkill', ModeData>> {
  readonly ping: { readonly pid: number };
  readonly status: TraderStatus;
  /** `notes`: one sentence for each pause or limit that remains in force after a resume of all markets. */
  readonly resume: ModeData & { readonly notes?: readonly string[] };
  readonly 'cancel-all': CancelAllData;
  readonly kill: KillData;
  readonly reconcile: {
    /** Differences that two rounds of comparison found, or only the newest complete round if `complete` is false. */
    readonly differences: readonly Difference[];
    readonly accepted: readonly AcceptedDifference[];
    readonly voided: readonly string[];
    /** False if too few rounds of comparison were completed in time. */
    readonly complete: boolean;
  };
  /** `booked`: one sentence for each outcome whose holding was changed in the ledger. */
  readonly adopt: ModeData & { readonly booked: readonly string[] };
  readonly prune: PruneData;
  readonly explain: { readonly lines: readonly string[] };
  readonly config: ConfigData;
}

export interface ModeData {
  /** Trader's mode: `quoting`, `reducing`, `paused`, `stopping`, `killed` or `flattening`, for example. */
  readonly mode: string;
  readonly reason: string;
}

interface KillData extends ModeData {
  /** Number of own orders that may still rest and are being canceled; null when unknown. */
  readonly resting: number | null;
}

export interface CancelAllData {
  readonly asked: number;
  /** Number of orders resting at the last read; with `verify`, 0 is confirmed by two reads. */
  readonly resting: number;
  readonly verified: boolean;
}

interface PruneData extends PrunedBatch {
  /** Time for which the batch of deletions blocked the ledger, ms. */
  readonly tookMs: number;
}

/** Differences between a configuration and the configuration in force, and whether they were applied. */
export interface ConfigData {
  readonly lines: readonly string[];
  readonly applied: boolean;
  /** Hash of the requested configuration; null if its code was not loaded, as in a comparison. */
  readonly hash: string | null;
}

/** Maximum length of a request line, bytes. Longer lines are refused unread; no command needs a longer line. */
export const MAX_CONTROL_LINE = 64 * 1024;

/** Commands that add risk or sell. Executed late, they could undo a newer command, such as a kill. */
const NEVER_LATE: readonly string[] = ['resume', 'unkill', 'flatten', 'adopt', 'config'];

/** Time since the system's start, ms: the same in all processes, and unaffected by changes of the wall clock. */
export const systemMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);

/** Parses one request line; returns an error text for an invalid or late request. `waitsUntil`: end of its sender's wait. */
export function readControlRequest(line: string): ControlRequest | string {
  const parsed = parseJson(line);
  if (parsed === undefined) return 'not a line of JSON';
  if (typeof parsed !== 'object' || parsed === null) return 'a request is a JSON object';
  const command = said.parse('command' in parsed ? parsed.command : '');
  const schema = Object.entries(REQUESTS).find(([name]) => name === command)?.[1];
  if (schema === undefined) return `unknown command ${JSON.stringify(command.slice(0, 40))}`;
  // The request may have waited while this process hung, and a newer kill may have been executed first.
  const isLate = 'waitsUntil' in parsed && systemMs() > Number(parsed.waitsUntil);
  if (isLate && NEVER_LATE.includes(command)) return `${command} was not executed: its caller no longer waits`;
  const { data, error } = schema.safeParse({ ...parsed, command });
  return data ?? error?.issues[0]?.message ?? 'not a request';
}
