/** `twinbook doctor`: one line per check, with advice for each failure. */

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { signedRequestReport } from '../exchange/http/authentication.js';
import { TwinbookError } from '../shared/base/errors.js';
import { openToOthers } from '../shared/base/files.js';
import { parseJson } from '../shared/base/text.js';
import type { Declaration } from '../shared/protocol/endpoints.js';
import type { VenueProfile } from '../shared/protocol/profile.js';
import { requestSignature, type SignedParts, signedPayload } from '../shared/protocol/signing.js';
import type { ServiceClient } from '../shell/client/client.js';
import type { ClientAnswer } from '../shell/client/contract.js';
import { type CallParts, checkedBaseUrl, type Message, writeHeaders, writeMessage } from '../shell/client/message.js';
import { Transport } from '../shell/client/transport.js';
import type { Config } from '../shell/config/config.js';
import { loadConfig } from '../shell/config/load.js';
import type { Credentials } from '../shell/wallet/key-file.js';
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
    const checks: Check[] = [];
    const note = (check: Check): void => {
      checks.push(check);
      if (!isJson) io.out(checkText(check, io.columns));
    };
    const code = await checkEverything(file, io, note);
    if (isJson) io.out(json(checks));
    return code ?? (checks.some(({ result }) => result === 'fail') ? EXIT.failed : EXIT.ok);
  },
});

