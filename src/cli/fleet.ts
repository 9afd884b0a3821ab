/** `twinbook fleet`: the database that traders of a fleet share, who owns which wallet there, and what they came to. */

import { type Command, Option } from 'commander';
import { formatDecimal } from '../shared/base/decimal.js';
import { type Micros, micros, ZERO } from '../shared/base/micros.js';
import { loadTraderConfig } from '../shell/config/load.js';
import type { WalletRow } from '../shell/fleet/contract.js';
import type { FleetDatabase } from '../shell/fleet/database.js';
import { rulesOf } from '../shell/fleet/lease.js';
import type { FleetState } from '../shell/fleet/read-fleet.js';
import { integerBetween, nonEmpty, positiveAmount } from './arguments.js';
import { type FleetFlags, type ReleaseFlags, requireFleet } from './fleet-flags.js';
import { EXIT, type ExitCode } from './output/exit.js';
import { addAction, addConfigOption, addJsonOption, type CliIo, type Session } from './output/io.js';
import { type Column, json, record, short, table } from './output/table.js';

/** The longest that a command waits for the database, ms. */
const ANSWER_MS = 5_000;

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
  addAction<ReleaseFlags>(release, session, async (options) => {
    const { releaseWallet } = await import('./fleet-release.js');
    return releaseWallet(options, session.io, () => readState(options, session.io));
  });
}

/** Opens the database of the trader's file, and closes it whatever happens. */
export async function withDatabase<T>(
  { config: file }: FleetFlags,
  io: CliIo,
  use: (database: FleetDatabase) => Promise<T>,
): Promise<T> {
  const fleet = requireFleet(loadTraderConfig(file, io));
  const [{ FleetDatabase: Database }, { fleetPassword }] = await Promise.all([
    import('../shell/fleet/database.js'),
    import('../shell/fleet/password.js'),
  ]);
  const database = await Database.open({
    server: fleet.database,
    password: fleetPassword(io.env),
    answerMs: ANSWER_MS,
    idleMs: 0,
    name: 'twinbook fleet',
  });
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

async function initialize(options: FleetFlags & { readonly capital: Micros }, io: CliIo): Promise<ExitCode> {
  const { initFleet } = await import('../shell/fleet/tables.js');
  await withDatabase(options, io, async (database) => {
    const isNew = await initFleet(database, options.capital);
    const what = isNew ? 'is prepared' : 'was prepared before';
    io.out(`${database.place} ${what}; all traders of the fleet together may use ${formatDecimal(options.capital)}\n`);
  });
  return EXIT.ok;
}

const readState = (options: FleetFlags, io: CliIo): Promise<FleetState> =>
  withDatabase(options, io, async (database) => {
    const [{ requireTables }, { readFleet }] = await Promise.all([
      import('../shell/fleet/tables.js'),
      import('../shell/fleet/read-fleet.js'),
    ]);
    await requireTables(database);
    return readFleet(database);
  });

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
const sumOf = (rows: readonly WalletRow[], pick: (row: WalletRow) => string | null | undefined): string | null => {
  const texts = rows.map(pick);
  if (texts.some((text) => text === null || text === undefined)) return null;
  // Written by `formatDecimal`, so each is a decimal of at most six places.
  return money(texts.reduce((sum, text) => sum + Math.round(Number(text) * 1e6), 0));
};

async function showReport(options: FleetFlags, io: CliIo): Promise<ExitCode> {
  const { wallets } = await readState(options, io);
  const sums = {
    cash: sumOf(wallets, ({ summary }) => summary?.cash),
    worth: sumOf(wallets, ({ summary }) => summary?.equity),
    result: sumOf(wallets, ({ summary }) => summary?.result),
  };
  if (options.json === true) {
    io.out(json({ traders: wallets.map((row) => ({ ...toJson(row), said: row.summary })), sums }));
    return EXIT.ok;
  }
  io.out(table(wallets, REPORT, io.columns));
  const oldest = Math.round(Math.max(ZERO, ...wallets.map(({ renewedS }) => renewedS)));
  io.out(
    `\n${record([
      ['cash', sums.cash],
      ['worth', sums.worth],
      ['result', sums.result],
    ])}`,
  );
  io.out(
    `Each row is what that trader said at its own last renewal, the oldest ${oldest} s ago, so the sums are of different moments.\nThe books are in each trader's ledger: \`twinbook pnl\` there.\n`,
  );
  return EXIT.ok;
}
