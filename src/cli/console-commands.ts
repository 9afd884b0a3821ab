/** Commands `guardian`, `dashboard`, `alerts`, and `console`, whose page can stop a hanging trader. */

import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { messageOf, TwinbookError } from '../shared/base/errors.js';
import { isGone } from '../shared/base/processes.js';
import { utcText } from '../shared/base/text.js';
import type { AlertState } from '../shell/alerts/alert-center.js';
import { isConsoleWanted, type TraderConfig } from '../shell/config/config.js';
import { loadTraderConfig } from '../shell/config/load.js';
import {
  addressText,
  hasDisplay,
  locatePageToken,
  obtainPageToken,
  openInBrowser,
  passwordFrom,
  provePage,
  readPageToken,
} from '../shell/console/page-access.js';
import type { AlertStore } from '../shell/console/store.js';
import { locateStopFile } from '../shell/control/stop-file.js';
import { readBeatNow } from '../shell/guardian/beat-file.js';
import { ABLE, describeReport, HANGS_AFTER_MS, locateReportFile, reportSchema } from '../shell/guardian/decide.js';
import { nowMs } from '../shell/runtime/clock.js';
import { all, type CommandOutput, command } from './command.js';
import { type CliIo, EXIT, keepFilesPrivate } from './io.js';
import * as option from './options.js';
import { askThere, valueOn } from './reach.js';
import { type TableColumn, table } from './table.js';

const consoleCommand = command({
  name: 'console',
  help: 'serves the dashboard in a process without the key; the trader starts this process automatically',
  config: 'file',
  options: {
    withTrader: option.flag('--with-trader', 'exit when the trader ends (default: keep running)'),
    also: option.repeated(
      '--also <file>',
      'configuration file of another trader to show on the page; may be repeated',
      String,
    ),
  },
  run: async ({ options: { withTrader, also }, file, io }) => {
    if (withTrader === true && also.length > 0) {
      const hint = 'Run `twinbook console` separately, with dashboard.start: false in all files.';
      throw new TwinbookError('usage', '--with-trader cannot be combined with --also', hint);
    }
    const config = loadTraderConfig(file, io);
    const others = also.map((other) => loadTraderConfig(other, io));
    const isWithTrader = withTrader === true;
    let isAlone = false;
    // Without the trader, nothing reads stderr: a write would fail and end this console before it has delivered alerts.
    const note = (text: string) => isAlone || io.err(`${text}\n`);
    if (others.length === 0 && !isConsoleWanted(config)) {
      note('Nothing to do: dashboard.enabled is false (the default, except on paper), and no alert channel is set.');
      return EXIT.configuration;
    }
    keepFilesPrivate();
    try {
      // The trader gets the processor first when trader and console both need it.
      setPriority(10);
    } catch {
      // If a service manager forbids a change of priority, the console keeps its present priority.
    }
    const ended = isWithTrader ? traderEnded() : io.stopAsked().then(() => 'ended' as const);
    const { openConsole } = await import('../shell/console/console.js');
    const password = passwordFrom(io.env);
    const secret = password ?? obtainPageToken(config.ledger.path);
    const shown = (one: TraderConfig) => ({ config: one, guardian: watchGuardian(one) });
    const opened = await openConsole({ ...shown(config), others: others.map(shown), isWithTrader, secret, note });
    const { url, isElsewhere } = opened;
    const { port } = config.dashboard;
    if (isWithTrader) io.out(`${JSON.stringify({ url, isElsewhere })}\n`);
    else if (url !== null) {
      if (isElsewhere) note(`warning: port ${port} is taken (dashboard.port), so the dashboard uses another port`);
      io.out(`${addressText(url, password, secret)}\n`);
    }
    isAlone = (await ended) === 'gone';
    if (isAlone) await opened.traderGone();
    await opened.close();
    return EXIT.ok;
  },
});

/** Resolves to `ended` after the report of an orderly end on stdin, or to `gone` when stdin closes. */
function traderEnded(): Promise<'ended' | 'gone'> {
  // A service manager signals trader and console together, but the console must run until the trader ends.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  return new Promise((resolve) => {
    const input = createInterface({ input: process.stdin });
    input.once('line', () => resolve('ended'));
    input.once('close', () => resolve('gone'));
  });
}

