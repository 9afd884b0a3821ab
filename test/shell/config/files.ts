/** Texts of configuration files, for the tests of this room and of the command line. */

import { loadTraderConfig } from '../../../src/shell/config/load.js';
import { folderOf } from '../../support/folders.js';

/** The smallest trader's file; `lines` are added at its end. */
export const trader = (lines = '', strategies = '[]'): string => `venue: { profile: paper }
wallet: { file: wallet.json }
ledger: { path: twinbook.sqlite }
capital: "1000"
strategies: ${strategies}
${lines}`;

/** The same as read, in a folder of its own. */
export const loadedTrader = (lines?: string) =>
  loadTraderConfig('trader.yaml', { cwd: folderOf({ 'trader.yaml': trader(lines) }), env: {} });
