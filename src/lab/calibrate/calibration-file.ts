/** Result of `twinbook data calibrate`, as a file for a backtest's fill model. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fillModel } from '../../exchange/core/matching/fill-model.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { Calibration } from './calibration.js';

/** Default path, in the working folder. */
export const CALIBRATION_FILE = 'calibration.json';
/** Its name in a backtest; `calibrated:FILE` names the file. */
const CALIBRATED = 'calibrated';

const FORMAT = 'twinbook-calibration';

export const calibrationText = (calibration: Calibration): string =>
  `${JSON.stringify({ format: FORMAT, version: 1, ...calibration }, null, 2)}\n`;

/** Optional prefix: recorded makers are post-only, as for other names. */
const ASKED = new RegExp(`^(posts-only:)?${CALIBRATED}(?::(.+))?$`);

/**
 * Resolves a fill model's name: `calibrated` and `calibrated:FILE` become the best model with a name such as
 * `calibrated (power2:3)`; other names stay. Throws TwinbookError `file_unreadable` or `usage`.
 *
 * @param cwd base of a relative path
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
    // Foreign content: each field is checked.
    const { format, version, best } = JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, unknown>>;
    if (format === FORMAT && version === 1 && (best === null || typeof best === 'string')) return { best };
  } catch (cause) {
    throw notRead(path, hint, cause);
  }
  throw notRead(path, hint, null);
}

const notRead = (path: string, hint: string, cause: unknown): TwinbookError =>
  new TwinbookError('file_unreadable', `${path} is no calibration of fill models`, hint, { cause });
