/** `twinbook fleet`: the database that traders of a fleet share, who owns which wallet there, and what they came to. */

import { type Command, Option } from 'commander';
import { formatDecimal } from '../shared/base/decimal.js';
import { TwinbookError } from '../shared/base/errors.js';
import { type Micros, micros, ZERO } from '../shared/base/micros.js';
import { loadTraderConfig } from '../shell/config/load.js';
import type { FleetConfig } from '../shell/config/types.js';
import { FleetDatabase, fleetPassword } from '../shell/fleet/database.js';
import { rulesOf } from '../shell/fleet/lease.js';
import { FleetMember } from '../shell/fleet/member.js';
import { type FleetState, initFleet, readFleet, type WalletRow } from '../shell/fleet/tables.js';
import { integerBetween, nonEmpty, positiveAmount } from './arguments.js';
import { EXIT, type ExitCode } from './output/exit.js';
import { addAction, addConfigOption, addJsonOption, type CliIo, type Session } from './output/io.js';
import { type Column, json, record, short, table } from './output/table.js';

/** The longest that a command waits for the database, ms. */
const ANSWER_MS = 5_000;

interface FleetFlags {
  readonly config: string;
  readonly json?: true;
}

interface ReleaseFlags extends FleetFlags {
  readonly reason: string;
  readonly wallet?: string;
  readonly unproven?: true;
  readonly timeout: number;
}

export function addFleetCommands(program: Command, session: Session): void {
  const fleet = program
    .command('fleet')
    .description('several traders on several machines: who owns which wallet, which markets, how much capital');
  const init = addConfigOption(
    fleet
      .command('init')
      .description("prepares the fleet's database, or alters the capital of all its traders together"),
  ).addOption(
    new Option('--capital <n>', 'currency that all traders together may use')
      .argParser(positiveAmount)
      .makeOptionMandatory(),
  );
  addAction<FleetFlags & { capital: Micros }>(init, session, (options) => initialize(options, session.io));
  const status = fleet
    .command('status')
    .description('who owns which wallet, since when, with which markets and capital');
  addAction<FleetFlags>(addJsonOption(addConfigOption(status)), session, (options) => showStatus(options, session.io));
  const report = fleet
    .command('report')
    .description('what each trader said of its result at its last renewal, and the sums');
  addAction<FleetFlags>(addJsonOption(addConfigOption(report)), session, (options) => showReport(options, session.io));
  const release = addConfigOption(
    fleet
      .command('release')
      .description('gives back what a trader that is gone has of the fleet: wallet, markets, capital'),
  )
    .addOption(new Option('--reason <text>', 'kept in the fleet').argParser(nonEmpty).makeOptionMandatory())
    .option('--wallet <address>', 'of a wallet whose key is not here; wants --unproven')
    .option('--unproven', 'whoever says this knows that nothing of that wallet rests at the venue')
    .addOption(
      new Option('--timeout <s>', 'for its owner to renew no more, s').default(120).argParser(integerBetween(1, 3600)),
    );
  addAction<ReleaseFlags>(release, session, (options) => releaseWallet(options, session.io));
}

/** The trader's configuration. Throws TwinbookError `config_invalid` for one without a fleet. */
function loadFleetConfig(file: string, io: CliIo) {
  const config = loadTraderConfig(file, io);
  if (config.fleet !== null) return { ...config, fleet: config.fleet };
  const hint = 'Wanted there: fleet: { database: "postgresql://USER@HOST:PORT/DATABASE", name: NAME }.';
  throw new TwinbookError('config_invalid', `${config.file} has no section \`fleet\``, hint);
}

