/**
 * The attack on the exchange: lanes, each a connection with its own accounts, send batch after batch. A lane's requests
 * depend on the seed, on values from the exchange (pubkeys, messages, keys) and on the time.
 */

import { connect, type Socket } from 'node:net';
import { Random } from '../../../src/shared/base/random.js';
import type { Document } from '../schema.js';
import type { Tally } from '../tally.js';
import { weighted } from '../values.js';
import { bodyAttack, headerAttack, pathAttack, queryAttack } from './attacks.js';
import { brokenHttp } from './broken-http.js';
import type { Failure } from './failures.js';
import { honest, type Scene } from './honest.js';
import { authAttack, bootstrapAttack, controlAttack, foreignAttack, replay } from './intruders.js';
import { Judge } from './judge.js';
import { bytesOf, type Case } from './requests.js';
import { exchangeAlone, exchangeBatch, type Heard, type WireAnswer } from './wire.js';
import type { Actor, World } from './world.js';

export interface AttackOptions {
  readonly seed: number;
  readonly world: World;
  readonly document: Document;
  readonly tally: Tally;
  /** An answer that repeatedly takes longer, ms, is a failure. Infinity disables the check. */
  readonly slowMs: number;
}

/** Concurrent requests on one connection. */
const BATCH = 16;
/** Enough to show a pattern. */
const MOST_FAILURES = 10;

/** A case ready to send: over the lane's connection, or, if not HTTP, over its own. */
interface Shot {
  readonly at: string;
  readonly kind: string;
  readonly bytes: Buffer;
  /** Null for bytes that are not a request. */
  readonly aimed: Case | null;
  readonly alone: boolean;
}

type Aim = (scene: Scene) => Case | Buffer;

const AIMS: readonly [readonly [number, readonly [string, Aim]], ...(readonly [number, readonly [string, Aim]])[]] = [
  [16, ['honest', honest]],
  [25, ['body', bodyAttack]],
  [14, ['query', queryAttack]],
  [12, ['path', pathAttack]],
  [6, ['header', headerAttack]],
  [13, ['auth', authAttack]],
  [6, ['foreign', foreignAttack]],
  [2, ['replay', replay]],
  [2, ['bootstrap', bootstrapAttack]],
  [2, ['control', controlAttack]],
  [2, ['broken', brokenHttp]],
];

/** The case at a place of a seed: equal for equal states of the world. */
function shotOf(scene: Scene, at: string): Shot {
  const [kind, aim] = weighted(scene.random, AIMS);
  const made = aim(scene);
  if (Buffer.isBuffer(made)) return { at, kind, bytes: made, aimed: null, alone: kind === 'broken' };
  const bytes = Buffer.concat([bytesOf(made.request), made.followedBy ?? Buffer.alloc(0)]);
  return { at, kind, bytes, aimed: made, alone: kind === 'broken' };
}

export class Attack {
  readonly failures: Failure[] = [];
  readonly #options: AttackOptions;
  readonly #judge: Judge;
  /** The case at which each lane continues after a restart. */
  readonly #next: number[] = [];

  constructor(options: AttackOptions) {
    this.#options = options;
    this.#judge = new Judge(options.document);
  }

