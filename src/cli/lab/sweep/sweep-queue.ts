/** `twinbook sweep --engine queue` and `twinbook sweep worker`: chunks that workers take from a queue on Redis or Valkey. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { SweepEngine } from '../../../lab/sweep/engine.js';
import { TwinbookError } from '../../../shared/base/errors.js';
import { isLoopback } from '../../../shell/client/base-url.js';
import { type QueueAddress, USUAL_TIMING } from '../../../shell/queue/contract.js';
import { readPrivateFile } from '../../../shell/wallet/private-file.js';
import { secrets } from '../../../shell/wallet/secrets.js';
import { integerBetween } from '../../arguments.js';
import { EXIT, type ExitCode } from '../../output/exit.js';
import { addAction, type CliIo, type Session } from '../../output/io.js';
import { copyPlace, type RunnerFlags, takeTimeZone, withRunner } from './sweep-chunks.js';

export interface QueueFlags {
  readonly engine: 'threads' | 'queue';
  readonly queue: string;
  readonly chunkSeconds: number;
}

interface WorkerFlags extends RunnerFlags {
  readonly queue: string;
  readonly lockSeconds: number;
}

/** Two minutes are what a machine that is taken away again has left. */
export const USUAL_QUEUED_SECONDS = 90;

/** A secret where it holds a password; never an argument, which others on the machine can see. */
const ADDRESS = 'TWINBOOK_QUEUE_URL';
/** Results without its signature are not stored. */
const SECRET = 'TWINBOOK_QUEUE_SECRET';
const LEAST_SECRET = 16;

export const engineOption = (): Option =>
  new Option('--engine <name>', `what runs backtests: threads here, or workers behind the queue at ${ADDRESS}`)
    .choices(['threads', 'queue'])
    .default('threads');

export const queueOption = (): Option =>
  new Option('--queue <name>', 'the name of the queue; users who share a server take one each')
    .default('sweep')
    .argParser((text) => {
      if (/^[a-z0-9][a-z0-9-]{0,63}$/.test(text)) return text;
      throw new InvalidArgumentError('Wanted lower-case letters, digits and dashes.');
    });

export function addWorkerCommand(sweep: Command, session: Session): void {
  const worker = sweep
    .command('worker')
    .description('runs chunks of sweeps that are led elsewhere with --engine queue');
  withRunner(worker)
    .addOption(queueOption())
    .addOption(
      new Option('--lock-seconds <n>', 'a worker that was not heard of for so long loses its chunk to another')
        .default(USUAL_TIMING.lockMs / 1000)
        .argParser(integerBetween(2, 3600)),
    );
  addAction<WorkerFlags>(worker, session, (options) => work(options, session.io));
}

interface OpenEngine {
  /** Undefined: the usual one. */
  readonly run: SweepEngine | undefined;
  readonly close: () => Promise<void>;
}

/** What a queue needs is loaded only when it is asked for. */
export async function openEngine({ engine, queue: name, chunkSeconds }: QueueFlags, io: CliIo): Promise<OpenEngine> {
  if (engine === 'threads') return { run: undefined, close: () => Promise.resolve() };
  const { openQueue } = await import('../../../shell/queue/bullmq-queue.js');
  const { onQueue } = await import('../../../lab/sweep/queue/leader.js');
  const queue = await openQueue(readAddress(name, io));
  const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));
  return { run: onQueue({ queue, chunkSeconds, pause }), close: () => queue.close() };
}

async function work(options: WorkerFlags, io: CliIo): Promise<ExitCode> {
  const { workOn } = await import('../../../shell/queue/bullmq-worker.js');
  const { ChunkWorker } = await import('../../../lab/sweep/queue/chunk-worker.js');
  const say = (text: string) => io.err(`${text}\n`);
  const worker = new ChunkWorker({ place: await copyPlace(options, io), takeTimeZone, say });
  const timing = { ...USUAL_TIMING, lockMs: options.lockSeconds * 1000 };
  const handle = worker.handle.bind(worker);
  const stopAsked = io.stopAsked().then(() => say('takes nothing new; what is under way is done to its end'));
  const address = readAddress(options.queue, io);
  await workOn(address, timing, { handle, say, stopAsked }).finally(() => worker.close());
  return EXIT.ok;
}

function readAddress(name: string, { env }: CliIo): QueueAddress {
  const url = readSecret(env, ADDRESS, 'the address of the queue', 'redis://HOST:PORT');
  for (const secret of passwordsIn(url)) secrets.hide(secret);
  // A server on this machine is open to this machine alone: its address, with its password, takes the place of a secret.
  if (
    env[SECRET] === undefined &&
    env[`${SECRET}_FILE`] === undefined &&
    URL.canParse(url) &&
    isLoopback(new URL(url).hostname)
  )
    return { url, name, secret: url };
  const secret = readSecret(
    env,
    SECRET,
    'the secret of the queue',
    'a random text such as `openssl rand -hex 32` makes',
  );
  if (secret.length >= LEAST_SECRET) return { url, name, secret };
  const hint = `Set it to a text of at least ${LEAST_SECRET} characters, the same for the sweep and its workers.`;
  throw new TwinbookError('usage', `${SECRET} has ${secret.length} characters: it can be guessed`, hint);
}

/** From the variable, or from the private file that it names. */
function readSecret(env: CliIo['env'], variable: string, what: string, wanted: string): string {
  const [direct, file] = [env[variable], env[`${variable}_FILE`]];
  if (direct !== undefined && file !== undefined) {
    throw new TwinbookError('usage', `${variable} and ${variable}_FILE are both set`, 'Set one of them.');
  }
  const found = file === undefined ? direct : readPrivateFile(file, what).trim();
  if (found === undefined || found === '') {
    const hint = `Set it to ${wanted}, or ${variable}_FILE to a file (mode 0600) with it.`;
    throw new TwinbookError('usage', `${variable} is not set: ${what} is not known`, hint);
  }
  secrets.hide(found);
  return found;
}

/** As it stands in the address, and as it is meant. */
function passwordsIn(url: string): readonly string[] {
  try {
    const { password } = new URL(url);
    return [password, decodeURIComponent(password)];
  } catch {
    return [];
  }
}
