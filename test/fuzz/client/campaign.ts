/**
 * Hostile answers into the real client over real sockets. Every call must return only what its answer proves, must be
 * sent once unless it only reads, and must leave nothing behind.
 */

import { openApiDocument } from '../../../src/exchange/http/openapi/document.js';
import { Random } from '../../../src/shared/base/random.js';
import { readRecord } from '../../../src/shell/client/calls.js';
import { ServiceClient } from '../../../src/shell/client/client.js';
import { ServiceError } from '../../../src/shell/client/contract.js';
import { profile } from '../../shell/client/hostile-server.js';
import { Document, type Operation } from '../schema.js';
import { type Outcome, Tally } from '../tally.js';
import { answerOf, type HostileAnswer } from './answers.js';
import { HostileVenue } from './hostile-venue.js';
import { faultOfAnswer } from './oracle.js';
import { type Question, questionOf } from './questions.js';

export interface ClientCampaignOptions {
  readonly seed: number;
  /** Index of this process and number of processes; each takes its own cases. */
  readonly part: number;
  readonly parts: number;
  /** Concurrent calls. Those that only read wait between their attempts. */
  readonly workers: number;
  /** Starts a half after this number of answers; returns a function that tests whether it is over. */
  readonly half: (before: number) => (answers: number) => boolean;
  /** Bytes in use on the heap of this process; null if not measured. */
  readonly heapBytes: () => number | null;
}

export interface ClientOutcome extends Outcome {
  readonly answers: number;
}

const SECRET = 'canary-secret-of-the-fuzzer';
const MOST_FAULTS = 10;
/** Slack for caches and sockets of client and venue; growth with the number of answers exceeds it. */
const HEAP_SLACK_BYTES = 48 * 1024 * 1024;
/** Timeout for answers that are never complete, ms. */
const SHORT_MS = 150;
/** Timeout for a call of a client whose budget an answer exhausted, ms. */
const PATIENCE_MS = 50;

export async function clientCampaign(options: ClientCampaignOptions): Promise<ClientOutcome> {
  const run = new ClientRun(options, await HostileVenue.start());
  let attackMs = 0;
  const heaps: (number | null)[] = [];
  for (let half = 0; half < 2; half++) {
    const startedMs = performance.now();
    const isOver = options.half(run.answers);
    await run.half(options.workers, () => isOver(run.answers));
    attackMs += performance.now() - startedMs;
    heaps.push(options.heapBytes());
  }
  const { answers, tally, faults } = run;
  await run.end();
  const [middle = null, end = null] = heaps;
  const grew = middle !== null && end !== null && end > middle + HEAP_SLACK_BYTES;
  if (grew) faults.push(`the client held ${middle} bytes in the middle and ${end} at the end`);
  return { tally, answers, attackMs, faults, heapBytes: heaps };
}

class ClientRun {
  readonly tally = new Tally();
  readonly faults: string[] = [];
  readonly #document = new Document(openApiDocument({ profile, controls: false }));
  readonly #operations: ReadonlyMap<string, Operation>;
  readonly #seed: number;
  readonly #venue: HostileVenue;
  readonly #patient: ServiceClient;
  readonly #hasty: ServiceClient;
  readonly #parts: number;
  #next: number;

  constructor({ seed, part, parts }: ClientCampaignOptions, venue: HostileVenue) {
    this.#seed = seed;
    this.#next = part;
    this.#parts = parts;
    this.#venue = venue;
    this.#operations = new Map(this.#document.operations.map((one) => [`${one.method} ${one.path}`, one]));
    this.#patient = this.#client(20_000);
    this.#hasty = this.#client(SHORT_MS);
  }

  get answers(): number {
    return this.#venue.answered;
  }

  async half(workers: number, isOver: () => boolean): Promise<void> {
    const work = async () => {
      while (!isOver() && this.faults.length < MOST_FAULTS) await this.#one();
    };
    await Promise.all(Array.from({ length: workers }, work));
  }

