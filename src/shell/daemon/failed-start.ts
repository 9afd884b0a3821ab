/**
 * Clean-up when the start fails or the normal shutdown cannot run: orders of the previous run may rest, and no other process
 * cancels them. It cancels directly at the exchange with the key and the credentials that exist; it creates neither. It is
 * not used when the configuration, the venue or another trader is the reason of the failure.
 */

import { existsSync } from 'node:fs';
import { messageOf, TwinbookError } from '../../shared/base/errors.js';
import { ServiceClient } from '../client/client.js';
import type { Environment } from '../config/environment.js';
import type { Config } from '../config/types.js';
import { loadCredentials } from '../wallet/credentials.js';
import { openKeyFile, walletPassphrase } from '../wallet/key-file.js';
import { cancelUntilNothingRests } from './direct-cancel.js';

/** Error codes of a full, failing or read-only disk, from Node and SQLite. */
const DISK = /^(EIO|ENOSPC|EDQUOT|EROFS|EFBIG|SQLITE_FULL|SQLITE_READONLY.*|SQLITE_IOERR.*)$/;

/**
 * Time limit of canceling without a usable ledger, the pause between two attempts, and the pause between the
 * two rounds that must agree, ms: an interrupted request has arrived by then.
 */
export const PATIENCE = { withinMs: 90_000, pauseMs: 3_000 };

export interface FailedStart {
  readonly config: Config;
  readonly env: Environment;
  readonly say: (text: string) => void;
}

/** True for a broken ledger, a failing disk and a bug: resting orders would be left unattended. */
export function leavesOrdersBehind(error: unknown): boolean {
  if (!(error instanceof TwinbookError) || error.code === 'ledger_broken') return true;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && DISK.test(String(cause.code))) return true;
  }
  return false;
}

/** Cancels resting orders and reports the result. Never throws. */
export async function cancelLeftovers(start: FailedStart): Promise<void> {
  const { config, say } = start;
  // An embedded exchange ends with this process.
  if (config.exchange?.embedded === true) return;
  try {
    const canceled = await cancelWithWhatIsThere(start);
    if (canceled === null) return;
    say(canceled ? 'every order was canceled without the ledger; nothing rests at the exchange' : MAY_REST);
  } catch (error) {
    say(`${MAY_REST} (${messageOf(error)})`);
  }
}

const MAY_REST = 'orders may still rest: run `twinbook cancel-all --verify`';

/** Whether nothing rests; null when this trader never had access to the exchange. */
async function cancelWithWhatIsThere({ config, env }: FailedStart): Promise<boolean | null> {
  const { file, credentials: credentialsFile } = config.wallet;
  if (!existsSync(file)) return null;
  const wallet = openKeyFile({ path: file, passphrase: walletPassphrase(env) });
  const { profile, allowBlindSigning } = config.venue;
  const owner = { baseUrl: profile.base_url, wallet: wallet.address };
  const credentials = loadCredentials(credentialsFile, owner, env);
  if (credentials === null) return null;
  const client = new ServiceClient({ profile, credentials });
  try {
    return (await cancelUntilNothingRests({ client, wallet, profile, allowBlindSigning }, PATIENCE)).verified;
  } finally {
    await client.close();
  }
}
