/** The wallet that a trader signs with: the one that its ledger belongs to. */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { TwinbookError } from '../../shared/base/errors.js';
import type { Ledger } from '../../trader/ledger/contract.js';
import type { Config } from '../config/types.js';
import { createKeyFile, isSealedKeyFile, openKeyFile } from '../wallet/key-file.js';
import { walletPassphrase } from '../wallet/passphrase.js';
import type { Wallet } from '../wallet/wallet.js';

/** Profile whose wallet and credentials may be created without confirmation: its money is not real. */
export const PAPER = 'paper';

type Env = Readonly<Record<string, string | undefined>>;

interface OwnLedger {
  readonly ledger: Ledger;
  readonly say: (text: string) => void;
}

/** The ledger's note of its wallet. */
const WALLET_NOTE = 'wallet';
/** Length of the visible part of an address. */
const SHOWN_LENGTH = 6;

/** Content of the note: prefix of the address and a digest, because journals with copies of the ledger are shared. */
const markOf = (address: string): string =>
  `${address.slice(0, SHOWN_LENGTH)} ${createHash('sha256').update(address).digest('hex')}`;

/** Throws TwinbookError for a wallet that is not the ledger's, before any request or signature. */
export function openOwnWallet(config: Config, env: Env, { ledger, say }: OwnLedger): Wallet {
  const { file } = config.wallet;
  const own = ledger.note(WALLET_NOTE);
  const name = `${own?.slice(0, SHOWN_LENGTH)}…`;
  const hint = `Put the wallet file of ${name} back (wallet.file; \`twinbook keys show\` says whose one is), or give this wallet a ledger of its own (ledger.path).`;
  const refuse = (what: string): never => {
    throw new TwinbookError('key_invalid', `the ledger ${config.ledger.path} is of wallet ${name}, and ${what}`, hint);
  };
  if (own !== null && !existsSync(file)) refuse(`there is no wallet file ${file}`);
  const wallet = openWallet(config, env, say);
  const mark = markOf(wallet.address);
  if (own !== null && own !== mark) refuse(`${file} is of ${wallet.address}`);
  if (own === null) ledger.transaction(() => ledger.setNote(WALLET_NOTE, mark));
  return wallet;
}

function openWallet(config: Config, env: Env, say: (text: string) => void): Wallet {
  const path = config.wallet.file;
  const passphrase = walletPassphrase(env);
  const isPaper = config.venue.name === PAPER;
  if (existsSync(path)) {
    if (!isPaper && !isSealedKeyFile(path))
      say(`warning: the key in ${path} is not sealed: who reads that file has it`);
    return openKeyFile({ path, passphrase });
  }
  if (!isPaper) {
    const hint = 'Make one with `twinbook keys create`, or import one with `twinbook keys import`.';
    throw new TwinbookError('file_unreadable', `there is no wallet file ${path}`, hint);
  }
  const wallet = createKeyFile({ path, passphrase });
  say(`made a new paper wallet ${wallet.address} in ${path}`);
  return wallet;
}
