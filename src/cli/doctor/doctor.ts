/** `twinbook doctor`: one line per check, and what to do about each that is not ok; or what a draft asks for. */

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { openToOthers } from '../../shared/base/private.js';
import { loadConfig } from '../../shell/config/load.js';
import type { Config } from '../../shell/config/types.js';
import { type Check, failCheck, ok } from '../check.js';
import { EXIT, type ExitCode, findExitCode } from '../output/exit.js';
import { addAction, addConfigOption, addJsonOption, type CliIo, type Session } from '../output/io.js';
import { json, prose } from '../output/table.js';
import { openWallet } from '../venue-session.js';
import { signingCheck } from './signing-vectors.js';
import { checkVenue } from './venue.js';

interface DoctorOptions {
  readonly config: string;
  readonly json?: true;
  readonly draft?: string;
  readonly fees?: string;
}

export function addDoctorCommand(program: Command, session: Session): void {
  const command = program
    .command('doctor')
    .description('checks configuration, data folder, key, credentials, clock, signing and request budget');
  addJsonOption(addConfigOption(command)).option(
    '--draft <file>',
    "only show what a draft's message asks for and whether it would be signed; - reads standard input",
  );
  command.option(
    '--fees <market>',
    'only show what the fees of a market are taken of, by its newest trades: its id, or the beginning or words of one in the ledger',
  );
  addAction<DoctorOptions>(command, session, async (options) => {
    if (options.draft !== undefined) return examine(options.draft, options.config, options.json === true, session.io);
    if (options.fees !== undefined) {
      const { showFees } = await import('./fees.js');
      const used = await loadConfig(options.config, session.io);
      const { marketAtVenue } = await import('../market-meant.js');
      return showFees(await marketAtVenue(options.fees, used, session.io), used, options.json === true, session.io);
    }
    const checks: Check[] = [];
    const note = (check: Check): void => {
      checks.push(check);
      if (options.json !== true) session.io.out(checkText(check, session.io.columns));
    };
    let config: Config;
    try {
      config = await loadConfig(options.config, session.io);
    } catch (error) {
      note(failCheck('configuration', error));
      if (options.json === true) session.io.out(json(checks));
      return findExitCode(error);
    }
    note(configurationCheck(config));
    note(folderCheck('data folder', dirname(config.ledger.path)));
    note(signingCheck());
    for (const check of await checkVenue(config, session.io, await walletCheck(config, session.io, note))) note(check);
    if (options.json === true) session.io.out(json(checks));
    return checks.some(({ result }) => result === 'fail') ? EXIT.failed : EXIT.ok;
  });
}

/** Fails when the draft would not be signed. */
async function examine(file: string, configFile: string, asJson: boolean, io: CliIo): Promise<ExitCode> {
  const config = await loadConfig(configFile, io);
  const { draftReportText, examineDraft, readDraftFile } = await import('./draft.js');
  const message = readDraftFile(file, io);
  const report = examineDraft(message, config, (await openWallet(config, io)).address);
  io.out(asJson ? json(report) : draftReportText(report, io.columns));
  return report.verdict === 'refused' ? EXIT.failed : EXIT.ok;
}

const MARKS = { ok: 'ok  ', warn: 'warn', fail: 'fail' } as const;

/** @param width of the terminal; left out for a file */
function checkText({ name, result, text, hint }: Check, width?: number): string {
  const below = (said: string) =>
    prose(said, width === undefined ? width : width - INDENT.length).replaceAll('\n', `\n${INDENT}`);
  return `${MARKS[result]}  ${below(`${name}: ${text}`)}\n${hint === '' ? '' : `${INDENT}${below(hint)}\n`}`;
}

const INDENT = ' '.repeat(6);

function configurationCheck(config: Config): Check {
  const text = `${config.file}, ${config.strategies.length} strategy file(s), hash ${config.configHash.slice(0, 12)}`;
  if (config.strategies.length > 0) return ok('configuration', text);
  return { name: 'configuration', result: 'warn', text, hint: 'No strategy file is named: nothing would be quoted.' };
}

/** Whether files can be made there, or the folder itself above it. */
function folderCheck(name: string, folder: string): Check {
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
    if (!statSync(existing).isDirectory()) throw new Error('not a folder');
  } catch {
    return {
      name,
      result: 'fail',
      text: `${existing} is not a writable folder`,
      hint: 'Change its permissions or ledger.path.',
    };
  }
  const open = existing === folder ? openToOthers(folder) : null;
  if (open !== null) return { name, result: 'warn', ...open };
  return ok(name, existing === folder ? `${folder} is writable` : `${folder} will be made at the first start`);
}

/** The address of the wallet when its file can be used. */
async function walletCheck(config: Config, io: CliIo, note: (check: Check) => void): Promise<string | null> {
  if (!existsSync(config.wallet.file)) {
    const onPaper = config.venue.name === 'paper';
    note({
      name: 'wallet',
      result: onPaper ? 'warn' : 'fail',
      text: `there is no wallet file ${config.wallet.file}`,
      hint: onPaper
        ? 'It will be made at the first start.'
        : 'Make one with `twinbook keys create --file` or `keys import`.',
    });
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

/** On paper there is nothing to take. */
function sealCheck({ venue, wallet }: Config, address: string, isSealed: boolean): Check {
  const name = 'wallet';
  if (isSealed) return ok(name, `${address}, sealed under a passphrase, file readable by its owner only`);
  if (venue.name === 'paper') return ok(name, `${address}, file readable by its owner only`);
  const hint = `Seal a copy: \`twinbook keys import --from ${wallet.file} --to FILE\` with a passphrase, then use that file.`;
  return { name, result: 'warn', text: `${address}, but the key lies in the clear in ${wallet.file}`, hint };
}
