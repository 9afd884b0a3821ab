/** Command `twinbook fleet`: manages the shared database of several traders, with wallet owners and results. */

import { TwinbookError } from '../shared/base/errors.js';
import { formatDecimal, micros, ZERO } from '../shared/base/micros.js';
import type { FleetConfig, TraderConfig } from '../shell/config/config.js';
import { FleetDatabase, fleetPassword } from '../shell/fleet/database.js';
import { FleetMember, rulesOf } from '../shell/fleet/member.js';
import { initFleet, readFleet } from '../shell/fleet/owner-desk.js';
import { command } from './command.js';
import type { CliIo } from './io.js';
import * as option from './options.js';
import { withVenue } from './reach.js';
import { record, short, type TableColumn, table } from './table.js';

type WalletRow = Awaited<ReturnType<typeof readFleet>>['wallets'][number];

function fleetOf({ fleet, file }: TraderConfig): FleetConfig {
  if (fleet !== null) return fleet;
  const hint = 'Add to that file: fleet: { database: "postgresql://USER@HOST:PORT/DATABASE", name: NAME }.';
  throw new TwinbookError('config_invalid', `${file} has no section \`fleet\``, hint);
}

async function withDatabase<T>(config: TraderConfig, io: CliIo, use: (fleet: FleetDatabase) => Promise<T>) {
  const { database: server } = fleetOf(config);
  const how = { password: fleetPassword(io.env), answerMs: 5_000, idleMs: 0, name: 'twinbook fleet' };
  const database = await FleetDatabase.open({ server, ...how });
  return use(database).finally(() => database.close());
}

const initCommand = command({
  name: 'init',
  help: "prepares the fleet's database, or changes the total capital of its traders",
  config: 'trader',
  options: {
    capital: option.required('--capital <n>', 'total currency that the traders may use', option.positiveAmount),
  },
  run: ({ options: { capital }, config, io }) =>
    withDatabase(config, io, async (database) => {
      const what = (await initFleet(database, capital)) ? 'is prepared' : 'was already prepared';
      io.out(`${database.place} ${what}; all traders of the fleet together may use ${formatDecimal(capital)}\n`);
    }),
});

const money = (value: number): string => formatDecimal(micros(value));

/** Describes the owner of a wallet by the age of the lease's last renewal, measured by the database's clock. */
function describeOwner({ isFree, isSettled, renewedS, leaseMs }: WalletRow): string {
  if (isFree) return 'free';
  if (renewedS * 1000 >= leaseMs + rulesOf(leaseMs).marginMs) return 'gone: the wallet can be taken over';
  if (renewedS * 1000 >= leaseMs / 2) return 'silent';
  return isSettled ? 'trading' : 'takes over';
}

const STATUS: readonly TableColumn<WalletRow>[] = [
  { title: 'wallet', cell: ({ wallet }) => short(wallet) },
  { title: 'owner', cell: ({ holder }) => holder, gives: 'cut' },
  { title: 'machine', cell: ({ machine }) => machine, gives: 'cut', keep: 3 },
  { title: 'term', cell: ({ term }) => term, right: true, keep: 1 },
  { title: 'state', cell: describeOwner, gives: 'fold' },
  { title: 'renewed', cell: ({ renewedS }) => `${Math.round(renewedS)} s ago`, right: true },
  { title: 'capital', cell: ({ grantedMicros }) => money(grantedMicros), right: true },
  { title: 'markets', cell: ({ markets }) => markets.length, right: true, keep: 2 },
  { title: 'mode', cell: ({ summary }) => summary?.mode ?? null, keep: 8 },
  { title: 'orders', cell: ({ summary }) => summary?.openOrders ?? null, right: true, keep: 5 },
  { title: 'fills', cell: ({ summary }) => summary?.fills ?? null, right: true, keep: 4 },
  { title: 'cash', cell: ({ summary }) => summary?.cash ?? null, right: true, keep: 7 },
  { title: 'worth', cell: ({ summary }) => summary?.equity ?? null, right: true, keep: 6 },
  { title: 'result', cell: ({ summary }) => summary?.result ?? null, right: true, keep: 9 },
];

const statusCommand = command({
  name: 'status',
  help: 'lists the owner of each wallet with the age of its lease, markets, capital and last reported result',
  config: 'trader',
  answer: async ({ config, io }) => {
    const { capitalMicros, wallets } = await withDatabase(config, io, readFleet);
    const capital = money(capitalMicros);
    const granted = money(wallets.reduce((sum, { grantedMicros }) => sum + grantedMicros, 0));
    const note =
      'Mode, orders, fills and money are as of each lease’s last renewal, so the totals mix different times.\n' +
      "Exact results are in each trader's ledger: run `twinbook pnl` with its configuration.\n";
    const sums = { cash: sumOf(wallets, 'cash'), worth: sumOf(wallets, 'equity'), result: sumOf(wallets, 'result') };
    const rows = wallets.map((row) => ({
      wallet: row.wallet,
      owner: row.holder,
      machine: row.machine,
      term: row.term,
      renewed_s_ago: row.renewedS,
      taken_s_ago: row.takenS,
      capital: money(row.grantedMicros),
      state: describeOwner(row),
      markets: row.markets,
      said: row.summary,
    }));
    return {
      data: { capital, granted, wallets: rows, sums },
      text: (width) =>
        `${table(wallets, STATUS, width)}\n${granted} of ${capital} total capital are granted to traders\n${record(Object.entries(sums))}${note}`,
    };
  },
});

