/**
 * The control socket's language: newline-delimited JSON over a unix socket of mode 0600, one answer per request. Both ends
 * share it, so that the command line and the daemon cannot drift apart.
 */

import { z } from 'zod';
import type { AcceptedDifference, Difference } from '../../trader/reconcile/differences.js';
import type { PrunedBatch } from '../../trader/reconcile/prune.js';
import type { StatusData } from './status.js';

/** Text without what stands around it; empty for anything else. */
const said = z.string().trim().catch('');
/** Why the trader shall stop or be careful, where it obeys without a reason too. */
const why = said.transform((text) => text || 'operator');
const needed = (error: string) => said.refine((text) => text !== '', error);
const isTrue = z.boolean().catch(false);
/** A condition id: that market alone. What is no id is one that no market has: it must not pass for all of them. */
const market = z
  .unknown()
  .transform((id) => (id === undefined || id === null ? undefined : String(id).trim()))
  .optional();

const NO_SUBJECT =
  'explain needs a subject: an order, a fill or a market; `twinbook orders`, `fills` and `markets` list them';
const NO_NUMBERS = 'prune needs whole numbers: before, in Unix ms, rows, and after, which may be null';
/** What may be done about the configuration of a running trader. */
const ACTIONS = ['diff', 'apply', 'rollback'] as const;
export type ConfigAction = (typeof ACTIONS)[number];

const ask = <Name extends string, Fields extends z.ZodRawShape>(command: Name, fields: Fields) =>
  z.object({ command: z.literal(command), ...fields });

/** What an operator may ask of a running trader. */
const REQUESTS = {
  /** Whether it answers at all; costs nothing. */
  ping: ask('ping', {}),
  status: ask('status', {}),
  widen: ask('widen', { reason: why }),
  'reduce-only': ask('reduce-only', { reason: why }),
  pause: ask('pause', { reason: why, market }),
  /** An empty reason says that none was given; the trader refuses that where it wants one. Only with its market it lifts a market's pause. */
  resume: ask('resume', { reason: said, market }),
  stop: ask('stop', {}),
  /** `verify`: answers only after two reads showed that nothing rests. */
  'cancel-all': ask('cancel-all', { verify: isTrue }),
  flatten: ask('flatten', { market }),
  kill: ask('kill', { reason: why }),
  unkill: ask('unkill', { reason: needed('unkill needs a reason') }),
  reconcile: ask('reconcile', {}),
  adopt: ask('adopt', { reason: needed('adopt needs a reason') }),
  /** One batch: `before` in Unix ms; `after` and `rows` as of `PruneBatch`. */
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
  /** `hash` is of a rollback; empty for what was in force before. */
  config: ask('config', {
    action: z.enum(ACTIONS, `config wants one of ${ACTIONS.join(', ')}`),
    reason: said,
    hash: said,
    dryRun: isTrue,
  }).refine(({ action, reason }) => action !== 'rollback' || reason !== '', 'a rollback needs a reason'),
  /** From then on the connection says what the trader sees and does, as `telemetry/lines.ts` has it, and hears no command. */
  subscribe: ask('subscribe', {}),
} as const;

export type ControlRequest = z.output<(typeof REQUESTS)[keyof typeof REQUESTS]>;

/** What is answered by one line. */
export type ControlQuestion = Exclude<ControlRequest, { readonly command: 'subscribe' }>;

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
  /** Orders of ours that rest, or may rest, at the moment of the answer: they are being canceled. Null when it is not known. */
  readonly resting: number | null;
}

export interface CancelAllData {
  /** Orders that were asked to be canceled. */
  readonly asked: number;
  /** Orders seen resting at the last look; with `verify` 0 means that two reads agreed. */
  readonly resting: number;
  readonly verified: boolean;
}

export interface ReconcileData {
  /** What differs in two rounds; of the newest complete one where `complete` is false. */
  readonly differences: readonly Difference[];
  /** Left out, because an operator has accepted them. */
  readonly accepted: readonly AcceptedDifference[];
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

/** Reads one request line; a text says what is wrong with it. A reason for stopping defaults to `operator`. */
export function readControlRequest(line: string): ControlRequest | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return 'not a line of JSON';
  }
  if (typeof parsed !== 'object' || parsed === null) return 'a request is a JSON object';
  const command = said.parse('command' in parsed ? parsed.command : '');
  const schema = Object.entries(REQUESTS).find(([name]) => name === command)?.[1];
  if (schema === undefined) return `unknown command ${JSON.stringify(command.slice(0, 40))}`;
  const { data, error } = schema.safeParse({ ...parsed, command });
  return data ?? error?.issues[0]?.message ?? 'not a request';
}
