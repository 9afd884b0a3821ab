/** What `twinbook data calibrate` has found, kept as a file that a backtest takes its fill model from. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fillModel } from '../../exchange/core/matching/fill-model.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { Calibration } from './calibration.js';

/** Where it is written and looked for, from the working folder, unless somebody names another place. */
export const CALIBRATION_FILE = 'calibration.json';
/** The name by which a backtest asks for it; `calibrated:FILE` names the file. */
const CALIBRATED = 'calibrated';

const FORMAT = 'twinbook-calibration';

export const calibrationText = (calibration: Calibration): string =>
  `${JSON.stringify({ format: FORMAT, version: 1, ...calibration }, null, 2)}\n`;

/** Before it: with recorded makers who post only, as before any other name. */
const ASKED = new RegExp(`^(posts-only:)?${CALIBRATED}(?::(.+))?$`);

/**
 * What a fill model's name stands for: of `calibrated` and `calibrated:FILE` the model that fitted best, told by a name that
 * says so, as in `calibrated (power2:3)`; any other name is itself. Throws TwinbookError `file_unreadable` or `usage`.
 *
 * @param cwd where a relative path begins
 */
export function calibratedName(name: string, cwd: string): string {
  const asked = ASKED.exec(name);
  if (asked === null) return name;
  const [, prefix = '', path = CALIBRATION_FILE] = asked;
  const hint = 'Write it with `twinbook data calibrate PATH… --out FILE`.';
  const { best } = read(resolve(cwd, path), hint);
  if (best === null) throw new TwinbookError('usage', `${path} found too few filled orders to choose a model`, hint);
  return `${prefix}${CALIBRATED} (${fillModel(best).name})`;
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
