/** `twinbook doctor`: one line per check, with advice for each failure; or the content of a draft. */

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { TwinbookError } from '../shared/base/errors.js';
import type { FeeSchedule } from '../shared/base/fees.js';
import { openToOthers } from '../shared/base/files.js';
import { requestSignature } from '../shared/protocol/signing.js';
import type { ServiceClient } from '../shell/client/client.js';
import type { ClientAnswer } from '../shell/client/contract.js';
import type { Config } from '../shell/config/config.js';
import { loadConfig } from '../shell/config/load.js';
import type { Credentials } from '../shell/wallet/key-file.js';
import { FEE_ROWS, type FeeReading, feeContradiction, readFees } from '../trader/market/fee-fit.js';
import { command, text } from './command.js';
import { type CliIo, EXIT, type ExitCode, findExitCode } from './io.js';
import { compareClocks, findCredentials, marketAtVenue, openWallet, requireAnswer, withClient } from './reach.js';
import { type Column, json, prose, table } from './table.js';

export const addDoctorCommand = command({
  name: 'doctor',
  help: 'checks configuration, data folder, key, credentials, clock, signing and request budget',
  config: 'file',
  options: {
    draft: text(
      '--draft <file>',
      "only show the content of a draft's message and whether it would be signed; - reads standard input",
    ),
    fees: text(
      '--fees <market>',
      'only show the fee base of a market, by its newest trades: its id, or the beginning or words of one in the ledger',
    ),
  },
  hasJson: true,
  run: async ({ options: { draft, fees }, file, isJson, io }) => {
    if (draft !== undefined) return examine(draft, file, isJson, io);
    if (fees !== undefined) {
      const used = await loadConfig(file, io);
      return showFees(await marketAtVenue(fees, used), used, isJson, io);
    }
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

/** Fails for a draft that would not be signed. */
async function examine(file: string, configFile: string, asJson: boolean, io: CliIo): Promise<ExitCode> {
  const config = await loadConfig(configFile, io);
  const { draftReportText, examineDraft, readDraftFile } = await import('./draft.js');
  const message = readDraftFile(file, io);
  const report = examineDraft(message, config, (await openWallet(config, io)).address);
  io.out(asJson ? json(report) : draftReportText(report, io.columns));
  return report.verdict === 'refused' ? EXIT.failed : EXIT.ok;
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

/** Fails when the trades contradict the declared schedule. Needs no key. */
async function showFees(market: string, config: Config, asJson: boolean, io: CliIo): Promise<ExitCode> {
  const declared = config.venue.profile.fee_schedule ?? 'notional';
  const input = { params: { condition_id: market }, query: { limit: FEE_ROWS } };
  const answer = await withClient(config, { controls: true }, (client) => client.call('markets.trades', input));
  const reading = readFees(requireAnswer(answer, `the trades of ${market}`));
  const contradiction = feeContradiction(reading, declared);
  const shown = { declared, ...reading, contradiction };
  io.out(asJson ? json(shown) : feesText(shown, io.columns));
  return contradiction === null ? EXIT.ok : EXIT.failed;
}

function feesText(
  {
    declared,
    trades,
    fits,
    verdict,
    contradiction,
  }: FeeReading & { declared: FeeSchedule; contradiction: string | null },
  width?: number,
): string {
  const rate = (value: number | null) => (value === null ? 'none' : value.toFixed(6));
  const said = {
    free: 'no fees were paid: any schedule fits',
    seen: `the fees are ${verdict.kind === 'seen' ? verdict.schedule : ''}`,
    undecided: `undecided: ${verdict.kind === 'undecided' ? verdict.reason : ''}`,
  }[verdict.kind];
  const end = contradiction === null ? `fee_schedule: ${declared} is not contradicted` : `wrong: ${contradiction}`;
  const columns: readonly Column<FeeReading['fits'][number]>[] = [
    { title: 'schedule', cell: ({ schedule }) => schedule },
    { title: 'taker', cell: ({ takerRate }) => rate(takerRate) },
    { title: 'maker', cell: ({ makerRate }) => rate(makerRate) },
    { title: 'furthest', cell: ({ residual }) => residual.toFixed(6) },
    { title: 'possible', cell: ({ isPossible }) => (isPossible ? 'yes' : 'no') },
  ];
  return `${trades} settled trades\n${table(fits, columns, width)}${prose(`${said}\n${end}`, width, '  ')}\n`;
}

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
