/** `twinbook console`: the process that shows the trader and can stop it while it hangs. */

import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { TwinbookError } from '../../shared/base/errors.js';
import { isConsoleWanted, type TraderConfig } from '../../shell/config/config.js';
import { loadTraderConfig } from '../../shell/config/load.js';
import { command, flag, repeated } from '../command.js';
import { type CliIo, EXIT, type ExitCode, keepFilesPrivate } from '../output/io.js';
import { guardianStatus, isGuarded } from './guardian.js';

/** The trader has priority when both want to compute. */
const NICE = 10;

export const addConsoleCommand = command({
  name: 'console',
  help: 'serves the dashboard beside the trader, without its key; the trader starts one automatically',
  config: 'file',
  options: {
    withTrader: flag('--with-trader', 'ends with the trader that started it; else it stays for every next one'),
    also: repeated('--also <file>', "another trader's file, to be shown on the same page; may be given again"),
  },
  run: ({ options: { withTrader, also }, file, io }) => {
    if (withTrader === true && also.length > 0) {
      const hint = 'Run `twinbook console` separately, with dashboard.start: false in all files.';
      throw new TwinbookError('usage', '--with-trader shows one trader, and --also names others', hint);
    }
    const config = loadTraderConfig(file, io);
    const others = also.map((other) => loadTraderConfig(other, io));
    return show(config, others, withTrader === true, io);
  },
});

async function show(
  config: TraderConfig,
  others: readonly TraderConfig[],
  isWithTrader: boolean,
  io: CliIo,
): Promise<ExitCode> {
  if (others.length === 0 && !isConsoleWanted(config)) {
    io.err(
      'Nothing to do: dashboard.enabled is false (the default, but for the paper profile), and alerts has no channel.\n',
    );
    return EXIT.configuration;
  }
  keepFilesPrivate();
  comeLast();
  const ended = isWithTrader ? traderEnded() : io.stopAsked().then(() => 'ended' as const);
  const [{ openConsole }, { addressText, passwordFrom }, { obtainPageToken }] = await Promise.all([
    import('../../shell/console/console.js'),
    import('../../shell/console/password.js'),
    import('../../shell/console/page-token.js'),
  ]);
  const password = passwordFrom(io.env);
  const secret = password ?? obtainPageToken(config.ledger.path);
  const shown = (one: TraderConfig) => ({
    config: one,
    guardian: { status: () => guardianStatus(one), isGuarded: () => isGuarded(one) },
  });
  const note = (text: string) => io.err(`${text}\n`);
  const opened = await openConsole({ ...shown(config), others: others.map(shown), isWithTrader, secret, note });
  const { url, isElsewhere } = opened;
  if (isWithTrader) io.out(`${JSON.stringify({ url, isElsewhere })}\n`);
  else if (url !== null) {
    if (isElsewhere)
      io.err(`warning: port ${config.dashboard.port} is taken (dashboard.port), so the dashboard is at another one\n`);
    io.out(`${addressText(url, password, secret)}\n`);
  }
  if ((await ended) === 'gone') await opened.traderGone();
  await opened.close();
  return EXIT.ok;
}

/** A unit with its own priority may forbid the change. */
function comeLast(): void {
  try {
    setPriority(NICE);
  } catch {
    // It answers nevertheless.
  }
}

/** Its trader reports its end, or its process is gone and closed our input. */
function traderEnded(): Promise<'ended' | 'gone'> {
  // A service manager ends all processes of a unit at once; the console stays until the trader has ended.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  return new Promise((resolve) => {
    const input = createInterface({ input: process.stdin });
    input.once('line', () => resolve('ended'));
    input.once('close', () => resolve('gone'));
  });
}
