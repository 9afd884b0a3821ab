/** Command `twinbook doctor`: prints one line per check, with advice for each failure. */

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { signedRequestReport } from '../exchange/http/authentication.js';
import { WalletSignatures } from '../exchange/service/wallet-signatures.js';
import { TwinbookError } from '../shared/base/errors.js';
import { openToOthers } from '../shared/base/files.js';
import { micros, ONE } from '../shared/base/micros.js';
import { parseJson } from '../shared/base/text.js';
import { writeDraftMessage } from '../shared/protocol/drafts/draft-message.js';
import type { DraftTerms } from '../shared/protocol/drafts/draft-text.js';
import type { Declaration } from '../shared/protocol/endpoints.js';
import type { VenueProfile } from '../shared/protocol/profile.js';
import { requestSignature } from '../shared/protocol/signing.js';
import type { ServiceClient } from '../shell/client/client.js';
import type { ClientAnswer } from '../shell/client/contract.js';
import { checkedBaseUrl, writeHeaders, writeMessage } from '../shell/client/message.js';
import { Transport } from '../shell/client/transport.js';
import type { Config } from '../shell/config/config.js';
import { loadConfig } from '../shell/config/load.js';
import { signingRules } from '../shell/wallet/draft-signer.js';
import type { Credentials } from '../shell/wallet/key-file.js';
import type { Wallet } from '../shell/wallet/wallet.js';
import { command } from './command.js';
import { type CliIo, EXIT, type ExitCode, findExitCode } from './io.js';
import { compareClocks, findCredentials, openWallet, requireAnswer, withClient } from './reach.js';
import { json, prose } from './table.js';

export const addDoctorCommand = command({
  name: 'doctor',
  help: 'checks configuration, data folder, key, credentials, clock, signing and request budget',
  config: 'file',
  hasJson: true,
  run: async ({ file, isJson, io }) => {
    const checks: DoctorCheck[] = [];
    const note = (check: DoctorCheck): void => {
      checks.push(check);
      if (!isJson) io.out(checkText(check, io.columns));
    };
    const code = await checkEverything(file, io, note);
    if (isJson) io.out(json(checks));
    return code ?? (checks.some(({ result }) => result === 'fail') ? EXIT.failed : EXIT.ok);
  },
});

/** Performs all checks of `twinbook doctor`. Returns an exit code if the configuration cannot be loaded; else null. */
async function checkEverything(file: string, io: CliIo, note: (check: DoctorCheck) => void): Promise<ExitCode | null> {
  let config: Config;
  try {
    config = await loadConfig(file, io);
  } catch (error) {
    note(failCheck('configuration', error));
    return findExitCode(error);
  }
  note(configurationCheck(config));
  note(folderCheck('data folder', dirname(config.ledger.path)));
  note(signingCheck());
  for (const check of await checkVenue(config, io, await walletCheck(config, io, note))) note(check);
  return null;
}

function checkText({ name, result, text, hint }: DoctorCheck, width = Number.POSITIVE_INFINITY): string {
  const below = (said: string) => prose(said, width - INDENT.length).replaceAll('\n', `\n${INDENT}`);
  return `${result.padEnd(4)}  ${below(`${name}: ${text}`)}\n${hint === '' ? '' : `${INDENT}${below(hint)}\n`}`;
}

const INDENT = ' '.repeat(6);

function configurationCheck(config: Config): DoctorCheck {
  const text = `${config.file}, ${config.strategies.length} strategy file(s), configuration hash ${config.configHash.slice(0, 12)}`;
  if (config.strategies.length > 0) return ok('configuration', text);
  return warn('configuration', text, 'The configuration lists no strategy file: the trader would quote nothing.');
}

