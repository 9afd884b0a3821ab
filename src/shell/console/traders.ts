/** The traders of one console, their names there, and which of them add up. */

import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, parse } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { isConsoleWanted, type TraderConfig } from '../config/config.js';

/** Use several consoles for more: each trader costs a connection, a store and a place on the page. */
export const MOST_TRADERS = 16;

const misuse = (what: string, hint: string) => new TwinbookError('usage', what, hint);

/** Throws `usage` for traders that cannot be shown together, with the files and the requirement. */
export function requireDistinct(configs: readonly TraderConfig[]): void {
  const [first, ...others] = configs;
  if (first === undefined || others.length === 0) return;
  if (configs.length > MOST_TRADERS)
    throw misuse(
      `${configs.length} traders; one console shows at most ${MOST_TRADERS}`,
      'Start another `twinbook console` for the rest.',
    );
  if (!first.dashboard.enabled)
    throw misuse(
      `${first.file}: dashboard.enabled is false, and several traders are shown at its address`,
      'Set it to true in the file that -c names.',
    );
  const ledgers = new Map<string, string>();
  const sockets = new Map<string, string>();
  for (const config of configs) {
    requireNew(ledgers, followLinks(config.ledger.path), config.file, 'ledger');
    requireNew(sockets, followLinks(config.control.socket), config.file, 'control socket');
    if (isConsoleWanted(config) && config.dashboard.start)
      throw misuse(
        `${config.file}: dashboard.start is true, so its trader starts another console, which would send each alert twice`,
        'Set dashboard.start to false in the file of every trader that this console shows.',
      );
  }
}

function requireNew(known: Map<string, string>, path: string, file: string, what: string): void {
  const before = known.get(path);
  if (before !== undefined)
    throw misuse(
      before === file ? `${file} is named twice` : `${before} and ${file} have the same ${what}, ${path}`,
      'Name each trader once.',
    );
  known.set(path, file);
}

/** Real path of a file that may not exist. */
const followLinks = (path: string): string => {
  if (existsSync(path)) return realpathSync(path);
  const folder = dirname(path);
  return existsSync(folder) ? `${realpathSync(folder)}/${basename(path)}` : path;
};

/**
 * Each file's name without its ending; equal names get their folders. Throws `usage` when that does not distinguish
 * them.
 */
export function nameTraders(files: readonly string[]): readonly string[] {
  const short = files.map((file) => parse(file).name);
  const names = files.map((file, i) => {
    const name = short[i] ?? '';
    return short.filter((other) => other === name).length === 1 ? name : `${basename(dirname(file))}/${name}`;
  });
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice === undefined) return names;
  const what = files.filter((_, i) => names[i] === twice).join(' and ');
  throw misuse(`${what} would both be shown as ${twice}`, 'Rename one of the files.');
}

/** Results of one venue add up; those of two do not, and paper money never does. */
export function groupOf({ venue, exchange }: TraderConfig): string {
  const { name, profile } = venue;
  return exchange?.embedded === true || name === 'paper' ? 'paper' : `${name} ${profile.base_url}`;
}