/** Returns the sum of a figure; null if one figure is unknown, because a partial sum would look like the whole. */
function sumOf(rows: readonly WalletRow[], figure: 'cash' | 'equity' | 'result'): string | null {
  const texts = rows.map(({ summary }) => summary?.[figure] ?? null);
  if (texts.includes(null)) return null;
  // `formatDecimal` wrote these amounts, so they have at most six decimal places.
  return money(texts.reduce((sum, text) => sum + Math.round(Number(text) * 1e6), 0));
}

const releaseCommand = command({
  name: 'release',
  help: 'releases the wallet, markets and capital of a trader that has ended',
  config: 'trader',
  options: {
    reason: option.required('--reason <text>', "reason, stored in the fleet's database", option.nonEmpty),
    wallet: option.text('--wallet <address>', 'address of a wallet whose key is elsewhere; requires --unproven'),
    unproven: option.flag('--unproven', 'confirm that no order of that wallet rests at the venue'),
    timeout: option.integer('--timeout <s>', "maximum wait for the end of the owner's lease, s", [1, 3600], 120),
  },
  run: async ({ options: { reason, wallet, unproven, timeout }, config, io }) => {
    const fleet = fleetOf(config);
    if ((wallet !== undefined) !== (unproven === true)) {
      const hint =
        "Without both options, the configuration's wallet is released after a check that none of its orders rests.";
      throw new TwinbookError('usage', '--wallet and --unproven must be given together', hint);
    }
    const asked = new AbortController();
    void io.stopAsked().then(() => asked.abort());
    const endMs = performance.now() + timeout * 1000;
    const isStopping = () => asked.signal.aborted || performance.now() >= endMs;
    const waiting = { say: (said: string) => io.err(`${said}\n`), isStopping };
    if (wallet !== undefined) {
      const { wallets } = await withDatabase(config, io, readFleet);
      const known = wallets.map((row) => row.wallet);
      const hint = known.length === 0 ? 'The fleet has no wallet yet.' : `The fleet has ${known.join(', ')}.`;
      // Without this check, a lease of a mistyped wallet would be created and stay in the database.
      if (!known.includes(wallet)) throw new TwinbookError('usage', `the fleet has no wallet ${wallet}`, hint);
      return whileHeld({ ...waiting, wallet, fleet, io }, async ({ member }) => {
        await member.settle();
        await member.release(ZERO, reason);
      });
    }
    const { settleWallet } = await import('../shell/daemon/fleet-session.js');
    // The venue is opened first, because a process that cannot reach it must not take the lease on the wallet.
    await withVenue(config, io, (venue) =>
      whileHeld({ ...waiting, wallet: venue.wallet.address, fleet, io }, async (joined) => {
        if (!(await settleWallet(joined, venue, waiting)))
          throw new TwinbookError('timed_out', 'it is not proven that no order rests', 'Give a longer --timeout.');
        await joined.member.release(ZERO, reason);
      }),
    );
  },
});

type Join = Pick<Parameters<typeof FleetMember.join>[0], 'wallet' | 'say' | 'isStopping'>;
type FleetMembership = NonNullable<Awaited<ReturnType<typeof FleetMember.join>>>;

/** Runs `act` while this process holds the wallet's lease, so that no trader can take the wallet. */
async function whileHeld(
  { fleet, io, ...join }: Join & { fleet: FleetConfig; io: CliIo },
  act: (joined: FleetMembership) => Promise<void>,
): Promise<void> {
  const joined = await FleetMember.join({
    ...join,
    // With `standby`, `join` waits until the wallet's owner ends, even if the owner has the configured trader's name.
    config: { ...fleet, name: `release-${process.pid}`, standby: true },
    password: fleetPassword(io.env),
    capitalMicros: ZERO,
  });
  if (joined === null) {
    const hint = 'Stop the trader that owns the wallet, or give a longer --timeout.';
    throw new TwinbookError('timed_out', `the wallet ${join.wallet} was not free in time`, hint);
  }
  await act(joined).finally(() => joined.member.close());
  io.out(`the wallet ${join.wallet} is free; its markets and capital are returned to the fleet\n`);
}

export const addFleetCommands = command({
  name: 'fleet',
  help: 'manages traders on several machines: the owners of wallets, their markets and their capital',
  below: [initCommand, statusCommand, releaseCommand],
});
