/** Command `twinbook keys`. Its subcommands read secrets from files and the environment, never from arguments. */

import { resolve } from 'node:path';
import { TwinbookError } from '../shared/base/errors.js';
import { utcText } from '../shared/base/text.js';
import { type AddCommand, command } from './command.js';
import type { CliIo } from './io.js';
import * as option from './options.js';
import { findCredentials, findNamed, openWallet, ownerOf, requireAnswer, withClient, withVenue } from './reach.js';
import { type TableColumn, table } from './table.js';

const plain = option.flag('--plain-text-key', 'store the key unencrypted: every reader of the file has the key');

const createCommand = command({
  name: 'create',
  help: 'creates a new wallet file; never overwrites a file',
  options: { file: option.required('--file <file>', 'path of the new wallet file'), plain },
  answer: async ({ options, io }) => {
    const { createKeyFile } = await import('../shell/wallet/key-file.js');
    const passphrase = await sealingPassphrase(options.plain, io);
    const file = resolve(io.cwd, options.file);
    const { address } = createKeyFile({ path: file, passphrase });
    return { data: { address, file, sealed: passphrase !== null }, text: `${address}\n` };
  },
});

const importCommand = command({
  name: 'import',
  help: 'copies a key (Solana id.json, base58, hex, or another wallet file) into a new wallet file',
  options: {
    from: option.required('--from <file>', 'file with the key; its mode must be 0600'),
    to: option.required('--to <file>', 'path of the new wallet file'),
    plain,
  },
  run: async ({ options: { from, to, plain: isPlain }, io }) => {
    const { importKeyFile } = await import('../shell/wallet/key-file.js');
    const passphrase = await sealingPassphrase(isPlain, io);
    const { address } = importKeyFile(resolve(io.cwd, from), { path: resolve(io.cwd, to), passphrase });
    io.out(`${address}\n`);
  },
});

const showCommand = command({
  name: 'show',
  help: "prints the wallet's address, and no secret",
  config: 'trader',
  answer: async ({ config, io }) => {
    const { address } = await openWallet(config, io);
    return { data: { address, file: config.wallet.file }, text: `${address}\n` };
  },
});

/** Returns the passphrase of a new wallet file; null for an unencrypted key, which the user must request explicitly. */
async function sealingPassphrase(isPlain: true | undefined, io: CliIo): Promise<string | null> {
  const { walletPassphrase } = await import('../shell/wallet/key-file.js');
  const passphrase = walletPassphrase(io.env);
  if (passphrase !== null && isPlain === true) {
    const hint = 'Leave out --plain-text-key, or unset TWINBOOK_WALLET_PASSPHRASE and TWINBOOK_WALLET_PASSPHRASE_FILE.';
    throw new TwinbookError('usage', '--plain-text-key was given, but the environment sets a passphrase', hint);
  }
  if (passphrase !== null || isPlain === true) return passphrase;
  const hint =
    'Set TWINBOOK_WALLET_PASSPHRASE_FILE to a file with mode 0600 (and keep that file), or give --plain-text-key for a key that controls no money.';
  throw new TwinbookError('key_invalid', 'no passphrase is set to encrypt the new wallet file', hint);
}

const bootstrapCommand = command({
  name: 'bootstrap',
  help: 'creates API credentials by proving control of the wallet, and stores them in a file of mode 0600',
  config: 'trader',
  answer: async ({ config, io }) => {
    const wallet = await openWallet(config, io);
    const { loadCredentials, rewriteCredentials, saveCredentials } = await import('../shell/wallet/key-file.js');
    const file = config.wallet.credentials;
    const owner = ownerOf(config, wallet.address);
    // The venue shows a key's secret only once, so the credentials file is read and written before the key is created.
    loadCredentials(file, owner, {});
    rewriteCredentials(file);
    const apiKey = await withClient(config, null, async (client) => {
      const credentials = await client.bootstrap(wallet);
      saveCredentials(file, owner, credentials);
      return credentials.apiKey;
    });
    return { data: { api_key: apiKey, file }, text: `${apiKey}\nstored in ${file}\n` };
  },
});

const listCommand = command({
  name: 'list',
  help: "lists the account's API keys at the venue",
  config: 'trader',
  answer: async ({ config, io }) => {
    const rows = await withVenue(config, io, async ({ client, wallet }) => {
      // `here`: whether this trader's credentials file has the secret of the key.
      const here = (await findCredentials(config, wallet.address, io.env))?.apiKey;
      const listed = requireAnswer(await client.call('keys.list', {}), 'the API keys');
      return listed.map((row) => ({ ...row, here: row.key_id === here }));
    });
    const columns: readonly TableColumn<(typeof rows)[number]>[] = [
      { title: 'KEY', cell: (row) => row.key_id },
      { title: 'HERE', cell: (row) => (row.here ? 'yes' : null) },
      { title: 'CREATED (UTC)', cell: (row) => utcText(row.created * 1000) },
      { title: 'REVOKED (UTC)', cell: (row) => (row.revoked_at === null ? null : utcText(row.revoked_at * 1000)) },
    ];
    return { data: rows, text: (width) => table(rows, columns, width) };
  },
});

const revokeCommand = command({
  name: 'revoke',
  help: 'revokes an API key, and removes the key from the credentials file',
  args: [['<id>', 'id of the key in `keys list`, or the id’s beginning']],
  config: 'trader',
  answer: async ({ config, args: [typed = ''], io }) => {
    const { forgetCredentials } = await import('../shell/wallet/key-file.js');
    const row = await withVenue(config, io, async ({ client, wallet }) => {
      // If the venue does not list the keys, a complete id can still be revoked.
      const { outcome } = await client.call('keys.list', {});
      const named = outcome.kind === 'answered' ? outcome.data.map(({ key_id }) => ({ id: key_id })) : [];
      const id = findNamed(typed, named, 'keys') ?? typed;
      const revoked = requireAnswer(await client.call('keys.revoke', { params: { key_id: id } }), `revoking ${id}`);
      // The file has the only copy of the key's secret, so the secret stays in it while the key may be valid.
      if (revoked.revoked_at === null) {
        const hint = 'Try again; `twinbook keys list` shows the keys that the venue still accepts.';
        throw new TwinbookError('venue_refused', `the venue answered, but key ${id} is not revoked`, hint);
      }
      // Only credentials in the file can be removed, so credentials in the environment are not read.
      if ((await findCredentials(config, wallet.address, {}))?.apiKey === id)
        forgetCredentials(config.wallet.credentials, ownerOf(config, wallet.address));
      return revoked;
    });
    return { data: row, text: `${row.key_id} is revoked\n` };
  },
});

export const addKeysCommands: AddCommand = (program, session) =>
  command({
    name: 'keys',
    help: 'manages the wallet file and API credentials',
    below: [createCommand, importCommand, showCommand, bootstrapCommand, listCommand, revokeCommand],
  })(program, session).addHelpText(
    'after',
    `
The passphrase of the wallet file comes from TWINBOOK_WALLET_PASSPHRASE or the file that TWINBOOK_WALLET_PASSPHRASE_FILE
names. Without a passphrase no wallet file is created, unless --plain-text-key permits an unencrypted key. Credentials
may also come from TWINBOOK_API_KEY and TWINBOOK_API_SECRET.`,
  );