  async end(): Promise<void> {
    await Promise.all([this.#patient.close(), this.#hasty.close()]);
    await this.#venue.stop();
  }

  #client(timeoutMs: number): ServiceClient {
    const endless = Number.POSITIVE_INFINITY;
    const budgets = { public: endless, signed: endless, bootstrap: endless };
    const credentials = { apiKey: 'key-of-the-fuzzer', secret: SECRET };
    return new ServiceClient({ profile, baseUrl: this.#venue.url, credentials, timeoutMs, budgets, concurrency: 64 });
  }

  async #one(): Promise<void> {
    const mark = `case-${this.#next}`;
    this.#next += this.#parts;
    const random = Random.fromSeed(this.#seed, mark);
    const question = questionOf(random, mark, () => true);
    const operation = this.#operations.get(`${question.declaration.method} ${question.declaration.path}`);
    if (operation === undefined) throw new Error(`the document does not know ${question.endpoint}`);
    const answer = answerOf({ random, document: this.#document, operation, mark });
    this.#venue.prepare(mark, answer);
    const fault = await this.#ask(question, answer, random.chance(0.1));
    const asked = this.#venue.forget(mark);
    const most = question.declaration.method === 'GET' ? 3 : 1;
    const wrong = fault ?? (asked > most && !answer.lasting ? `was asked ${asked} times` : null);
    if (wrong !== null) this.faults.push(told(this.#seed, question, answer, wrong));
  }

  async #ask(question: Question, answer: HostileAnswer, typed: boolean): Promise<string | null> {
    if (answer.lasting) return this.#askOfItsOwn(question, answer);
    const client = ENDS.has(answer.ending) ? this.#patient : this.#hasty;
    return typed ? this.#askTyped(client, question, answer) : this.#askOnce(client, question, answer);
  }

  async #askOnce(
    client: ServiceClient,
    { endpoint, input, declaration, mark }: Question,
    answer: HostileAnswer,
  ): Promise<string | null> {
    const heard = await client.call(endpoint, input);
    this.tally.add(answer.kind, heard.outcome.kind);
    if (JSON.stringify(heard).includes(SECRET)) return 'tells the secret';
    return faultOfAnswer({ declaration, answer, mark, wasGiven: this.#venue.hasAnswered(mark) }, heard);
  }

  /** The client remembers such an answer, so it is used for one more call and dropped. */
  async #askOfItsOwn(question: Question, answer: HostileAnswer): Promise<string | null> {
    const client = this.#client(20_000);
    const options = { latestMs: Date.now() + PATIENCE_MS };
    const heard = await client.call(question.endpoint, question.input, options);
    this.tally.add(answer.kind, heard.outcome.kind);
    const second = await client.call(question.endpoint, question.input, options);
    await client.close();
    const { declaration, mark } = question;
    const fault = faultOfAnswer({ declaration, answer, mark, wasGiven: this.#venue.hasAnswered(mark) }, heard);
    if (fault !== null || JSON.stringify([heard, second]).includes(SECRET)) return fault ?? 'tells the secret';
    return client.clockOffset === null || Number.isFinite(client.clockOffset.offsetMs) ? null : 'lost its clock';
  }

  /** The typed call rejects only with its own errors. */
  async #askTyped(client: ServiceClient, { endpoint, input }: Question, answer: HostileAnswer): Promise<string | null> {
    try {
      await readRecord(client, endpoint, input);
      this.tally.add(answer.kind, 'answered');
    } catch (error) {
      if (!(error instanceof ServiceError)) return `threw ${String(error)}`;
      this.tally.add(answer.kind, error.name);
      if (`${error.message}${error.stack}`.includes(SECRET)) return 'tells the secret';
    }
    return null;
  }
}

/** No more bytes follow after these endings. */
const ENDS = new Set<HostileAnswer['ending']>(['keep', 'close', 'reset', 'endless']);

function told(seed: number, { endpoint, mark }: Question, { kind, bytes, ending }: HostileAnswer, wrong: string) {
  const after = JSON.stringify(bytes.toString('latin1', 0, 3000));
  return `seed ${seed}, ${mark} (${kind}): ${endpoint} ${wrong}\nafter (${ending}):\n${after}`;
}
