/**
 * `twinbook sweep --engine queue` and `twinbook sweep worker`: chunks for workers through a queue on Redis or Valkey.
 */

import querystring from 'node:querystring';
import { InvalidArgumentError } from 'commander';
import type { SweepEngine } from '../../../lab/sweep/facts.js';
import { TwinbookError } from '../../../shared/base/errors.js';
import { isLoopback } from '../../../shell/client/message.js';
import type { QueueAddress } from '../../../shell/queue/job-queue.js';
import { readPrivateFile, secrets } from '../../../shell/wallet/secrets.js';
import { choice, command, integerBetween, requiredList, text, usual, type Values } from '../../command.js';
import { type CliIo, EXIT, type ExitCode } from '../../output/io.js';
import {
  type ChunkMachine,
  chunkSecondsOption,
  copyPlace,
  indexOption,
  runChunks,
  takeTimeZone,
} from './sweep-chunks.js';
import { memoryOption, threadsOption } from './sweep-question.js';

/** Spot machines get two minutes' notice. */
const USUAL_QUEUED_SECONDS = 90;

/** A secret if it contains a password; never an argument, which other users could see. */
const ADDRESS = 'TWINBOOK_QUEUE_URL';
/** Results without its signature are not stored. */
const SECRET = 'TWINBOOK_QUEUE_SECRET';
const LEAST_SECRET = 16;

const queueOption = usual(
  '--queue <name>',
  'the name of the queue; users who share a server take one each',
  'sweep',
  queueName,
);

function queueName(text: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,63}$/.test(text)) return text;
  throw new InvalidArgumentError('Wanted lower-case letters, digits and dashes.');
}

export const ENGINE_OPTIONS = {
  engine: choice(
    '--engine <name>',
    `what runs backtests: threads here, or workers behind the queue at ${ADDRESS}`,
    ['threads', 'queue'],
    'threads',
  ),
  queue: queueOption,
  chunkSeconds: chunkSecondsOption(USUAL_QUEUED_SECONDS),
};

const WORKER_OPTIONS = {
  data: requiredList('--data <path...>', 'this machine’s copy of the recordings: folders or files'),
  memory: memoryOption,
  workers: threadsOption,
  dir: text('--dir <dir>', 'the folder of `sweep plan`: run its chunks, without a queue', 'queue', 'lockSeconds'),
  index: indexOption,
  queue: queueOption,
  lockSeconds: usual(
    '--lock-seconds <n>',
    'after it a silent worker loses its chunk to another',
    30,
    integerBetween(2, 3600),
  ),
};

export const workerCommand = command({
  name: 'worker',
  help: 'runs chunks of sweeps that are led with --engine queue, or of a planned sweep',
  config: 'file',
  options: WORKER_OPTIONS,
  run: ({ options, file, io }) => {
    const { dir, index, queue, lockSeconds } = options;
    if (dir !== undefined) return runChunks(dir, index, { ...options, file }, io);
    if (index === undefined) return work({ ...options, file }, queue, lockSeconds * 1000, io);
    throw new TwinbookError('usage', '--index names chunks of --dir', 'Name the folder of `sweep plan` with --dir.');
  },
});

/** Undefined: the default engine. The queue's packages are loaded only when used. */
export async function openEngine(options: Values<typeof ENGINE_OPTIONS>, io: CliIo): Promise<SweepEngine | undefined> {
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

async function work(machine: ChunkMachine, queue: string, lockMs: number, io: CliIo): Promise<ExitCode> {
  const { workOn } = await import('../../../shell/queue/job-worker.js');
  const { openChunkWorker } = await import('../../../lab/sweep/queue/leader.js');
  const say = (text: string) => io.err(`${text}\n`);
  const worker = openChunkWorker(copyPlace(machine, io), takeTimeZone, say);
  const stopAsked = io.stopAsked().then(() => say('takes no new work; finishes work in progress'));
  const address = readAddress(queue, io);
  await workOn(address, { lockMs, handle: worker.handle, say, stopAsked }).finally(() => worker.close());
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
