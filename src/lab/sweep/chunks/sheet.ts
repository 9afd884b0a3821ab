/**
 * What whoever runs chunks of a sweep must be told and must agree with: version, configuration, data, settings, time zone. It
 * holds no code, no secret and no path: whoever runs chunks has its own copy of configuration, strategies and recordings, and
 * refuses a sheet that was made of others.
 */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { TwinbookError } from '../../../shared/base/errors.js';
import { canonicalJson } from '../../../shell/config/hash.js';
import { VERSION } from '../../../shell/config/version.js';
import type { SweepPlan } from '../contract.js';
import { timeZone } from '../identity.js';
import type { PlannedSweep } from '../plan.js';
import { marketHash, type PlannedMarket } from '../reading.js';
import type { TaskSettings } from '../task.js';
import { makeSettings } from '../threads/threads.js';

/** Plain data. */
export interface SweepSheet {
  readonly format: 1;
  readonly version: string;
  /** The major version: another one may round a logarithm differently. */
  readonly node: number;
  /** In which quote hours are read, such as `Europe/Berlin`. */
  readonly timeZone: string;
  /** Lower-case hex SHA-256. */
  readonly configHash: string;
  readonly fillModels: readonly string[];
  readonly settings: TaskSettings;
  /** Of the markets that are played: lower-case hex SHA-256 of their descriptions and files. */
  readonly markets: readonly { readonly conditionId: string; readonly title: string; readonly hash: string }[];
}

export function makeSheet(plan: SweepPlan, { events, data }: PlannedSweep): SweepSheet {
  return {
    format: 1,
    version: VERSION,
    node: nodeMajor(),
    timeZone: timeZone(),
    configHash: plan.config.configHash,
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

const head = z.looseObject({ format: z.literal(1), version: z.string(), node: z.int(), timeZone: z.string() });

/** Of Twinbook or Node. */
export class OtherVersion extends TwinbookError {}

/**
 * A sheet as it was written. Throws TwinbookError `usage` for one of another version of Twinbook or Node, or that is not the
 * one with this hash.
 */
export function readSheet(text: string, hash: string): SweepSheet {
  const parsed = head.safeParse(parseJson(text));
  if (!parsed.success) throw new TwinbookError('usage', 'this is no sheet of a sweep', 'Plan the sweep anew.');
  const { version, node } = parsed.data;
  if (version !== VERSION) {
    const hint = 'All machines of a sweep run the same version.';
    throw new OtherVersion('usage', `the sweep was planned by Twinbook ${version}, this is ${VERSION}`, hint);
  }
  if (node !== nodeMajor()) {
    const hint = 'All machines of a sweep run the same major version of Node.';
    throw new OtherVersion('usage', `the sweep was planned on Node ${node}, this is Node ${nodeMajor()}`, hint);
  }
  // The same version wrote it, and its checksum says that nobody has changed it.
  const sheet = parsed.data as unknown as SweepSheet;
  if (sheetHash(sheet) === hash) return sheet;
  throw new TwinbookError('usage', `the sheet of the sweep has not the checksum ${hash}`, 'Plan the sweep anew.');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Throws TwinbookError `recording_invalid` that counts and names markets which are missing or have other content. */
export function requireSameData(sheet: SweepSheet, found: readonly PlannedMarket[]): void {
  const hashes = new Map(found.map((planned) => [planned.market.conditionId, marketHash(planned)]));
  const missing = sheet.markets.filter(({ conditionId }) => !hashes.has(conditionId));
  const other = sheet.markets.filter(
    ({ conditionId, hash }) => hashes.has(conditionId) && hashes.get(conditionId) !== hash,
  );
  const describeMarkets = (what: string, markets: SweepSheet['markets']) =>
    markets.length === 0 ? [] : [`${markets.length} ${what} (first: “${markets[0]?.title}”)`];
  const differences = [...describeMarkets('are missing', missing), ...describeMarkets('have other content', other)];
  if (differences.length === 0) return;
  throw new TwinbookError(
    'recording_invalid',
    `these are not the recordings of the sweep: of ${sheet.markets.length} markets ${differences.join(', ')}`,
    'Copy the recordings anew; `twinbook data verify` checks all files.',
  );
}

const nodeMajor = (): number => Number(process.versions.node.split('.')[0]);
