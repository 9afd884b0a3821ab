/** What `twinbook data calibrate` has found, kept as a file that a backtest takes its fill model from. */

import { readFileSync } from 'node:fs';
import { type FillModel, fillModel } from '../../exchange/core/matching/fill-model.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { Calibration } from './calibration.js';

/** Where it is written and looked for, from the working folder, unless somebody names another place. */
export const CALIBRATION_FILE = 'calibration.json';
/** The name by which a backtest asks for it; `calibrated:FILE` names the file. */
const CALIBRATED = 'calibrated';

const FORMAT = 'twinbook-calibration';

export const calibrationText = (calibration: Calibration): string =>
  `${JSON.stringify({ format: FORMAT, version: 1, ...calibration }, null, 2)}\n`;

/** The path in a fill model's name, `calibrated` or `calibrated:FILE`; null for any other name. */
export function calibrationPath(name: string): string | null {
  if (name === CALIBRATED) return CALIBRATION_FILE;
  return name.startsWith(`${CALIBRATED}:`) ? name.slice(CALIBRATED.length + 1) : null;
}

/** The model that fitted best, under a name that says so. Throws TwinbookError `file_unreadable` or `usage`. */
export function calibratedModel(path: string): FillModel {
  const hint = 'Write it with `twinbook data calibrate PATH… --out FILE`.';
  const { best } = read(path, hint);
  if (best === null) throw new TwinbookError('usage', `${path} found too few filled orders to choose a model`, hint);
  const model = fillModel(best);
  return { ...model, name: `${CALIBRATED} (${model.name})` };
}

function read(path: string, hint: string): { readonly best: string | null } {
  try {
    // Whatever the file holds: each field is looked at.
    const { format, version, best } = JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, unknown>>;
    if (format === FORMAT && version === 1 && (best === null || typeof best === 'string')) return { best };
  } catch (cause) {
    throw notRead(path, hint, cause);
  }
  throw notRead(path, hint, null);
}

const notRead = (path: string, hint: string, cause: unknown): TwinbookError =>
  new TwinbookError('file_unreadable', `${path} is no calibration of fill models`, hint, { cause });