const guardianCommand = command({
  name: 'guardian',
  help: "cancels all orders when the trader's heartbeat stops; the trader starts a guardian automatically",
  config: 'trader',
  options: {
    withTrader: option.flag('--with-trader', 'exit once the trader ended and no cancel is due (default: keep running)'),
  },
  run: async ({ options: { withTrader }, config, io }) => {
    if (config.exchange?.embedded === true) {
      io.out('No guardian is needed: the exchange is embedded in the trader, so no order outlives the trader.\n');
      return;
    }
    keepFilesPrivate();
    const { runGuardian } = await import('../shell/guardian/guardian.js');
    const { cancelDirectly } = await import('../shell/daemon/direct-cancel.js');
    const { wallet, ledger, guardian, fleet } = config;
    const { profile, allowBlindSigning, name } = config.venue;
    const isPaper = name === 'paper';
    await runGuardian({
      profile,
      isPaper,
      walletFile: wallet.file,
      credentialsFile: guardian.credentials,
      isFenced: fleet !== null,
      env: io.env,
      ledgerPath: ledger.path,
      logFile: `${ledger.path}.guardian.log`,
      rules: {
        timeoutMs: guardian.timeoutMs,
        // An order submitted just before the trader's death may reach the exchange 30 s later.
        lateOrdersMs: profile.draft_lifetime_s * 1000 + 30_000,
        stays: withTrader !== true,
        // The paper exchange may have ended too: with `--with-trader`, the guardian ends after 10 min without answer.
        paperPatienceMs: isPaper ? 600_000 : null,
      },
      markFile: guardian.resumeAfterAlarm ? null : locateStopFile(ledger.path),
      cancelEverything: (access) => cancelDirectly({ ...access, profile, allowBlindSigning, verify: true }),
      say: io.err,
      onUnusedSignal: io.onUnusedSignal,
      stopAsked: io.stopAsked,
    });
  },
});

export function guardianStatus({ exchange, guardian, ledger }: TraderConfig): string {
  if (exchange?.embedded === true) return 'no guardian is needed: the exchange stops with the trader';
  if (!guardian.enabled) return 'NONE: guardian.enabled is false';
  const report = readReport(ledger.path);
  if (report === null) return 'NONE';
  if (!isGone(report.process)) return describeReport(report);
  return `NONE; the last guardian reported: ${report.state}, ${report.text}`;
}

/** Watches the guardian for a console: a guardian whose report no longer changes counts as hanging. */
export function watchGuardian(config: TraderConfig, steadyMs = () => performance.now()) {
  let [newest, movedMs] = ['', 0];
  /** Returns whether an active guardian can cancel orders; null if no guardian is needed or configured. */
  const isGuarded = (): boolean | null => {
    if (config.exchange?.embedded === true || !config.guardian.enabled) return null;
    const report = readReport(config.ledger.path);
    const read = `${report?.run} ${report?.count}`;
    if (read !== newest) [newest, movedMs] = [read, steadyMs()];
    if (report === null || !ABLE.includes(report.state) || isGone(report.process)) return false;
    return steadyMs() - movedMs < HANGS_AFTER_MS;
  };
  const status = (): string => {
    const text = guardianStatus(config);
    const isHanging = ABLE.some((state) => text.startsWith(state)) && isGuarded() === false;
    return isHanging ? `NONE: the guardian hangs; its last report: ${text}` : text;
  };
  return { status, isGuarded };
}

function readReport(ledgerPath: string) {
  const report = readBeatNow(locateReportFile(ledgerPath), reportSchema);
  return report === 'unreadable' ? null : report;
}

const dashboardCommand = command({
  name: 'dashboard',
  help: "prints the dashboard's address with its token, and opens the address in a browser if there is a display",
  config: 'trader',
  options: { open: option.unless('--no-open', 'print the address and open no browser') },
  run: async ({ options: { open }, config, io }) => {
    const url = await findPage(config);
    const password = passwordFrom(io.env);
    await requirePage(url, password ?? readPageToken(config.ledger.path), config);
    const address = password === null ? `${url}#${readPageToken(config.ledger.path)}` : url;
    io.out(`${address}\n`);
    if (password !== null) io.err('Type the password on that page.\n');
    if (open && hasDisplay(io.env))
      await openInBrowser(address, config.ledger.path, io.env).catch((error) =>
        io.err(`warning: no browser was opened (${messageOf(error)}); open the address yourself\n`),
      );
  },
});

/** Returns the dashboard's address from the trader's status, else the configured address of a separate console. */
async function findPage(config: TraderConfig): Promise<string> {
  const { enabled, start, port } = config.dashboard;
  if (!enabled) {
    const hint = 'Set `dashboard: { enabled: true }` in that file and restart the trader.';
    throw new TwinbookError('config_invalid', `${config.file} has no dashboard (dashboard.enabled is false)`, hint);
  }
  // The console's page still answers while the trader hangs.
  const codes = start ? (['timed_out'] as const) : (['timed_out', 'not_running'] as const);
  const status = await askThere({ command: 'status' }, config, { timeoutMs: 5000 }).catch(valueOn(null, ...codes));
  return status?.dashboard ?? `http://127.0.0.1:${port}/`;
}