/** Opens the database of the trader's file, and closes it whatever happens. */
async function withDatabase<T>(
  { database: server }: FleetConfig,
  io: CliIo,
  use: (database: FleetDatabase) => Promise<T>,
): Promise<T> {
  const how = { password: fleetPassword(io.env), answerMs: ANSWER_MS, idleMs: 0, name: 'twinbook fleet' };
  const database = await FleetDatabase.open({ server, ...how });
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

async function initialize(
  { config, capital }: FleetFlags & { readonly capital: Micros },
  io: CliIo,
): Promise<ExitCode> {
  await withDatabase(loadFleetConfig(config, io).fleet, io, async (database) => {
    const what = (await initFleet(database, capital)) ? 'is prepared' : 'was prepared before';
    io.out(`${database.place} ${what}; all traders of the fleet together may use ${formatDecimal(capital)}\n`);
  });
  return EXIT.ok;
}

const readState = ({ config }: FleetFlags, io: CliIo): Promise<FleetState> =>
  withDatabase(loadFleetConfig(config, io).fleet, io, readFleet);

const money = (value: number): string => formatDecimal(micros(value));

/** What can be said of an owner from its last renewal, by the database's clock alone. */
function describeOwner({ isFree, isSettled, renewedS, leaseMs }: WalletRow): string {
  if (isFree) return 'free';
  const { marginMs } = rulesOf(leaseMs);
  if (renewedS * 1000 >= leaseMs + marginMs) return 'gone: it can be taken over';
  if (renewedS * 1000 >= leaseMs / 2) return 'silent';
  return isSettled ? 'trading' : 'takes over';
}

const STATUS: readonly Column<WalletRow>[] = [
  { title: 'wallet', cell: ({ wallet }) => short(wallet) },
  { title: 'owner', cell: ({ holder }) => holder, gives: 'cut' },
  { title: 'machine', cell: ({ machine }) => machine, gives: 'cut', keep: 3 },
  { title: 'term', cell: ({ term }) => term, right: true, keep: 1 },
  { title: 'state', cell: describeOwner, gives: 'fold' },
  { title: 'renewed', cell: ({ renewedS }) => `${Math.round(renewedS)} s ago`, right: true },
  { title: 'capital', cell: ({ grantedMicros }) => money(grantedMicros), right: true },
  { title: 'markets', cell: ({ markets }) => markets.length, right: true, keep: 2 },
];

async function showStatus(options: FleetFlags, io: CliIo): Promise<ExitCode> {
  const { capitalMicros, wallets } = await readState(options, io);
  const granted = wallets.reduce((sum, { grantedMicros }) => sum + grantedMicros, 0);
  if (options.json === true) {
    const rows = wallets.map((row) => ({ ...toJson(row), state: describeOwner(row), markets: row.markets }));
    io.out(json({ capital: money(capitalMicros), granted: money(granted), wallets: rows }));
    return EXIT.ok;
  }
  io.out(table(wallets, STATUS, io.columns));
  io.out(`\n${money(granted)} of ${money(capitalMicros)} capital are granted\n`);
  return EXIT.ok;
}

const toJson = ({ wallet, holder, machine, term, renewedS, takenS, grantedMicros }: WalletRow) => ({
  wallet,
  owner: holder,
  machine,
  term,
  renewed_s_ago: renewedS,
  taken_s_ago: takenS,
  capital: money(grantedMicros),
});

const REPORT: readonly Column<WalletRow>[] = [
  { title: 'trader', cell: ({ holder }) => holder, gives: 'cut' },
  { title: 'wallet', cell: ({ wallet }) => short(wallet), keep: 1 },
  { title: 'said', cell: ({ renewedS }) => `${Math.round(renewedS)} s ago`, right: true },
  { title: 'mode', cell: ({ summary }) => summary?.mode ?? null },
  { title: 'orders', cell: ({ summary }) => summary?.openOrders ?? null, right: true, keep: 3 },
  { title: 'fills', cell: ({ summary }) => summary?.fills ?? null, right: true, keep: 2 },
  { title: 'cash', cell: ({ summary }) => summary?.cash ?? null, right: true },
  { title: 'worth', cell: ({ summary }) => summary?.equity ?? null, right: true },
  { title: 'result', cell: ({ summary }) => summary?.result ?? null, right: true },
];

/** Null where one of them is not known: a sum of the others would be taken for the whole. */
function sumOf(rows: readonly WalletRow[], figure: 'cash' | 'equity' | 'result'): string | null {
  const texts = rows.map(({ summary }) => summary?.[figure] ?? null);
  if (texts.includes(null)) return null;
  // Written by `formatDecimal`, so each is a decimal of at most six places.
  return money(texts.reduce((sum, text) => sum + Math.round(Number(text) * 1e6), 0));
}

async function showReport(options: FleetFlags, io: CliIo): Promise<ExitCode> {
  const { wallets } = await readState(options, io);
  const sums = {
    cash: sumOf(wallets, 'cash'),
    worth: sumOf(wallets, 'equity'),
    result: sumOf(wallets, 'result'),
  };
  if (options.json === true) {
    io.out(json({ traders: wallets.map((row) => ({ ...toJson(row), said: row.summary })), sums }));
    return EXIT.ok;
  }
  io.out(table(wallets, REPORT, io.columns));
  const oldest = Math.round(Math.max(ZERO, ...wallets.map(({ renewedS }) => renewedS)));
  io.out(`\n${record(Object.entries(sums))}`);
  io.out(
    `Each row is what that trader said at its own last renewal, the oldest ${oldest} s ago, so the sums are of different moments.\nThe books are in each trader's ledger: \`twinbook pnl\` there.\n`,
  );
  return EXIT.ok;
}

async function releaseWallet(flags: ReleaseFlags, io: CliIo): Promise<ExitCode> {
  const config = loadFleetConfig(flags.config, io);
  const { reason, wallet } = flags;
  if ((wallet !== undefined) !== (flags.unproven === true)) {
    const hint = 'Without both, the wallet of the file is released after its own key has shown that nothing rests.';
    throw new TwinbookError('usage', '--wallet and --unproven belong together', hint);
  }
  const waiting = { say: (text: string) => io.err(`${text}\n`), isStopping: stopsAfter(flags.timeout, io) };
  if (wallet !== undefined) {
    requireKnown(wallet, await readState(flags, io));
    await whileHeld({ ...waiting, wallet, fleet: config.fleet, io }, async ({ member }) => {
      await member.settle();
      await member.release(ZERO, reason);
    });
    return EXIT.ok;
  }
  const [{ settleWallet }, { withVenue }] = await Promise.all([
    import('../shell/daemon/fleet/settle-wallet.js'),
    import('./venue-session.js'),
  ]);
  // The venue first: whoever cannot ask it must not take the wallet.
  await withVenue(config, io, (venue) =>
    whileHeld({ ...waiting, wallet: venue.wallet.address, fleet: config.fleet, io }, async (joined) => {
      const place = { ...venue, profile: config.venue.profile };
      if (!(await settleWallet(joined, place, { config, ...waiting }))) {
        throw new TwinbookError('timed_out', 'not proven in time that nothing rests', 'Give it more --timeout.');
      }
      await joined.member.release(ZERO, reason);
    }),
  );
  return EXIT.ok;
}

/** A mistyped one would be taken and given back as if it had been the one that was meant, which keeps all that it has. */
function requireKnown(wallet: string, { wallets }: FleetState): void {
  const known = wallets.map((row) => row.wallet);
  if (known.includes(wallet)) return;
  const hint = known.length === 0 ? 'It has none yet.' : `It has ${known.join(', ')}.`;
  throw new TwinbookError('usage', `the fleet has no wallet ${wallet}`, hint);
}

interface Holding {
  readonly wallet: string;
  readonly fleet: FleetConfig;
  readonly say: (text: string) => void;
  readonly isStopping: () => boolean;
  readonly io: CliIo;
}

type Joined = NonNullable<Awaited<ReturnType<typeof FleetMember.join>>>;

/** Takes the lease as a trader would, so that no trader has it meanwhile. */
async function whileHeld(
  { wallet, fleet, say, isStopping, io }: Holding,
  act: (joined: Joined) => Promise<void>,
): Promise<void> {
  const joined = await FleetMember.join({
    // Whoever has it is waited for, also a trader of this very name.
    config: { ...fleet, name: `release-${process.pid}`, standby: true },
    wallet,
    password: fleetPassword(io.env),
    capitalMicros: ZERO,
    say,
    isStopping,
  });
  if (joined === null) {
    const hint = 'Stop its trader, or give this more time with --timeout.';
    throw new TwinbookError('timed_out', `the wallet ${wallet} was not free in time`, hint);
  }
  try {
    await act(joined);
  } finally {
    await joined.member.close();
  }
  io.out(`${wallet} is free; its markets and capital are the fleet's again\n`);
}

/** True once the time is over or somebody asked for the end. */
function stopsAfter(seconds: number, io: CliIo): () => boolean {
  let isAsked = false;
  void io.stopAsked().then(() => {
    isAsked = true;
  });
  const endMs = performance.now() + seconds * 1000;
  return () => isAsked || performance.now() >= endMs;
}