/** Exit code when no configuration exists to check with. */
async function checkEverything(file: string, io: CliIo, note: (check: Check) => void): Promise<ExitCode | null> {
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

function checkText({ name, result, text, hint }: Check, width = Number.POSITIVE_INFINITY): string {
  const below = (said: string) => prose(said, width - INDENT.length).replaceAll('\n', `\n${INDENT}`);
  return `${result.padEnd(4)}  ${below(`${name}: ${text}`)}\n${hint === '' ? '' : `${INDENT}${below(hint)}\n`}`;
}

const INDENT = ' '.repeat(6);

function configurationCheck(config: Config): Check {
  const text = `${config.file}, ${config.strategies.length} strategy file(s), hash ${config.configHash.slice(0, 12)}`;
  if (config.strategies.length > 0) return ok('configuration', text);
  return warn('configuration', text, 'No strategy file is named: nothing would be quoted.');
}

/** Whether files can be created there, or the folder itself above it. */
function folderCheck(name: string, folder: string): Check {
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
  return ok(name, existing === folder ? `${folder} is writable` : `${folder} will be made at the first start`);
}

/** The wallet's address when its file is usable. */
async function walletCheck(config: Config, io: CliIo, note: (check: Check) => void): Promise<string | null> {
  if (!existsSync(config.wallet.file)) {
    const text = `there is no wallet file ${config.wallet.file}`;
    if (config.venue.name === 'paper') note(warn('wallet', text, 'It will be made at the first start.'));
    else note(fail('wallet', text, 'Make one with `twinbook keys create --file` or `keys import`.'));
    return null;
  }
  try {
    const { address } = await openWallet(config, io);
    const { isSealedKeyFile } = await import('../shell/wallet/key-file.js');
    const { file } = config.wallet;
    const sealed = isSealedKeyFile(file) ? ', sealed under a passphrase' : '';
    const hint = `Seal a copy: \`twinbook keys import --from ${file} --to FILE\` with a passphrase, then use that file.`;
    // Paper has nothing to steal.
    if (sealed !== '' || config.venue.name === 'paper')
      note(ok('wallet', `${address}${sealed}, file readable by its owner only`));
    else note(warn('wallet', `${address}, but the key lies in the clear in ${file}`, hint));
    return address;
  } catch (error) {
    note(failCheck('wallet', error));
    return null;
  }
}

async function checkVenue(config: Config, io: CliIo, wallet: string | null): Promise<readonly Check[]> {
  const { profile } = config.venue;
  const checks: Check[] = [];
  let credentials: Credentials | null = null;
  try {
    if (wallet !== null) credentials = await findCredentials(config, wallet, io.env);
    checks.push(credentialsCheck(config, credentials !== null));
    await withClient(config, { credentials, controls: true }, async (client, baseUrl) => {
      const listed = await client.call('markets.list', { query: { limit: 1 } });
      requireAnswer(listed, 'its markets');
      checks.push(
        ok('venue', `${baseUrl} answers`),
        clockCheck(client, profile.clock_tolerance_s),
        budgetCheck(listed),
      );
      if (credentials === null) return;
      checks.push(...(await signedChecks(client)));
      const venueSeconds = Math.floor((Date.now() + (client.clockOffset?.offsetMs ?? 0)) / 1000);
      checks.push(await checkSignedRequests({ baseUrl, profile, credentials, venueSeconds }));
    });
  } catch (error) {
    checks.push(neverRun(config) ?? failCheck(checks.length === 0 ? 'credentials' : 'venue', error));
  }
  return checks;
}

/** Before the first start no exchange exists. */
function neverRun({ exchange }: Config): Check | null {
  if (exchange === null || !exchange.embedded || existsSync(exchange.dataDir)) return null;
  return ok('venue', 'the embedded exchange will be made at the first start');
}

function credentialsCheck({ wallet, venue, exchange }: Config, found: boolean): Check {
  const name = 'credentials';
  if (found) return ok(name, `found for ${venue.profile.base_url}`);
  const text = `none for this wallet at ${venue.profile.base_url} in ${wallet.credentials}`;
  if (exchange?.embedded === true || venue.name === 'paper')
    return warn(name, text, 'They will be made at the first start.');
  return fail(name, text, 'Make them with `twinbook keys bootstrap`, with the same -c FILE.');
}

function clockCheck(client: ServiceClient, toleranceS: number): Check {
  const apart = compareClocks(client);
  if (apart === null) {
    const hint = 'Keep this clock synchronised: a wrong one makes signed calls fail.';
    return warn('clock', 'the venue did not say its time', hint);
  }
  if (apart.agrees) return ok('clock', `this clock agrees with the venue's within its resolution`);
  const text = `${apart.text} (it accepts ${toleranceS} s); signed calls are corrected for it`;
  return warn('clock', text, 'Synchronise this clock (NTP): logs and schedules use it.');
}

function budgetCheck({ budget }: ClientAnswer): Check {
  if (budget === null) return warn('request budget', 'the venue named no remaining requests');
  return ok(`request budget (${budget.scope})`, `${budget.remaining} of ${budget.limit} requests left in this minute`);
}

async function signedChecks(client: ServiceClient): Promise<readonly Check[]> {
  const answer = await client.call('orders.list', { query: { limit: 1 } });
  try {
    requireAnswer(answer, 'own orders');
  } catch (error) {
    return [failCheck('signed call', error)];
  }
  return [ok('signed call', 'the venue accepted a signed request'), budgetCheck(answer)];
}

const TIMESTAMP = '1714300000';
/** An example secret without an owner; another implementation made the signatures below. */
const SECRET = 'ws_live_1f7c2a9b5d4e';
const MERGE = '{"market_condition_id":"7n9G9WfQ2V7d6hM3XK8pQ4LwR2eY6aT1uJ5cB8mN3qPz","amount":"10"}';

/** Method, path, body and signature. */
const VECTORS = [
  ['GET', '/orders/?limit=10', '', '3a1bf87c31ca5772b55633a85a7aa83e6d621ff7790b266ecdb783518f70acfa'],
  ['POST', '/orders/abc/cancel/', '', '539c6fba28fc2235c23d35dddadb0110bf63fc023b87fd44fd511824b778d98e'],
  ['POST', '/share-merges/', MERGE, '4a128a6460e48eb9ed120ceefdaaa3c541b85022c31dcd44d7a8370a54476826'],
] as const;

function signingCheck(): Check {
  const wrong = VECTORS.find(
    ([method, pathWithQuery, body, signature]) =>
      requestSignature(SECRET, { timestamp: TIMESTAMP, method, pathWithQuery, body }) !== signature,
  );
  if (wrong === undefined)
    return ok('signing', `${VECTORS.length} golden requests signed byte for byte as the interface says`);
  const text = `${wrong[0]} ${wrong[1]}: the signature differs`;
  return fail('signing', text, 'This installation is damaged: install it again, and do not trade with it.');
}

interface SigningSubject {
  readonly baseUrl: string;
  readonly profile: VenueProfile;
  readonly credentials: Credentials;
  readonly venueSeconds: number;
}

const NAME = 'signed request';
const TIMEOUT_MS = 10_000;

const none = z.object({});
const READ: Declaration = {
  method: 'GET',
  path: '/paper/signed-request/',
  scope: 'signed',
  status: 200,
  query: none,
  body: null,
  data: none,
};
const WRITE: Declaration = { ...READ, method: 'POST', body: none };

/** Parts that are most often rewritten on the way: separators and letters in a query, numbers and letters in a body. */
const REQUESTS: readonly (readonly [Declaration, CallParts])[] = [
  [READ, { query: { status: ['open', 'filled'], cursor: 'eyJvIjo1MH0', q: 'é + ½/2&x=~', limit: 10 } }],
  [WRITE, { query: { is_yes: true }, body: { amount: '10', price: '0.50', text: 'é "½" \\ \u2028', nested: [1.5e3] } }],
];

const answerSchema = z.object({ data: signedRequestReport.omit({ payload: true }) });
type Computed = z.output<typeof answerSchema>['data'];

/** One finding for both requests: identical, the first differing byte, or a venue that does not show it. */
export async function checkSignedRequests(subject: SigningSubject): Promise<Check> {
  const transport = new Transport(1);
  let bytes = 0;
  try {
    for (const [declaration, parts] of REQUESTS) {
      const message = writeMessage(checkedBaseUrl(subject.baseUrl), declaration, parts);
      if (typeof message === 'string') return fail(NAME, message, 'This installation is damaged: install it again.');
      const { method, pathWithQuery, body } = message;
      const sent = { timestamp: String(subject.venueSeconds), method, pathWithQuery, body };
      const computed = await ask(transport, message, subject);
      if (typeof computed === 'string') {
        const text = `this venue does not show what it computes (${computed}); the golden requests and the signed call replace it`;
        return ok(NAME, text);
      }
      const problem = compare(sent, computed);
      if (problem !== null) return problem;
      bytes += Buffer.byteLength(signedPayload(sent));
    }
  } finally {
    transport.close();
  }
  return ok(NAME, `all ${bytes} bytes of a GET and a POST equal the venue's, and both signatures match`);
}

/** The venue's computation; or in words why it does not say. */
async function ask(
  transport: Transport,
  message: Message,
  { profile, credentials, venueSeconds }: SigningSubject,
): Promise<Computed | string> {
  const headers = writeHeaders(message, profile.header_prefix, credentials, venueSeconds);
  const attempt = await transport.send(message, headers, TIMEOUT_MS);
  if (attempt.kind === 'failure') return attempt.reason;
  if (attempt.status !== 200 || attempt.text === null) return `HTTP ${attempt.status}`;
  // Not JSON, or of another shape.
  return answerSchema.safeParse(parseJson(attempt.text)).data?.data ?? 'an answer that is none';
}

/** The parts in payload order. Null when all are equal. */
function compare(sent: SignedParts, computed: Computed): Check | null {
  const parts = [
    ['timestamp', sent.timestamp, computed.timestamp ?? ''],
    ['method', sent.method, computed.method],
    ['path', sent.pathWithQuery, computed.path],
    ['body', sent.body.toString(), computed.body],
  ] as const;
  let before = 0;
  for (const [name, ours, theirs] of parts) {
    const difference = firstDifference(Buffer.from(ours, 'utf8'), Buffer.from(theirs, 'utf8'));
    if (difference !== null) {
      const where = `the ${name} differs at byte ${difference.at} (byte ${before + difference.at} of what is signed)`;
      const text = `${sent.method}: ${where}: sent ${difference.ours}, the venue got ${difference.theirs}`;
      return fail(NAME, text, REWRITTEN);
    }
    before += Buffer.byteLength(ours);
  }
  if (computed.signature_matches) return null;
  const hint = 'The key or its secret is not the venue’s: make new ones with `twinbook keys bootstrap`.';
  const said = [...Buffer.from((computed.refusal ?? '').slice(0, 200))].map(escapeByte).join('');
  return fail(NAME, `${sent.method}: the venue got the same bytes and refuses them: ${said}`, hint);
}

const REWRITTEN = 'Something between here and the venue rewrites requests, most likely a proxy: go around it.';

const CONTEXT_BYTES = 16;

/** The first differing byte with its context on both sides; null when equal. */
function firstDifference(ours: Buffer, theirs: Buffer) {
  if (ours.equals(theirs)) return null;
  let at = 0;
  while (at < ours.length && ours[at] === theirs[at]) at++;
  return { at, ours: around(ours, at), theirs: around(theirs, at) };
}

/** `"…s=open[%]2Cfilled…"`: the byte is marked; `[]` is the end. */
function around(bytes: Buffer, at: number): string {
  const piece = (from: number, to: number) => [...bytes.subarray(Math.max(0, from), to)].map(escapeByte).join('');
  const head = at > CONTEXT_BYTES ? '…' : '';
  const tail = at + 1 + CONTEXT_BYTES < bytes.length ? '…' : '';
  return `"${head}${piece(at - CONTEXT_BYTES, at)}[${piece(at, at + 1)}]${piece(at + 1, at + 1 + CONTEXT_BYTES)}${tail}"`;
}

/** Bytes outside ASCII as `\xNN`, so that a venue's text cannot move the cursor of a terminal. */
const escapeByte = (byte: number): string =>
  byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;

export interface Check {
  readonly name: string;
  readonly result: 'ok' | 'warn' | 'fail';
  readonly text: string;
  /** Advice; empty if none is needed. */
  readonly hint: string;
}

export const ok = (name: string, text: string): Check => ({ name, result: 'ok', text, hint: '' });

export const warn = (name: string, text: string, hint = ''): Check => ({ name, result: 'warn', text, hint });
export const fail = (name: string, text: string, hint: string): Check => ({ name, result: 'fail', text, hint });

export function failCheck(name: string, error: unknown): Check {
  if (!(error instanceof TwinbookError)) throw error;
  return fail(name, error.message, error.hint);
}
