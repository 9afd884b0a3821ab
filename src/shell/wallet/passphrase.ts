/** The wallet's passphrase, from the environment or a file with mode 0600. Never an argument. */

import { readPrivateFile } from './private-file.js';
import { secrets } from './secrets.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The passphrase from `TWINBOOK_WALLET_PASSPHRASE`, else from the file named by `TWINBOOK_WALLET_PASSPHRASE_FILE`
 * (without its last line break); null when neither is set. Throws TwinbookError as `readPrivateFile`.
 */
export function walletPassphrase(environment: Environment = process.env): string | null {
  const passphrase = readPassphrase(environment);
  if (passphrase !== null) secrets.hide(passphrase);
  return passphrase;
}

function readPassphrase(environment: Environment): string | null {
  const direct = environment['TWINBOOK_WALLET_PASSPHRASE'];
  if (direct !== undefined && direct !== '') return direct;
  const path = environment['TWINBOOK_WALLET_PASSPHRASE_FILE'];
  if (path === undefined || path === '') return null;
  return readPrivateFile(path, 'the passphrase file').replace(/\r?\n$/, '');
}
