/** The configuration in force, one line per setting, and the files' differences from it. */

import { TwinbookError } from '../../../shared/base/errors.js';
import type { ProcessStatus } from '../../../shared/protocol/trader-status.js';
import { askTrader } from '../../control/control-client.js';

/** The trader reads the files, perhaps after a step in progress. */
const WITHIN_MS = 3_000;

export const configView = ({ config, configHash: hash, configFile: file }: ProcessStatus) => ({
  hash,
  file,
  settings: flattenSettings('', config).filter(({ name }) => name !== 'config_hash' && name !== 'file'),
});

export type ConfigView = ReturnType<typeof configView>;

/** `risk.max_loss_day`, `strategies.maker.params.size`; a named row of a list has its name. */
function flattenSettings(name: string, value: unknown): readonly { readonly name: string; readonly value: string }[] {
  if (typeof value !== 'object' || value === null) return [{ name, value: String(value ?? '–') }];
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? value.map((item: unknown, i) => [readName(item) ?? String(i + 1), item])
    : Object.entries(value);
  if (entries.length === 0) return [{ name, value: Array.isArray(value) ? 'none' : '–' }];
  // A list of plain values stays one line.
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return [{ name, value: value.join(', ') }];
  return entries.flatMap(([key, inner]) => flattenSettings(name === '' ? key : `${name}.${key}`, inner));
}

const readName = (item: unknown): string | null =>
  typeof item === 'object' && item !== null && 'name' in item && typeof item.name === 'string' ? item.name : null;

/** As in `twinbook config diff`. */
export async function diffView(socket: string): Promise<{ readonly lines: readonly string[] }> {
  try {
    const question = { command: 'config', action: 'diff', reason: '', hash: '', dryRun: true } as const;
    const { lines } = await askTrader(question, { socket, timeoutMs: WITHIN_MS });
    return { lines };
  } catch (error) {
    if (!(error instanceof TwinbookError)) throw error;
    return { lines: [`${error.message}${error.hint === '' ? '' : `\n  ${error.hint}`}`] };
  }
}
