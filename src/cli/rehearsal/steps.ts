/** Runs the steps of a rehearsal, on paper or at the venue, and formats the line that each step prints. */

import { TwinbookError } from '../../shared/base/errors.js';
import type { DataOf, EndpointName } from '../../shared/protocol/endpoints.js';
import type { Outcome } from '../../shared/protocol/seam.js';
import type { ServiceClient } from '../../shell/client/client.js';
import type { CallInput, ClientAnswer } from '../../shell/client/contract.js';
import type { Config } from '../../shell/config/config.js';
import type { Wallet } from '../../shell/wallet/wallet.js';
import { type CliIo, EXIT, type ExitCode, findExitCode } from '../io.js';
import { requireAnswer } from '../reach.js';

export interface Rehearsal {
  readonly config: Config;
  readonly io: CliIo;
  /** Id of the market to use at the venue; null if the rehearsal chooses a market. */
  readonly market: string | null;
  /** Time limit for the life of the order, ms; canceling after an error has its own limit. */
  readonly withinMs: number;
  readonly note: (line: StepLine) => void;
  readonly isStopped: () => boolean;
}

export interface RehearsalPlace extends Rehearsal {
  readonly where: 'paper' | 'live';
  readonly client: ServiceClient;
  readonly wallet: Wallet;
  /** Path of a new ledger, or of an earlier rehearsal's ledger. */
  readonly ledgerPath: string;
}

export interface StepLine {
  readonly where: RehearsalPlace['where'];
  readonly step: string;
  readonly result: keyof typeof EXIT_OF;
  readonly text: string;
  /** Value in the profile (`profile`) and value found at the venue (`came`); present only if the two differ. */
  readonly profile?: string;
  readonly came?: string;
  readonly draft?: string;
  /** Advice for the operator; empty if no action is needed. */
  readonly todo: string;
}

type Finding = Pick<StepLine, 'profile' | 'came' | 'draft'>;

export const EXIT_OF = {
  ok: EXIT.ok,
  failed: EXIT.failed,
  configuration: EXIT.configuration,
  'timed out': EXIT.timedOut,
  difference: EXIT.difference,
} as const;

/** Runs one step, writes its line and returns its result. Rethrows the TwinbookError of a failed step. */
export async function step<T>(
  { where, note, isStopped }: Pick<RehearsalPlace, 'where' | 'note' | 'isStopped'>,
  name: string,
  work: () => T | Promise<T>,
  describeFound: (found: T) => string = String,
): Promise<T> {
  try {
    if (isStopped()) throw failure('stopped by you', '');
    const found = await work();
    note({ where, step: name, result: 'ok', text: describeFound(found), todo: '' });
    return found;
  } catch (error) {
    if (error instanceof TwinbookError) note({ where, step: name, ...lineOf(error) });
    throw error;
  }
}

class Difference extends TwinbookError {
  readonly finding: Finding;

  constructor(text: string, finding: Finding, todo: string) {
    super('results_differ', text, todo);
    this.finding = finding;
  }
}

/** Error for a difference between the venue and its profile. */
export const difference = (text: string, profile: string, came: string, todo: string, draft?: string): TwinbookError =>
  new Difference(text, { profile, came, ...(draft === undefined ? {} : { draft }) }, todo);

export const failure = (text: string, todo: string) => new TwinbookError('venue_refused', text, todo);

const BY_EXIT: Readonly<Partial<Record<ExitCode, StepLine['result']>>> = {
  [EXIT.configuration]: 'configuration',
  [EXIT.usage]: 'configuration',
  [EXIT.timedOut]: 'timed out',
  [EXIT.difference]: 'difference',
};

/** Returns the result, text and advice of a failed step. */
export const lineOf = (error: TwinbookError): Omit<StepLine, 'where' | 'step'> => ({
  result: BY_EXIT[findExitCode(error)] ?? 'failed',
  text: error.message,
  ...(error instanceof Difference ? error.finding : {}),
  todo: error.hint,
});

/** Calls the venue. Throws a `Difference` if another program answered, else the errors of `requireAnswer`. */
export async function ask<N extends EndpointName>(
  client: ServiceClient,
  endpoint: N,
  input: CallInput<N>,
  what: string,
): Promise<{ readonly data: DataOf<N>; readonly answer: ClientAnswer<N> }> {
  const answer = await client.call(endpoint, input);
  if (answer.outcome.kind === 'unknown' && isStrange(answer.outcome)) {
    const todo = 'Open the same address in a browser: a proxy in front of the venue may require a login or a header.';
    throw difference(`no answer for ${what}`, 'an answer in the format of the service', answer.outcome.reason, todo);
  }
  return { data: requireAnswer(answer, what), answer };
}

/** True if an answer is not from the venue's service but, for example, from a proxy; false without an answer. */
export const isStrange = (outcome: Outcome): boolean =>
  outcome.kind === 'unknown' && outcome.sent && outcome.reason.startsWith('HTTP ');
