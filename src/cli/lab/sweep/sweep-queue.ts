/**
 * `twinbook sweep --engine queue` and `twinbook sweep worker`: chunks for workers through a queue on Redis or Valkey.
 */

import querystring from 'node:querystring';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { SweepEngine } from '../../../lab/sweep/facts.js';
import { TwinbookError } from '../../../shared/base/errors.js';
import { isLoopback } from '../../../shell/client/base-url.js';
import type { QueueAddress } from '../../../shell/queue/job-queue.js';
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

type WorkerFlags = RunnerFlags & { readonly queue: string; readonly lockSeconds: number };

/** Spot machines get two minutes' notice. */
export const USUAL_QUEUED_SECONDS = 90;

/** A secret if it contains a password; never an argument, which other users could see. */
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
  const worker = sweep.command('worker').description('runs chunks of sweeps that are led with --engine queue');
  const lock = new Option('--lock-seconds <n>', 'after it a silent worker loses its chunk to another');
  withRunner(worker)
    .addOption(queueOption())
    .addOption(lock.default(30).argParser(integerBetween(2, 3600)));
  addAction<WorkerFlags>(worker, session, (options) => work(options, session.io));
}

/** Undefined: the default engine. The queue's packages are loaded only when used. */
export async function openEngine(options: QueueFlags, io: CliIo): Promise<SweepEngine | undefined> {
  if (options.engine === 'threads') return undefined;
  const { JobQueue } = await import('../../../shell/queue/job-queue.js');
  const { askServer, requireServer } = await import('../../../shell/queue/server.js');
  const { Leader } = await import('../../../lab/sweep/queue/leader.js');
  const address = readAddress(options.queue, io);
  await requireServer(address.url);
  const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));
  return (work) => {
    const queue = new JobQueue(address, (text) => work.watcher.say(text));
    const leader = new Leader(work, { ...options, queue, pause });
    return askServer(address.url, () => leader.run()).finally(() => queue.close());
  };
}

async function work(options: WorkerFlags, io: CliIo): Promise<ExitCode> {
  const { workOn } = await import('../../../shell/queue/job-worker.js');
  const { openChunkWorker } = await import('../../../lab/sweep/queue/chunk-worker.js');
  const say = (text: string) => io.err(`${text}\n`);
  const worker = openChunkWorker(await copyPlace(options, io), takeTimeZone, say);
  const stopAsked = io.stopAsked().then(() => say('takes no new work; finishes work in progress'));
  const lockMs = options.lockSeconds * 1000;
  await workOn(readAddress(options.queue, io), { lockMs, handle: worker.handle, say, stopAsked }).finally(() =>
    worker.close(),
  );
  return EXIT.ok;
}

function readAddress(name: string, { env }: CliIo): QueueAddress {
  const url = readSecret(env, ADDRESS, 'the address of the queue', 'redis://HOST:PORT');
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed !== null) for (const text of [parsed.password, querystring.unescape(parsed.password)]) secrets.hide(text);
  const hasSecret = [SECRET, `${SECRET}_FILE`].some((variable) => env[variable] !== undefined);
  // A local server is reachable from this machine only: its address with its password replaces a secret.
  if (!hasSecret && parsed !== null && isLoopback(parsed.hostname)) return { url, name, secret: url };
  const wanted = 'a random text such as `openssl rand -hex 32` makes';
  const secret = readSecret(env, SECRET, 'the secret of the queue', wanted);
  if (secret.length >= LEAST_SECRET) return { url, name, secret };
  const hint = `Set it to a text of at least ${LEAST_SECRET} characters, the same for the sweep and its workers.`;
  throw new TwinbookError('usage', `${SECRET} has ${secret.length} characters: it can be guessed`, hint);
}

/** From the variable, or from the private file that it names. */
function readSecret(env: CliIo['env'], variable: string, what: string, wanted: string): string {
  const [direct, file] = [env[variable], env[`${variable}_FILE`]];
  const found = direct ?? (file === undefined ? '' : readPrivateFile(file, what).trim());
  if (found === '') {
    const hint = `Set it to ${wanted}, or ${variable}_FILE to a file (mode 0600) with it.`;
    throw new TwinbookError('usage', `${variable} is not set: ${what} is not known`, hint);
  }
  secrets.hide(found);
  return found;
}
