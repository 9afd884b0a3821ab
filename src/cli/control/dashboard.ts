/** `twinbook dashboard`: the page's address with its token, opened if a display exists. */

import { messageOf, TwinbookError } from '../../shared/base/errors.js';
import type { TraderConfig } from '../../shell/config/config.js';
import { hasDisplay, openInBrowser } from '../../shell/console/browser.js';
import { provePage } from '../../shell/console/page-address.js';
import { locatePageToken, readPageToken } from '../../shell/console/page-token.js';
import { passwordFrom } from '../../shell/console/password.js';
import { command, unless } from '../command.js';
import type { CliIo } from '../output/io.js';
import { askThere } from './reach.js';

export const addDashboardCommand = command({
  name: 'dashboard',
  help: "prints the page's address with its token, and opens it where there is a display",
  config: 'trader',
  options: { open: unless('--no-open', 'print the address alone') },
  run: async ({ options: { open }, config, io }) => {
    const url = await findPage(config);
    const password = passwordFrom(io.env);
    await requirePage(url, password ?? readPageToken(config.ledger.path), config);
    const address = password === null ? `${url}#${readPageToken(config.ledger.path)}` : url;
    io.out(`${address}\n`);
    if (password !== null) io.err('Type the password there.\n');
    if (open && hasDisplay(io.env)) await tryToOpen(address, config, io);
  },
});

/** Address reported by the trader, else that of a separate console in the file. */
async function findPage(config: TraderConfig): Promise<string> {
  const { enabled, start, port } = config.dashboard;
  if (!enabled) {
    const hint = 'Set `dashboard: { enabled: true }` there and restart the trader.';
    throw new TwinbookError('config_invalid', `${config.file} wants no dashboard (dashboard.enabled is false)`, hint);
  }
  const configured = `http://127.0.0.1:${port}/`;
  try {
    const { dashboard } = await askThere({ command: 'status' }, config, { timeoutMs: 5000 });
    return dashboard ?? configured;
  } catch (error) {
    if (!(error instanceof TwinbookError)) throw error;
    // The console answers while the trader hangs.
    if (error.code === 'timed_out' || (error.code === 'not_running' && !start)) return configured;
    throw error;
  }
}

/** Another program at that address would receive the token from the browser. */
async function requirePage(url: string, secret: string, { ledger }: TraderConfig): Promise<void> {
  const proof = await provePage(url, secret);
  if (proof === 'proven') return;
  if (proof === 'no answer')
    throw new TwinbookError(
      'not_running',
      `no dashboard answers at ${url}`,
      'See the warnings of `twinbook start`, or start `twinbook console`.',
    );
  const hint =
    'Do not open it. If the trader has a password, set the same TWINBOOK_DASHBOARD_PASSWORD_FILE here; ' +
    `if ${locatePageToken(ledger.path)} was replaced, restart the trader.`;
  throw new TwinbookError('key_invalid', `the program at ${url} does not prove that it knows the token`, hint);
}

async function tryToOpen(address: string, { ledger }: TraderConfig, io: CliIo): Promise<void> {
  try {
    await openInBrowser(address, ledger.path, io.env);
  } catch (error) {
    io.err(`warning: no browser was opened (${messageOf(error)}); open the address yourself\n`);
  }
}
