/** `--fill-model`, shared by all commands with backtests. */

import { Option } from 'commander';
import { calibratedName } from '../../lab/calibrate/calibration-file.js';

/** Names as given. */
export interface FillModelFlag {
  readonly fillModel?: readonly string[] | undefined;
}

/** @param usual default names */
export const fillModelOption = (usual: readonly string[]): Option =>
  new Option(
    '--fill-model <names>',
    `fill models, separated by commas, the most pessimistic first, e.g. trade-through,power:2, or calibrated (default: ${usual.join(',')})`,
  ).argParser((text) => text.split(',').map((name) => name.trim()));

/** `calibrated` is replaced by the result of `data calibrate`. */
export const resolveFillModels = (
  { fillModel }: FillModelFlag,
  usual: readonly string[],
  cwd: string,
): readonly string[] => (fillModel ?? usual).map((name) => calibratedName(name, cwd));
