/** What a sweep over worlds is asked, and what passes between its threads. */

import type { Config } from '../../../shell/config/types.js';
import type { Axis, ConfigSource, Search, Task } from '../../sweep/contract.js';
import type { Conditions, World } from '../contract.js';

/** Seeds that follow each other. */
export interface SeedRange {
  readonly first: number;
  readonly count: number;
}

export interface WorldSweepPlan {
  /** Of exactly one strategy. */
  readonly config: Config;
  readonly source: ConfigSource;
  readonly search: Search;
  /** A configuration counts as the worst of them. */
  readonly worlds: readonly World[];
  readonly conditions: Conditions;
  /** On which configurations are ranked. */
  readonly seeds: SeedRange;
  /** On which the best of them is shown, once. */
  readonly fresh: SeedRange;
  readonly workers: number;
  readonly outDir: string;
  readonly resume: boolean;
}

/** Handed to a thread when it starts. */
export interface WorldWorkerSetup {
  readonly source: ConfigSource;
  readonly configHash: string;
  readonly axes: readonly Axis[];
  readonly conditions: Conditions;
  readonly seeds: SeedRange;
}

/** `fillModel` of a task is the name of its world. The unchanged configuration has this number. */
export const UNCHANGED: Task['candidate'] = { number: 0, values: [], hash: '' };