  /** Sends until `isEnough`, which is checked before each batch, or until too many failures. */
  async run(isEnough: () => boolean): Promise<void> {
    const { actors } = this.#options.world;
    await Promise.all(actors.map((actor, lane) => this.#lane(actor, lane, isEnough)));
  }

  async #lane(actor: Actor, lane: number, isEnough: () => boolean): Promise<void> {
    const { port } = this.#options.world;
    let socket: Socket | null = null;
    while (!isEnough() && this.failures.length < MOST_FAILURES) {
      const batch = Array.from({ length: BATCH }, () => this.#shot(actor, lane));
      const alone = Promise.all(batch.filter((shot) => shot.alone).map((shot) => this.#alone(shot)));
      let rest = batch.filter(({ alone }) => !alone);
      while (rest.length > 0) {
        socket ??= connect(port, '127.0.0.1');
        const heard = await exchangeBatch(socket, rest.map(sentAs));
        if (heard.ended || isLast(heard.answers.at(-1))) socket = null;
        rest = await this.#judged(rest, heard, actor);
      }
      await alone;
    }
    socket?.destroy();
  }

  #shot(actor: Actor, lane: number): Shot {
    const { seed, world, document } = this.#options;
    const number = this.#next[lane] ?? 0;
    this.#next[lane] = number + 1;
    const at = `${lane}/${number}`;
    return shotOf({ random: Random.fromSeed(seed, `case ${at}`), world, actor, document }, at);
  }

  /** Checks every answer of a batch; returns the requests left unanswered because the server closed the connection. */
  async #judged(batch: readonly Shot[], { answers, wrong }: Heard, actor: Actor): Promise<Shot[]> {
    for (const [turn, answer] of answers.entries()) {
      const shot = batch[turn];
      if (shot !== undefined) await this.#look(shot, answer, actor);
    }
    const unanswered = batch.slice(answers.length);
    const [first, ...others] = unanswered;
    if (first === undefined) {
      if (wrong !== null) this.#fail(batch.at(-1), wrong, '');
      return [];
    }
    // The server announced this: it did not read the requests after that answer.
    if (isLast(answers.at(-1))) return unanswered;
    this.#fail(first, wrong ?? 'the connection ended without an answer', '');
    return others;
  }

  async #look(shot: Shot, answer: WireAnswer, actor: Actor): Promise<void> {
    const { tally, slowMs } = this.#options;
    tally.add(shot.kind, String(answer.status));
    tally.time(answer.ms, `${shot.at} (${shot.kind})`);
    const fault =
      shot.aimed === null ? this.#judge.faultOfBytes(shot.bytes, answer) : this.#judge.faultOf(shot.aimed, answer);
    if (fault !== null)
      this.#fail(shot, fault, `HTTP ${answer.status} ${JSON.stringify(answer.headers)}\n${answer.text}`);
    else if (answer.ms > slowMs && (await this.#isSlow(shot)))
      this.#fail(shot, `took ${Math.round(answer.ms)} ms`, answer.text);
    if (shot.aimed?.kind === 'honest') learn(shot.aimed, shot.bytes, answer, actor);
  }

  /** A busy machine may delay any answer once; a slow request is slow again when sent alone. */
  async #isSlow(shot: Shot): Promise<boolean> {
    const { world, slowMs } = this.#options;
    for (let again = 0; again < 3; again++) {
      const socket = connect(world.port, '127.0.0.1');
      const { answers } = await exchangeBatch(socket, [sentAs(shot)]);
      socket.destroy();
      if ((answers[0]?.ms ?? 0) <= slowMs) return false;
    }
    return true;
  }

  async #alone(shot: Shot): Promise<void> {
    const { world, tally } = this.#options;
    const { answers, wrong } = await exchangeAlone(world.port, shot.bytes);
    const statuses = answers.map(({ status }) => status).join('+');
    tally.add(shot.kind, statuses === '' ? 'cut' : statuses.slice(0, 11));
    for (const [turn, answer] of answers.entries()) {
      tally.time(answer.ms, `${shot.at} (${shot.kind})`);
      const aimed = turn === 0 ? shot.aimed : null;
      const fault = aimed === null ? this.#judge.faultOfBytes(shot.bytes, answer) : this.#firstFault(aimed, answer);
      if (fault !== null) this.#fail(shot, fault, answer.text);
    }
    // A server that has sent its last answer need not read the rest.
    if (wrong !== null && !wrong.startsWith('the connection broke')) this.#fail(shot, wrong, '');
  }

  /** A complete answer counts as it is, before anything that arrived after it. */
  #firstFault(aimed: Case, answer: WireAnswer): string | null {
    if (answer.text.includes('not complete HTTP')) return 'a whole request got the answer of the bytes behind it';
    return this.#judge.faultOf(aimed, answer);
  }

  #fail(shot: Shot | undefined, fault: string, answer: string): void {
    const { at = '?', kind = '?', bytes = Buffer.alloc(0) } = shot ?? {};
    this.failures.push({ seed: this.#options.seed, at, kind, fault, request: bytes, answer });
  }
}

const isLast = (answer: WireAnswer | undefined): boolean => answer?.headers['connection'] === 'close';

const sentAs = ({ bytes }: Shot) => ({ bytes, bodiless: bytes.subarray(0, 5).toString('latin1') === 'HEAD ' });

/** Stores created records for later cases. */
function learn({ request, path }: Case, bytes: Buffer, { status, text }: WireAnswer, actor: Actor): void {
  if (status >= 300 || request.signer === null) return;
  actor.sent.add(bytes);
  const [ownPath = ''] = request.target.split('?', 1);
  if (request.method === 'POST') {
    const { pubkey, message } = (JSON.parse(text) as { data: { pubkey?: string; message?: string | null } }).data;
    if (pubkey === undefined || typeof message !== 'string' || ownPath.endsWith('submit/')) return;
    const submitPath = ownPath.endsWith('/cancel/') ? `${ownPath}submit/` : `${ownPath}${pubkey}/submit/`;
    actor.drafts.add({ submitPath, message, owner: request.signer });
    if (!ownPath.endsWith('/cancel/')) actor.own(ownPath, pubkey);
  } else if (path === '/margin/positions/' && request.method === 'GET') {
    for (const { pubkey } of (JSON.parse(text) as { data: { pubkey: string }[] }).data) actor.own(path, pubkey);
  }
}