/** Throws unless the program at `url` proves that it knows `secret`, because the browser will send it the token. */
async function requirePage(url: string, secret: string, { ledger }: TraderConfig): Promise<void> {
  const proof = await provePage(url, secret);
  if (proof === 'proven') return;
  if (proof === 'no answer') {
    const hint = 'See the warnings of `twinbook start`, or start `twinbook console`.';
    throw new TwinbookError('not_running', `no dashboard answers at ${url}`, hint);
  }
  const hint =
    'Do not open this address. If the trader has a password, set the same TWINBOOK_DASHBOARD_PASSWORD_FILE here; ' +
    `if ${locatePageToken(ledger.path)} was replaced, restart the trader.`;
  throw new TwinbookError('key_invalid', `the program at ${url} does not prove that it knows the token`, hint);
}

const COLUMNS: readonly TableColumn<AlertState['open'][number]>[] = [
  { title: 'alert', cell: ({ kind }) => kind },
  { title: 'severity', cell: ({ severity }) => severity, keep: 2 },
  { title: 'since (UTC)', cell: ({ sinceMs }) => utcText(sinceMs) },
  { title: 'seen', cell: ({ acknowledgedMs }) => (acknowledgedMs === null ? '' : utcText(acknowledgedMs)), keep: 1 },
  { title: 'what', cell: ({ title, text: said }) => `${title}: ${said}`, gives: 'fold' },
];

const alertsCommand = command({
  name: 'alerts',
  help: 'lists the open alerts that the console last reported; acknowledges an alert, or tests a channel',
  config: 'trader',
  options: {
    ack: option.text('--ack <alert>', 'acknowledge this open alert, so that it is not sent again while it is open'),
    test: option.text('--test <channel>', 'send a test message over this channel, and print the result', 'ack'),
  },
  answer: async ({ options: { ack, test }, config, io }) => {
    if (test !== undefined) return testNamed(config, test);
    const { open, isWatched, store, close } = await openAlerts(config, io);
    try {
      if (ack !== undefined) return acknowledge(ack, open, store);
      const none = isWatched ? 'no alert is open\n' : 'no alert was open\n';
      return { data: open, text: (width) => (open.length === 0 ? none : table(open, COLUMNS, width)) };
    } finally {
      close();
    }
  },
});

async function testNamed({ alerts: { channels }, file }: TraderConfig, name: string): Promise<CommandOutput> {
  const channel = channels.find((one) => one.name === name);
  if (channel === undefined) {
    const known = channels.map((one) => one.name).join(', ') || 'none';
    throw new TwinbookError('usage', `there is no alert channel ${JSON.stringify(name)}`, `There are: ${known}.`);
  }
  const { testChannel } = await import('../shell/alerts/senders.js');
  const delivery = await testChannel(file, channel);
  if (delivery.kind !== 'delivered') {
    const hint = 'Check the address file of the channel, and whether a server answers at that address.';
    throw new TwinbookError('timed_out', `the channel ${name} did not accept the message: ${delivery.why}`, hint);
  }
  return { data: { tested: name }, text: `the channel ${name} accepted the message; check whether it arrived\n` };
}

function acknowledge(kind: string, open: AlertState['open'], store: AlertStore): CommandOutput {
  const alert = open.find((one) => one.kind === kind);
  if (alert === undefined) {
    const known = open.map((one) => one.kind).join(', ') || 'none';
    throw new TwinbookError('usage', `no alert ${JSON.stringify(kind)} is open`, `There are: ${known}.`);
  }
  if (!store.acknowledge({ kind, sinceMs: alert.sinceMs, timeMs: nowMs() }))
    throw new TwinbookError('file_unreadable', 'the acknowledgement cannot be stored', 'See the warning above.');
  return { data: alert, text: `the alert ${kind} is not sent again while it is open; its condition still holds\n` };
}

async function openAlerts({ ledger }: TraderConfig, io: CliIo) {
  const { AlertStore, locateStore, StoreFile } = await import('../shell/console/store.js');
  const path = locateStore(ledger.path);
  if (!existsSync(path)) {
    const hint =
      'The console writes this file. `twinbook start` starts a console if a dashboard or a channel of alerts is configured.';
    throw new TwinbookError('file_unreadable', `no alerts are recorded: there is no file ${path}`, hint);
  }
  const note = (text: string) => io.err(`${text}\n`);
  const opened = new StoreFile({ path, note, nowMs, steadyMs: () => performance.now() });
  const store = new AlertStore(opened);
  const state = store.load();
  if (state === null) {
    opened.close();
    const hint = 'Another program may be using this file. Try again.';
    throw new TwinbookError('file_unreadable', `no alerts can be read from ${path}`, hint);
  }
  const { findWriter } = await import('../trader/ledger/lock.js');
  const isWatched = (await Promise.resolve(path).then(findWriter).catch(valueOn('unknown'))) !== null;
  if (!isWatched) note('warning: no console watches the trader; these alerts are those of the last console');
  return { open: state.open, isWatched, store, close: () => opened.close() };
}

export const addConsoleCommands = all(guardianCommand, consoleCommand, dashboardCommand, alertsCommand);
