/** `twinbook fleet`: the shared database of a fleet's traders, the owners of wallets, and results. */

import { formatDecimal } from '../shared/base/decimal.js';
import { TwinbookError } from '../shared/base/errors.js';
import { micros, ZERO } from '../shared/base/micros.js';
import type { FleetConfig, TraderConfig } from '../shell/config/config.js';
import { FleetDatabase, fleetPassword } from '../shell/fleet/database.js';
import { rulesOf } from '../shell/fleet/lease.js';
import { FleetMember } from '../shell/fleet/member.js';
import { type FleetState, initFleet, readFleet, type WalletRow } from '../shell/fleet/tables.js';
import {
  type Call,
  command,
  flag,
  group,
  integerBetween,
  nonEmpty,
  positiveAmount,
  required,
  text,
  usual,
} from './command.js';
import type { CliIo } from './output/io.js';
import { type Column, record, short, table } from './output/table.js';

const ANSWER_MS = 5_000;

/** The section of the trader's file. Throws TwinbookError `config_invalid` without one. */
function fleetOf({ fleet, file }: TraderConfig): FleetConfig {
  if (fleet !== null) return fleet;
  const hint = 'Wanted there: fleet: { database: "postgresql://USER@HOST:PORT/DATABASE", name: NAME }.';
  throw new TwinbookError('config_invalid', `${file} has no section \`fleet\``, hint);
}

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

const initCommand = command({
  name: 'init',
  help: "prepares the fleet's database, or alters the capital of all its traders together",
  config: 'trader',
  options: { capital: required('--capital <n>', 'currency that all traders together may use', positiveAmount) },
  run: ({ options: { capital }, config, io }) =>
    withDatabase(fleetOf(config), io, async (database) => {
      const what = (await initFleet(database, capital)) ? 'is prepared' : 'was prepared before';
      io.out(`${database.place} ${what}; all traders of the fleet together may use ${formatDecimal(capital)}\n`);
    }),
});

const readState = ({ config, io }: Pick<Call, 'config' | 'io'>): Promise<FleetState> =>
  withDatabase(fleetOf(config), io, readFleet);

const money = (value: number): string => formatDecimal(micros(value));

/** State of an owner by its last renewal, on the database's clock alone. */
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
  { title: 'mode', cell: ({ summary }) => summary?.mode ?? null, keep: 8 },
  { title: 'orders', cell: ({ summary }) => summary?.openOrders ?? null, right: true, keep: 5 },
  { title: 'fills', cell: ({ summary }) => summary?.fills ?? null, right: true, keep: 4 },
  { title: 'cash', cell: ({ summary }) => summary?.cash ?? null, right: true, keep: 7 },
  { title: 'worth', cell: ({ summary }) => summary?.equity ?? null, right: true, keep: 6 },
  { title: 'result', cell: ({ summary }) => summary?.result ?? null, right: true, keep: 9 },
];

const statusCommand = command({
  name: 'status',
  help: 'who owns which wallet, since when, with which markets and capital, and the result that it reported last',
  config: 'trader',
  answer: async (call) => {
    const { capitalMicros, wallets } = await readState(call);
    const capital = money(capitalMicros);
    const granted = money(wallets.reduce((sum, { grantedMicros }) => sum + grantedMicros, 0));
    const sums = { cash: sumOf(wallets, 'cash'), worth: sumOf(wallets, 'equity'), result: sumOf(wallets, 'result') };
    const state = (row: WalletRow) => ({ state: describeOwner(row), markets: row.markets, said: row.summary });
    const note =
      'Mode, orders, fills and money are from each last renewal, so the sums are of different moments.\n' +
      "The books are in each trader's ledger: `twinbook pnl` there.\n";
    return {
      data: { capital, granted, wallets: wallets.map((row) => ({ ...toJson(row), ...state(row) })), sums },
      text: (width) =>
        `${table(wallets, STATUS, width)}\n${granted} of ${capital} capital are granted\n${record(Object.entries(sums))}${note}`,
    };
  },
});

const toJson = ({ wallet, holder, machine, term, renewedS, takenS, grantedMicros }: WalletRow) => ({
  wallet,
  owner: holder,
  machine,
  term,
  renewed_s_ago: renewedS,
  taken_s_ago: takenS,
  capital: money(grantedMicros),
});

/** Null when one is unknown: a partial sum would be taken for the whole. */
function sumOf(rows: readonly WalletRow[], figure: 'cash' | 'equity' | 'result'): string | null {
  const texts = rows.map(({ summary }) => summary?.[figure] ?? null);
  if (texts.includes(null)) return null;
  // Written by `formatDecimal`: decimals of at most six places.
  return money(texts.reduce((sum, text) => sum + Math.round(Number(text) * 1e6), 0));
}

const releaseCommand = command({
  name: 'release',
  help: 'releases the wallet, markets and capital of a trader that has ended',
  config: 'trader',
  options: {
    reason: required('--reason <text>', 'kept in the fleet', nonEmpty),
    wallet: text('--wallet <address>', 'of a wallet whose key is not here; wants --unproven'),
    unproven: flag('--unproven', 'confirm that no order of that wallet rests at the venue'),
    timeout: usual('--timeout <s>', 'for its owner to renew no more, s', 120, integerBetween(1, 3600)),
  },
  run: async ({ options: { reason, wallet, unproven, timeout }, config, io }) => {
    const fleet = fleetOf(config);
    if ((wallet !== undefined) !== (unproven === true)) {
      const hint = 'Without both, the wallet of the file is released after its own key has shown that nothing rests.';
      throw new TwinbookError('usage', '--wallet and --unproven belong together', hint);
    }
    const waiting = { say: (said: string) => io.err(`${said}\n`), isStopping: stopsAfter(timeout, io) };
    if (wallet !== undefined) {
      requireKnown(wallet, await readState({ config, io }));
      return whileHeld({ ...waiting, wallet, fleet, io }, async ({ member }) => {
        await member.settle();
        await member.release(ZERO, reason);
      });
    }
    const [{ settleWallet }, { withVenue }] = await Promise.all([
      import('../shell/daemon/fleet-session.js'),
      import('./venue-session.js'),
    ]);
    // The venue first: a trader that cannot reach it must not take the wallet.
    await withVenue(config, io, (venue) =>
      whileHeld({ ...waiting, wallet: venue.wallet.address, fleet, io }, async (joined) => {
        const place = { ...venue, profile: config.venue.profile };
        if (!(await settleWallet(joined, place, { config, ...waiting }))) {
          throw new TwinbookError('timed_out', 'not proven in time that nothing rests', 'Give it more --timeout.');
        }
        await joined.member.release(ZERO, reason);
      }),
    );
  },
});

/** A mistyped wallet would be taken and released like an existing one, whose lock would then stay. */
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

/** Takes the lease like a trader, so that no trader has it meanwhile. */
async function whileHeld(
  { wallet, fleet, say, isStopping, io }: Holding,
  act: (joined: Joined) => Promise<void>,
): Promise<void> {
  const joined = await FleetMember.join({
    // Waits for its owner, even a trader of this name.
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

/** True after the time, or once the user asked to stop. */
function stopsAfter(seconds: number, io: CliIo): () => boolean {
  let isAsked = false;
  void io.stopAsked().then(() => {
    isAsked = true;
  });
  const endMs = performance.now() + seconds * 1000;
  return () => isAsked || performance.now() >= endMs;
}

export const addFleetCommands = group(
  'fleet',
  'several traders on several machines: who owns which wallet, which markets, how much capital',
  initCommand,
  statusCommand,
  releaseCommand,
);
