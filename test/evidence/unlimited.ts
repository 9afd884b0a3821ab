/** Shipped strategies, each measured over every window. */

import { join, resolve } from 'node:path';
import { loadConfig } from '../../src/shell/config/load.js';

const ROOT = resolve(import.meta.dirname, '../..');
export const STRATEGIES = join(ROOT, 'config/strategies');
/** They never bind. */
const NO_LOSS_LIMITS = { TWINBOOK__RISK__MAX_LOSS_DAY: '1000000', TWINBOOK__RISK__MAX_DRAWDOWN: '1000000' };

/** @param file of that folder */
export const loadUnlimited = (file: string) =>
  loadConfig(join(STRATEGIES, file), { strategyFileToo: true, feeds: 'any', env: NO_LOSS_LIMITS, cwd: ROOT });