/** Checks whether files can be created in the folder, or in the nearest parent of a missing folder. */
function folderCheck(name: string, folder: string): DoctorCheck {
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
    if (!statSync(existing).isDirectory()) throw new Error('not a folder');
  } catch {
    return fail(name, `${existing} is not a writable folder`, "Change the folder's permissions or ledger.path.");
  }
  const open = existing === folder ? openToOthers(folder) : null;
  if (open !== null) return warn(name, open.text, open.hint);
  return ok(name, existing === folder ? `${folder} is writable` : `the first start creates ${folder}`);
}

/** Checks the wallet. Returns the wallet's address; null if the wallet file is not usable. */
async function walletCheck(config: Config, io: CliIo, note: (check: DoctorCheck) => void): Promise<string | null> {
  const { file } = config.wallet;
  if (!existsSync(file)) {
    const text = `there is no wallet file ${file}`;
    if (existsSync(config.ledger.path)) note(fail('wallet', text, 'Put it back: the ledger belongs to one wallet.'));
    else if (config.venue.name === 'paper') note(warn('wallet', text, 'The first start creates the wallet file.'));
    else note(fail('wallet', text, 'Create a wallet file with `twinbook keys create --file` or `keys import`.'));
    return null;
  }
  try {
    const wallet = await openWallet(config, io);
    const { address } = wallet;
    const { isSealedKeyFile } = await import('../shell/wallet/key-file.js');
    const sealed = isSealedKeyFile(file) ? ', encrypted with a passphrase' : '';
    const hint = `Encrypt a copy: \`twinbook keys import --from ${file} --to FILE\` with a passphrase, then use that file.`;
    // A wallet of the paper exchange holds nothing of value, so its key may be unencrypted.
    if (sealed !== '' || config.venue.name === 'paper')
      note(ok('wallet', `${address}${sealed}, wallet file readable by its owner only`));
    else note(warn('wallet', `${address}, but the key is not encrypted in ${file}`, hint));
    note(draftsCheck(wallet, config.venue));
    return address;
  } catch (error) {
    note(failCheck('wallet', error));
    return null;
  }
}

async function checkVenue(config: Config, io: CliIo, wallet: string | null): Promise<readonly DoctorCheck[]> {
  const { exchange, venue } = config;
  const { profile } = venue;
  const checks: DoctorCheck[] = [];
  let credentials: Credentials | null = null;
  try {
    if (wallet !== null) credentials = await findCredentials(config, wallet, io.env);
    checks.push(credentialsCheck(config, credentials !== null));
    const check = async (client: ServiceClient, url: string) => {
      const listed = await client.call('markets.list', { query: { limit: 1 } });
      requireAnswer(listed, 'its markets');
      checks.push(ok('venue', `${url} answers`), clockCheck(client, profile.clock_tolerance_s), budgetCheck(listed));
      if (credentials === null) return;
      checks.push(...(await signedChecks(client)));
      const venueSeconds = Math.floor((Date.now() + (client.clockOffset?.offsetMs ?? 0)) / 1000);
      checks.push(await checkSignedRequest(url, profile, credentials, venueSeconds));
    };
    await withClient(config, credentials, check, true);
  } catch (error) {
    const isNeverRun = exchange?.embedded === true && !existsSync(exchange.dataDir);
    if (isNeverRun) checks.push(ok('venue', 'the first start creates the embedded exchange'));
    else checks.push(failCheck(checks.length === 0 ? 'credentials' : 'venue', error));
  }
  return checks;
}

function credentialsCheck({ wallet, venue, exchange }: Config, found: boolean): DoctorCheck {
  const name = 'credentials';
  if (found) return ok(name, `API credentials found for ${venue.profile.base_url}`);
  const text = `no API credentials of this wallet for ${venue.profile.base_url} in ${wallet.credentials}`;
  if (exchange?.embedded === true || venue.name === 'paper')
    return warn(name, text, 'The first start creates the credentials.');
  return fail(name, text, 'Create credentials with `twinbook keys bootstrap`, with the same -c FILE.');
}

