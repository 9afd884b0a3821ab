/**
 * The facts that all machines of a sweep must agree on: version, configuration, data, settings, time zone. A sheet holds no
 * code, secret or path: each machine has its own configuration, strategies and recordings, and refuses a sheet made of others.
 */

import { createHash } from 'node:crypto';
import { TwinbookError } from '../../../shared/base/errors.js';
import { canonicalJson } from '../../../shell/config/hash.js';
import { VERSION } from '../../../shell/config/version.js';
import type { Candidate, SweepPlan } from '../contract.js';
import { timeZone } from '../identity.js';
import type { PlannedSweep } from '../plan.js';
import { marketHash, type PlannedMarket } from '../reading.js';
import type { TaskSettings } from '../task.js';
import { makeSettings } from '../threads/threads.js';

/** Plain data. */
export interface SweepSheet {
  readonly version: string;
  /** Major version of Node: another one may round a logarithm differently. */
  readonly node: number;
  /** Zone of the quote hours, such as `Europe/Berlin`. */
  readonly timeZone: string;
  /** Lower-case hex SHA-256. */
  readonly configHash: string;
  /** In the order of the search; numbers from 1. */
  readonly candidates: readonly Candidate[];
  readonly fillModels: readonly string[];
  readonly settings: TaskSettings;
  /** Of the played markets: lower-case hex SHA-256 of descriptions and files. */
  readonly markets: readonly { readonly conditionId: string; readonly title: string; readonly hash: string }[];
}

export function makeSheet(plan: SweepPlan, { events, data }: PlannedSweep): SweepSheet {
  return {
    version: VERSION,
    node: nodeMajor(),
    timeZone: timeZone(),
    configHash: plan.config.configHash,
    candidates: plan.search.candidates,
    fillModels: plan.fillModels,
    settings: makeSettings(plan, events),
    markets: data.markets.map((planned) => ({
      conditionId: planned.market.conditionId,
      title: planned.market.title,
      hash: marketHash(planned),
    })),
  };
}

/** Lower-case hex SHA-256. */
export const sheetHash = (sheet: SweepSheet): string => createHash('sha256').update(canonicalJson(sheet)).digest('hex');

/** Of Twinbook or Node. */
export class OtherVersion extends TwinbookError {}

/** Throws TwinbookError `usage` for a sheet of another version of Twinbook or Node, or with another hash. */
export function readSheet(text: string, hash: string): SweepSheet {
  // The hash proves that this version wrote it.
  const sheet = JSON.parse(text) as SweepSheet;
  if (sheet.version !== VERSION || sheet.node !== nodeMajor()) {
    const what = `the sweep was planned by Twinbook ${sheet.version} on Node ${sheet.node}, this is ${VERSION} on Node ${nodeMajor()}`;
    throw new OtherVersion('usage', what, 'All machines of a sweep run the same version.');
  }
  if (sheetHash(sheet) === hash) return sheet;
  throw new TwinbookError('usage', `the sheet of the sweep has not the checksum ${hash}`, 'Plan the sweep anew.');
}

/** Throws TwinbookError `recording_invalid` that counts markets which are missing or have other content, and names the first. */
export function requireSameData(sheet: SweepSheet, found: readonly PlannedMarket[]): void {
  const hashes = new Map(found.map((planned) => [planned.market.conditionId, marketHash(planned)]));
  const other = sheet.markets.filter(({ conditionId, hash }) => hashes.get(conditionId) !== hash);
  if (other.length === 0) return;
  const what = `${other.length} of ${sheet.markets.length} markets are missing or have other content`;
  throw new TwinbookError(
    'recording_invalid',
    `these are not the recordings of the sweep: ${what} (first: “${other[0]?.title}”)`,
    'Copy the recordings anew; `twinbook data verify` checks all files.',
  );
}

const nodeMajor = (): number => Number(process.versions.node.split('.')[0]);
