/** `--fill-model`, shared by all commands with backtests. */

import { calibratedName } from '../../lab/calibrate/calibration-file.js';
import { type OptionRow, read } from '../command.js';

/** @param usual default names */
export const fillModelOption = (usual: readonly string[]): OptionRow<readonly string[] | undefined> =>
  read(
    '--fill-model <names>',
    `fill models, separated by commas, the most pessimistic first, e.g. trade-through,power:2, or calibrated (default: ${usual.join(',')})`,
    (text) => text.split(',').map((name) => name.trim()),
  );

/** `calibrated` is replaced by the result of `data calibrate`. */
export const resolveFillModels = (
  fillModel: readonly string[] | undefined,
  usual: readonly string[],
  cwd: string,
): readonly string[] => (fillModel ?? usual).map((name) => calibratedName(name, cwd));
