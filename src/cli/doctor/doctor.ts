/** `twinbook doctor`: one line per check, with advice for each failure; or the content of a draft. */

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { openToOthers } from '../../shared/base/private.js';
import { loadConfig } from '../../shell/config/load.js';
import type { Config } from '../../shell/config/types.js';
import { type Check, fail, failCheck, ok, warn } from '../check.js';
import { command, text } from '../command.js';
import { EXIT, type ExitCode, findExitCode } from '../output/exit.js';
import type { CliIo } from '../output/io.js';
import { json, prose } from '../output/table.js';
import { openWallet } from '../venue-session.js';
import { signingCheck } from './signing-vectors.js';
import { checkVenue } from './venue.js';

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
      const { showFees } = await import('./fees.js');
      const used = await loadConfig(file, io);
      const { marketAtVenue } = await import('../market-meant.js');
      return showFees(await marketAtVenue(fees, used, io), used, isJson, io);
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

const MARKS = { ok: 'ok  ', warn: 'warn', fail: 'fail' } as const;

/** @param width of the terminal; absent for a file */
function checkText({ name, result, text, hint }: Check, width?: number): string {
  const below = (said: string) =>
    prose(said, width === undefined ? width : width - INDENT.length).replaceAll('\n', `\n${INDENT}`);
  return `${MARKS[result]}  ${below(`${name}: ${text}`)}\n${hint === '' ? '' : `${INDENT}${below(hint)}\n`}`;
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
    const { isSealedKeyFile } = await import('../../shell/wallet/key-file.js');
    note(sealCheck(config, address, isSealedKeyFile(config.wallet.file)));
    return address;
  } catch (error) {
    note(failCheck('wallet', error));
    return null;
  }
}

/** Paper has nothing to steal. */
function sealCheck({ venue, wallet }: Config, address: string, isSealed: boolean): Check {
  const name = 'wallet';
  if (isSealed) return ok(name, `${address}, sealed under a passphrase, file readable by its owner only`);
  if (venue.name === 'paper') return ok(name, `${address}, file readable by its owner only`);
  const hint = `Seal a copy: \`twinbook keys import --from ${wallet.file} --to FILE\` with a passphrase, then use that file.`;
  return warn(name, `${address}, but the key lies in the clear in ${wallet.file}`, hint);
}
