/** `twinbook fleet release`: what a trader that is gone had of the fleet, given back once nothing of its rests. */

import { TwinbookError } from '../shared/base/errors.js';
import { ZERO } from '../shared/base/micros.js';
import { loadTraderConfig, type TraderConfig } from '../shell/config/load.js';
import { settleWallet } from '../shell/daemon/fleet/settle-wallet.js';
import { FleetMember } from '../shell/fleet/member.js';
import { fleetPassword } from '../shell/fleet/password.js';
import type { FleetState } from '../shell/fleet/read-fleet.js';
import { type ReleaseFlags, requireFleet } from './fleet-flags.js';
import { EXIT, type ExitCode } from './output/exit.js';
import type { CliIo } from './output/io.js';
import { withVenue } from './venue-session.js';

/** @param readState reads the fleet as it is now */
export async function releaseWallet(
  flags: ReleaseFlags,
  io: CliIo,
  readState: () => Promise<FleetState>,
): Promise<ExitCode> {
  const config = loadTraderConfig(flags.config, io);
  requireFleet(config);
  const isElsewhere = flags.wallet !== undefined;
  if (isElsewhere !== (flags.unproven === true)) {
    const hint = 'Without both, the wallet of the file is released after its own key has shown that nothing rests.';
    throw new TwinbookError('usage', '--wallet and --unproven belong together', hint);
  }
  const waiting = { say: (text: string) => io.err(`${text}\n`), isStopping: stopsAfter(flags.timeout, io), io };
  if (flags.wallet !== undefined) {
    requireKnown(flags.wallet, await readState());
    await whileHeld(flags.wallet, config, waiting, async (member) => {
      await member.settle();
      await member.release(ZERO, flags.reason);
    });
    return EXIT.ok;
  }
  // The venue first: whoever cannot ask it must not take the wallet.
  await withVenue(config, io, (venue) =>
    whileHeld(venue.wallet.address, config, waiting, async (member, isSettled) => {
      const joined = { member, isSettled };
      const place = { ...venue, profile: config.venue.profile };
      if (!(await settleWallet(joined, place, { config, ...waiting }))) {
        throw new TwinbookError('timed_out', 'not proven in time that nothing rests', 'Give it more --timeout.');
      }
      await member.release(ZERO, flags.reason);
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

/** Takes the lease as a trader would, so that no trader has it meanwhile. */
async function whileHeld(
  address: string,
  config: TraderConfig,
  waiting: Waiting,
  act: (member: FleetMember, isSettled: boolean) => Promise<void>,
): Promise<void> {
  const joined = await joinAs(address, config, waiting);
  if (joined === null) {
    const hint = 'Stop its trader, or give this more time with --timeout.';
    throw new TwinbookError('timed_out', `the wallet ${address} was not free in time`, hint);
  }
  try {
    await act(joined.member, joined.isSettled);
  } finally {
    await joined.member.close();
  }
  waiting.io.out(`${address} is free; its markets and capital are the fleet's again\n`);
}

interface Waiting {
  readonly say: (text: string) => void;
  readonly isStopping: () => boolean;
  readonly io: CliIo;
}

function joinAs(wallet: string, config: TraderConfig, { say, isStopping, io }: Waiting) {
  const fleet = requireFleet(config);
  return FleetMember.join({
    // Whoever has it is waited for, also a trader of this very name.
    config: { ...fleet, name: `release-${process.pid}`, standby: true },
    wallet,
    password: fleetPassword(io.env),
    capitalMicros: ZERO,
    say,
    isStopping,
  });
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
