/** `--fill-model`, the same for every command that backtests. */

import { Option } from 'commander';
import { calibratedName } from '../../lab/calibrate/calibration-file.js';

/** Names as they were given. */
export interface FillModelFlag {
  readonly fillModel?: readonly string[] | undefined;
}

/** @param usual what is taken where nobody names any */
export const fillModelOption = (usual: readonly string[]): Option =>
  new Option(
    '--fill-model <names>',
    `fill models, separated by commas, the most pessimistic first, e.g. trade-through,power:2, or calibrated (default: ${usual.join(',')})`,
  ).argParser((text) => text.split(',').map((name) => name.trim()));

/** `calibrated` stands for what `data calibrate` has written. */
export const resolveFillModels = (
  { fillModel }: FillModelFlag,
  usual: readonly string[],
  cwd: string,
): readonly string[] => (fillModel ?? usual).map((name) => calibratedName(name, cwd));
