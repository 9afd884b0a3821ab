/** Files that hold what was taken back while a trader ran: a start does not take them up again by itself. */

import { TwinbookError } from '../../../shared/base/errors.js';
import {
  acceptedConfig,
  configHistory,
  configText,
  type TakenBack,
  takenBack,
} from '../../../trader/engine/control/config-history.js';
import type { Ledger } from '../../../trader/ledger/contract.js';
import { liveText, withLiveText } from '../../config/live/live-text.js';
import type { Config } from '../../config/types.js';

type Notes = Pick<Ledger, 'note'>;

/** What a start goes by. */
export interface StartingConfig {
  readonly config: Config;
  /** Why that is not what the files say, one sentence; null when it is. */
  readonly held: string | null;
  /** Why a person accepted what had been taken back; empty when nobody had to. */
  readonly reason: string;
}

/**
 * Whether these files hold what was taken back and not accepted since; null when they do not. Sections that only a restart takes up
 * make no difference.
 */
export function takenBackIn(files: Config, ledger: Notes): TakenBack | null {
  const history = configHistory(ledger);
  const back = takenBack(history);
  const known = back.get(files.configHash);
  if (known !== undefined) return known;
  if (back.size === 0 || history.at(-1)?.hash === files.configHash) return null;
  const text = liveText(files);
  return [...back.values()].find(({ hash }) => configText(ledger, hash) === text) ?? null;
}

/** One line, as `config diff` and a start say it. */
export const takenBackText = ({ hash, atMs, by, reason }: TakenBack): string =>
  `the files hold configuration ${hash.slice(0, 12)}, which was taken back at ${new Date(atMs).toISOString().slice(0, 19)}Z (${by}: ${reason})`;

/**
 * What the files say or, where that was taken back, what was in force after it. Throws `config_invalid` where that cannot be gone
 * on with.
 */
export async function startingConfig(files: Config, ledger: Notes): Promise<StartingConfig> {
  const back = takenBackIn(files, ledger);
  if (back === null) return { config: files, held: null, reason: '' };
  const accepted = acceptedConfig(ledger);
  if (accepted !== null && accepted.hash === files.configHash && accepted.atMs >= back.atMs)
    return { config: files, held: null, reason: accepted.reason };
  const hash = configHistory(ledger).at(-1)?.hash ?? '';
  try {
    const config = await asItWas(files, ledger, hash);
    return {
      config,
      held: `${takenBackText(back)}; going on with ${hash.slice(0, 12)} instead. ${ACCEPT}`,
      reason: '',
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const text = `${takenBackText(back)}, and what was in force after it cannot be gone on with: ${why}`;
    throw new TwinbookError('config_invalid', text, `Put the files right, or accept them: ${ACCEPT}`, { cause: error });
  }
}

const ACCEPT = '`twinbook config accept --reason TEXT` lets the next start take them.';

async function asItWas(files: Config, ledger: Notes, hash: string): Promise<Config> {
  const text = configText(ledger, hash);
  if (text === null) throw new Error(`configuration ${hash.slice(0, 12)} is not kept any more`);
  const known = new Map(files.strategies.map(({ moduleKey, module }) => [moduleKey, module]));
  const config = await withLiveText(files, { hash, text, known });
  // Another version of the program wrote it: a limit that it did not know would bound nothing.
  sameNames('risk', files.risk, config.risk);
  sameNames('merge', files.merge, config.merge);
  sameNames('economics', files.economics, config.economics);
  for (const { name, params, module, risk } of config.strategies) {
    sameNames(`strategy ${name}: params`, module.params, params);
    sameNames(`strategy ${name}: risk`, files.risk, risk);
  }
  return config;
}

/** Throws where one has a setting that the other has not. */
function sameNames(what: string, wanted: object, kept: object): void {
  const names = new Set([...Object.keys(wanted), ...Object.keys(kept)]);
  const odd = [...names].find((name) => Object.hasOwn(wanted, name) !== Object.hasOwn(kept, name));
  if (odd !== undefined) throw new Error(`${what}: it was kept by a version with other settings (${odd})`);
}