function clockCheck(client: ServiceClient, toleranceS: number): DoctorCheck {
  const apart = compareClocks(client);
  if (apart === null) {
    const hint = 'Keep this clock synchronised: a wrong clock makes signed calls fail.';
    return warn('clock', 'the venue did not report its time', hint);
  }
  if (apart.agrees) return ok('clock', `this clock agrees with the venue's clock within the measurement error`);
  const text = `${apart.text} (the venue accepts a difference of ${toleranceS} s); Twinbook corrects the timestamps of signed calls`;
  return warn('clock', text, 'Synchronise this clock (NTP): logs and schedules use it.');
}

function budgetCheck({ budget }: ClientAnswer): DoctorCheck {
  if (budget === null) return warn('request budget', 'the venue did not report the remaining requests');
  return ok(`request budget (${budget.scope})`, `${budget.remaining} of ${budget.limit} requests left in this minute`);
}

async function signedChecks(client: ServiceClient): Promise<readonly DoctorCheck[]> {
  const answer = await client.call('orders.list', { query: { limit: 1 } });
  try {
    requireAnswer(answer, 'own orders');
  } catch (error) {
    return [failCheck('signed call', error)];
  }
  return [ok('signed call', 'the venue accepted a signed request'), budgetCheck(answer)];
}

const DAMAGED = 'This installation is damaged: install it again, and do not trade with it.';
const TIMESTAMP = '1714300000';
/** Example secret that belongs to no account. The signatures in `VECTORS` were made by another implementation. */
const SECRET = 'ws_live_1f7c2a9b5d4e';
const MERGE = '{"market_condition_id":"7n9G9WfQ2V7d6hM3XK8pQ4LwR2eY6aT1uJ5cB8mN3qPz","amount":"10"}';

/** Reference requests to test Twinbook's signing: method, path, body and expected signature. */
const VECTORS = [
  ['GET', '/orders/?limit=10', '', '3a1bf87c31ca5772b55633a85a7aa83e6d621ff7790b266ecdb783518f70acfa'],
  ['POST', '/orders/abc/cancel/', '', '539c6fba28fc2235c23d35dddadb0110bf63fc023b87fd44fd511824b778d98e'],
  ['POST', '/share-merges/', MERGE, '4a128a6460e48eb9ed120ceefdaaa3c541b85022c31dcd44d7a8370a54476826'],
] as const;

function signingCheck(): DoctorCheck {
  const wrong = VECTORS.find(
    ([method, pathWithQuery, body, signature]) =>
      requestSignature(SECRET, { timestamp: TIMESTAMP, method, pathWithQuery, body }) !== signature,
  );
  if (wrong !== undefined) return fail('signing', `${wrong[0]} ${wrong[1]}: the signature is wrong`, DAMAGED);
  return ok('signing', `${VECTORS.length} reference requests: every signature equals the expected signature`);
}

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

const NAME = 'signed request';
const TIMEOUT_MS = 10_000;

const none = z.object({});
const EMPTY = { query: none, body: none, data: none };
const PATH = '/paper/signed-request/';
const DECLARATION: Declaration = { ...EMPTY, method: 'POST', path: PATH, scope: 'signed', status: 200 };

/** Request parts that proxies rewrite most often: separators and letters in queries, numbers and letters in bodies. */
const PARTS: Parameters<typeof writeMessage>[2] = {
  query: { status: ['open', 'filled'], cursor: 'eyJvIjo1MH0', q: 'é + ½/2&x=~', limit: 10 },
  body: { amount: '10', price: '0.50', text: 'é "½" \\ \u2028', nested: [1.5e3] },
};

const answerSchema = z.object({ data: signedRequestReport.omit({ payload: true }) });

