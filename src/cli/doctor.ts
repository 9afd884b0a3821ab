/** Command `twinbook doctor`: prints one line per check, with advice for each failure. */

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { WalletSignatures } from '../exchange/service/wallet-signatures.js';
import { TwinbookError } from '../shared/base/errors.js';
import { openToOthers } from '../shared/base/files.js';
import { micros, ONE } from '../shared/base/micros.js';
import { writeDraftMessage } from '../shared/protocol/drafts/draft-message.js';
import type { DraftTerms } from '../shared/protocol/drafts/draft-text.js';
import type { ServiceClient } from '../shell/client/client.js';
import type { ClientAnswer } from '../shell/client/contract.js';
import type { Config } from '../shell/config/config.js';
import { loadConfig } from '../shell/config/load.js';
import { signingRules } from '../shell/wallet/draft-signer.js';
import { isSealedKeyFile } from '../shell/wallet/key-file.js';
import type { Wallet } from '../shell/wallet/wallet.js';
import { command } from './command.js';
import { type CliIo, EXIT, findExitCode } from './io.js';
import { compareClocks, findCredentials, openWallet, requireAnswer, withClient } from './reach.js';
import { json, prose } from './table.js';

export const addDoctorCommand = command({
  name: 'doctor',
  help: 'checks configuration, data folder, key, credentials, clock, signing and request budget',
  config: 'file',
  hasJson: true,
  run: async ({ file, isJson, io }) => {
    const checks: DoctorCheck[] = [];
    const note: Note = (check) => {
      checks.push(check);
      if (isJson) return;
      const { name, result, text, hint } = check;
      const width = (io.columns ?? Number.POSITIVE_INFINITY) - INDENT.length;
      const fold = (said: string) => prose(said, width).replaceAll('\n', `\n${INDENT}`);
      io.out(`${result.padEnd(4)}  ${fold(`${name}: ${text}`)}\n${hint === '' ? '' : `${INDENT}${fold(hint)}\n`}`);
    };
    const config = await loadConfig(file, io).catch((error: unknown) => {
      note(failCheck('configuration', error));
      return findExitCode(error);
    });
    if (typeof config !== 'number') {
      const { strategies, configHash, ledger } = config;
      const text = `${config.file}, ${strategies.length} strategy file(s), hash ${configHash.slice(0, 12)}`;
      const hint = 'The configuration lists no strategy file: the trader would quote nothing.';
      note(strategies.length > 0 ? ok('configuration', text) : warn('configuration', text, hint));
      note(folderCheck(dirname(ledger.path)));
      await checkVenue(config, io, await walletCheck(config, io, note), note);
    }
    if (isJson) io.out(json(checks));
    if (typeof config === 'number') return config;
    return checks.some(({ result }) => result === 'fail') ? EXIT.failed : EXIT.ok;
  },
});

type Note = (check: DoctorCheck) => void;

const INDENT = ' '.repeat(6);

/** Checks whether files can be created in the folder, or in the nearest parent of a missing folder. */
function folderCheck(folder: string): DoctorCheck {
  const name = 'data folder';
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
    if (!statSync(existing).isDirectory()) throw new Error('not a folder');
  } catch {
    return fail(name, `${existing} is not a writable folder`, 'Change its permissions or ledger.path.');
  }
  const open = existing === folder ? openToOthers(folder) : null;
  if (open !== null) return warn(name, open.text, open.hint);
  return ok(name, existing === folder ? `${folder} is writable` : `the first start creates ${folder}`);
}

/** Checks the wallet. Returns the wallet's address; null if the wallet file is not usable. */
async function walletCheck(config: Config, io: CliIo, note: Note): Promise<string | null> {
  const { file } = config.wallet;
  const isPaper = config.venue.name === 'paper';
  if (!existsSync(file)) {
    const text = `there is no wallet file ${file}`;
    if (isPaper) note(warn('wallet', text, 'The first start creates the wallet file.'));
    else note(fail('wallet', text, 'Create a wallet file with `twinbook keys create --file` or `keys import`.'));
    return null;
  }
  try {
    const wallet = await openWallet(config, io);
    const { address } = wallet;
    const sealed = isSealedKeyFile(file) ? ', sealed under a passphrase' : '';
    const hint = `Seal a copy: \`twinbook keys import --from ${file} --to FILE\` with a passphrase, then use that file.`;
    // A wallet of the paper exchange holds nothing of value, so its key may be unencrypted.
    if (sealed !== '' || isPaper) note(ok('wallet', `${address}${sealed}, file readable by its owner only`));
    else note(warn('wallet', `${address}, but the key is not encrypted in ${file}`, hint));
    note(draftsCheck(wallet, config.venue));
    return address;
  } catch (error) {
    note(failCheck('wallet', error));
    return null;
  }
}

