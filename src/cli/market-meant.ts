/** The market that a command names, looked up in the ledger. */

import { TwinbookError } from '../shared/base/errors.js';
import type { TraderConfig } from '../shell/config/load.js';
import type { LedgerReader } from '../trader/ledger/contract.js';
import { readLedger } from './ledger/ledger-reading.js';
import { findNamed, type Named } from './names.js';
import type { CliIo } from './output/io.js';

/** Markets that the ledger knows, as they can be named. */
export const marketsNamed = (ledger: LedgerReader): readonly Named[] =>
  ledger.markets().map(({ conditionId, title }) => ({ id: conditionId, title }));

/**
 * The id of the market that was meant; undefined when none was named. A name that fits none is taken as it stands, and said
 * to `io` (null: to nobody). Throws `usage` when it fits several.
 */
export function marketMeant(typed: string | undefined, ledger: LedgerReader, io: CliIo | null): string | undefined {
  if (typed === undefined) return undefined;
  const found = findNamed(typed, marketsNamed(ledger), 'markets');
  if (found === null) io?.err(`no market in the ledger is named "${typed}"; \`twinbook markets\` lists them\n`);
  return found ?? typed;
}

/** The same for what asks the venue: where there is no ledger yet, or none that can be read, the name is taken as it stands. */
export async function marketAtVenue(typed: string, config: TraderConfig, io: CliIo): Promise<string> {
  try {
    return await readLedger(config, io, (ledger) => marketMeant(typed, ledger, null) ?? typed);
  } catch (error) {
    if (error instanceof TwinbookError && error.code !== 'usage') return typed;
    throw error;
  }
}