/** Sends a signed request. Reports whether the venue received the same bytes, or that the venue shows no bytes. */
export async function checkSignedRequest(
  baseUrl: string,
  profile: VenueProfile,
  credentials: Credentials,
  venueSeconds: number,
): Promise<DoctorCheck> {
  const message = writeMessage(checkedBaseUrl(baseUrl), DECLARATION, PARTS);
  if (typeof message === 'string') return fail(NAME, message, 'This installation is damaged: install it again.');
  const transport = new Transport(1);
  const headers = writeHeaders(message, profile.header_prefix, credentials, venueSeconds);
  const attempt = await transport.send(message, headers, TIMEOUT_MS).finally(() => transport.close());
  const text = attempt.kind === 'failure' ? null : attempt.text;
  // `computed` is undefined without an answer, and for an answer that is not JSON of the expected shape.
  const computed = text === null ? undefined : answerSchema.safeParse(parseJson(text)).data?.data;
  if (computed === undefined) {
    const why = attempt.kind === 'failure' ? attempt.reason : `HTTP ${attempt.status}`;
    const instead = 'only the checks `signing` and `signed call` apply';
    return ok(NAME, `this venue does not show the bytes that it receives (${why}); ${instead}`);
  }
  const { method, pathWithQuery, body } = message;
  const parts = [
    ['timestamp', String(venueSeconds), computed.timestamp ?? ''],
    ['method', method, computed.method],
    ['path', pathWithQuery, computed.path],
    ['body', body.toString(), computed.body],
  ] as const;
  let before = 0;
  for (const [name, sent, received] of parts) {
    const [ours, theirs] = [Buffer.from(sent), Buffer.from(received)];
    if (!ours.equals(theirs)) {
      const at = ours.findIndex((byte, place) => byte !== theirs[place]);
      const place = at < 0 ? ours.length : at;
      const where = `the ${name} differs at byte ${place} (byte ${before + place} of the signed text)`;
      return fail(NAME, `${where}: sent ${around(ours, place)}, the venue got ${around(theirs, place)}`, REWRITTEN);
    }
    before += ours.length;
  }
  if (computed.signature_matches) return ok(NAME, `all ${before} bytes arrived unchanged, and the signature matches`);
  const hint = 'The venue has another key or secret: create a new key with `twinbook keys bootstrap`.';
  const said = escapeBytes(Buffer.from((computed.refusal ?? '').slice(0, 200)));
  return fail(NAME, `the venue received the same bytes but refused the request: ${said}`, hint);
}

const REWRITTEN = 'A program on the way to the venue changes requests, probably a proxy: connect without it.';

const CONTEXT_BYTES = 16;

/** Quotes bytes with the differing byte in brackets, as in `"s=open[%]2Cfilled"`; `[]` marks the end of the bytes. */
function around(bytes: Buffer, at: number): string {
  const head = bytes.subarray(Math.max(0, at - CONTEXT_BYTES), at);
  const tail = bytes.subarray(at + 1, at + 1 + CONTEXT_BYTES);
  return `"${escapeBytes(head)}[${escapeBytes(bytes.subarray(at, at + 1))}]${escapeBytes(tail)}"`;
}

/** Writes bytes outside ASCII as `\xNN`, so that a venue's text cannot move the cursor of a terminal. */
const escapeBytes = (bytes: Buffer): string =>
  Array.from(bytes, (byte) =>
    byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
  ).join('');

/** Result of one check. `hint`: advice for the operator; empty if none is needed. */
type DoctorCheck = Readonly<{ name: string; result: 'ok' | 'warn' | 'fail'; text: string; hint: string }>;

const ok = (name: string, text: string): DoctorCheck => ({ name, result: 'ok', text, hint: '' });

const warn = (name: string, text: string, hint = ''): DoctorCheck => ({ name, result: 'warn', text, hint });
const fail = (name: string, text: string, hint: string): DoctorCheck => ({ name, result: 'fail', text, hint });

function failCheck(name: string, error: unknown): DoctorCheck {
  if (!(error instanceof TwinbookError)) throw error;
  return fail(name, error.message, error.hint);
}