async function checkVenue(config: Config, io: CliIo, wallet: string | null, note: Note) {
  const { exchange, venue } = config;
  let name = 'credentials';
  try {
    const credentials = wallet === null ? null : await findCredentials(config, wallet, io.env);
    note(credentialsCheck(config, credentials !== null));
    name = 'venue';
    await withClient(config, credentials, async (client, url) => {
      const listed = await client.call('markets.list', { query: { limit: 1 } });
      requireAnswer(listed, 'its markets');
      note(ok('venue', `${url} answers`));
      note(clockCheck(client, venue.profile.clock_tolerance_s));
      note(budgetCheck(listed));
      if (credentials === null) return;
      name = 'signed call';
      const signed = await client.call('orders.list', { query: { limit: 1 } });
      requireAnswer(signed, 'own orders');
      note(ok('signed call', 'the venue accepted a signed request'));
      note(budgetCheck(signed));
    });
  } catch (error) {
    const wasNeverRun = exchange?.embedded === true && !existsSync(exchange.dataDir);
    note(wasNeverRun ? ok('venue', 'the first start creates the embedded exchange') : failCheck(name, error));
  }
}

function credentialsCheck({ wallet, venue, exchange }: Config, found: boolean): DoctorCheck {
  if (found) return ok('credentials', `API credentials found for ${venue.profile.base_url}`);
  const text = `no API credentials for this wallet at ${venue.profile.base_url} in ${wallet.credentials}`;
  if (exchange?.embedded === true || venue.name === 'paper')
    return warn('credentials', text, 'The first start creates the credentials.');
  return fail('credentials', text, 'Create credentials with `twinbook keys bootstrap`, with the same -c FILE.');
}

function clockCheck(client: ServiceClient, toleranceS: number): DoctorCheck {
  const apart = compareClocks(client);
  if (apart === null) {
    const hint = 'Keep this clock synchronised: a wrong clock makes signed calls fail.';
    return warn('clock', 'the venue did not report its time', hint);
  }
  if (apart.agrees) return ok('clock', `this clock agrees with the venue's clock as far as measurable`);
  const text = `${apart.text} (the venue accepts ${toleranceS} s); signed calls are corrected for the difference`;
  return warn('clock', text, 'Synchronise this clock (NTP): logs and schedules use it.');
}

function budgetCheck({ budget }: ClientAnswer): DoctorCheck {
  if (budget === null) return warn('request budget', 'the venue did not report the remaining requests');
  return ok(`request budget (${budget.scope})`, `${budget.remaining} of ${budget.limit} requests left in this minute`);
}

const DAMAGED = 'This installation is damaged: install it again, and do not trade with it.';
/** A well-formed pubkey that belongs to no account. */
const EXAMPLE = '1'.repeat(32);
const DRAFTS: readonly DraftTerms[] = [
  { action: 'place-order', isYes: true, side: 'buy', type: 'limit', price: micros(500_000), amount: ONE },
  { action: 'cancel-order', orderPubkey: EXAMPLE },
  { action: 'merge-shares', amount: ONE },
  { action: 'split-shares', amount: ONE },
  { action: 'redeem-shares', yes: ONE, no: ONE },
  { action: 'open-margin-position', isYes: true, leverage: ONE, type: 'market', funds: ONE },
];

/** Signs an expired draft of each action, without effect at a venue. Another implementation verifies the signatures. */
function draftsCheck(wallet: Wallet, { profile, allowBlindSigning }: Config['venue']): DoctorCheck {
  const name = 'draft signing';
  const { draft_message: format, service_name: serviceName, draft_cosigners: cosigners } = profile;
  const signatures = new WalletSignatures(format);
  for (const terms of DRAFTS) {
    const draft = { serviceName, marketConditionId: EXAMPLE, draftPubkey: EXAMPLE, expires: 0, terms };
    const message = writeDraftMessage(format, draft, wallet.address, cosigners);
    const policy = {
      ...signingRules(profile, allowBlindSigning),
      loadDraft: () => ({ ...draft, intentId: '', message }),
    };
    const result = wallet.draftSigner(policy).sign('');
    if (!result.ok) return fail(name, `${terms.action}: ${result.reason}`, 'Correct the venue profile.');
    if (!signatures.signsDraft(wallet.address, message, result.signature))
      return fail(name, `${terms.action}: the signature is wrong`, DAMAGED);
  }
  return ok(name, `${DRAFTS.length} drafts, one of each kind, signed and verified`);
}

/** `hint`: advice for the operator; empty if none is needed. */
type DoctorCheck = Readonly<{ name: string; result: 'ok' | 'warn' | 'fail'; text: string; hint: string }>;

const ok = (name: string, text: string): DoctorCheck => ({ name, result: 'ok', text, hint: '' });
const warn = (name: string, text: string, hint = ''): DoctorCheck => ({ name, result: 'warn', text, hint });
const fail = (name: string, text: string, hint: string): DoctorCheck => ({ name, result: 'fail', text, hint });

function failCheck(name: string, error: unknown): DoctorCheck {
  if (!(error instanceof TwinbookError)) throw error;
  return fail(name, error.message, error.hint);
}
