/** A queue of jobs on a server that others share: what whoever hands out work, and whoever does it, ask of it. */

/** How to reach it. */
export interface QueueAddress {
  /** `redis://` or `rediss://`, with user and password if it wants them: a secret. */
  readonly url: string;
  /** Lower-case letters, digits and dashes. */
  readonly name: string;
  /** Shared by all who hand out or do work; the server does not know it. */
  readonly secret: string;
}

/** Plain data as JSON. Two jobs with one id are one. */
export interface QueueJob {
  readonly id: string;
  readonly data: unknown;
}

/** `stalled`: its workers disappeared too often. `forged`: the result lacks the signature of the queue's secret. */
export interface EndedJob {
  readonly id: string;
  readonly kind: 'done' | 'failed' | 'stalled' | 'forged';
  /** What it returned, or why it failed. */
  readonly text: string;
}

/** Of whoever hands out work. Every call waits while the server is away. */
export interface JobQueue {
  /** Says from now on when the server goes away, and when it is back. */
  watch(say: (text: string) => void): void;
  /** Keeps a document for those who do the work. */
  keep(key: string, text: string): Promise<void>;
  /** Those that the queue has already are left as they are. */
  add(jobs: readonly QueueJob[]): Promise<void>;
  /** Of these jobs those that have ended. */
  listEnded(ids: ReadonlySet<string>): Promise<readonly EndedJob[]>;
  /** Of these jobs those that the queue does not know. */
  listAbsent(ids: readonly string[]): Promise<readonly string[]>;
  /** Of these jobs those that nobody is busy with are taken out. */
  remove(ids: readonly string[]): Promise<void>;
  /** Who takes work from it now; null where the server does not tell. */
  workers(): Promise<number | null>;
  close(): Promise<void>;
}

/** What became of a job at whoever took it. */
export type Handled =
  | { readonly kind: 'done'; readonly text: string }
  /** It is for workers of another version: it waits for them, and this worker goes on. */
  | { readonly kind: 'foreign'; readonly why: string }
  /** This machine lacks what the job needs: it goes back, and this worker ends with the error. */
  | { readonly kind: 'refused'; readonly error: unknown };

/** How long is waited for whom, ms. */
export interface QueueTiming {
  /** A worker that was not heard of for so long loses its job. */
  readonly lockMs: number;
  /** A worker ends when it could not reach the server for so long. */
  readonly awayMs: number;
}

export const USUAL_TIMING: QueueTiming = { lockMs: 30_000, awayMs: 60_000 };

/** After so many workers that vanished with it a job counts as what ends them. */
export const MOST_STALLS = 2;
