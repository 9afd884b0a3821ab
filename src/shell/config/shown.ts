/** A configuration in file form, for display and comparison. */

import { formatDecimal } from '../../shared/base/decimal.js';
import { micros } from '../../shared/base/micros.js';
import type { ParamSpec, ParamValue } from '../../trader/strategy/params.js';
import type { Config, ReadConfig, ReadStrategy } from './types.js';

/** By the names of settings. */
export type Shown = Readonly<Record<string, unknown>>;

/** Setting names that would contain a secret. */
const SECRET = /secret|passphrase|password|private|token/i;

/** The configuration in force in file form: money as decimal strings, secrets as stars. */
export function shownConfig(config: Config | ReadConfig): Shown {
  const { texts: _texts, ...rest } = config;
  const strategies = config.strategies.map(spellStrategy);
  // A plain object stays one.
  return shownValue('', { ...rest, strategies }) as Shown;
}

/** One strategy of it; with the file's parameters where its code is not loaded. */
export const shownStrategy = (strategy: ReadStrategy): Shown =>
  // A plain object stays one.
  shownValue('', spellStrategy(strategy)) as Shown;

function spellStrategy({
  module,
  moduleKey: _key,
  moduleFiles: _files,
  moduleName,
  params,
  writtenParams,
  quoteHours,
  ...rest
}: ReadStrategy) {
  const shownParams =
    module === null
      ? Object.entries(writtenParams)
      : Object.entries(params).map(([name, value]) => [name, shownParam(module.params[name], value)]);
  return { ...rest, strategy: moduleName, quote_hours: quoteHours, params: Object.fromEntries(shownParams) };
}

/** Share amounts as decimal strings again, in rows too. */
function shownParam(spec: ParamSpec | undefined, value: ParamValue): unknown {
  if (spec?.kind === 'shares' && typeof value === 'number') return formatDecimal(micros(value));
  if (spec?.kind !== 'rows' || typeof value !== 'object') return value;
  return value.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, inner]) => [name, shownParam(spec.fields[name], inner)])),
  );
}

function shownValue(name: string, value: unknown): unknown {
  if (SECRET.test(name) && value !== null) return '********';
  if (typeof value === 'number' && name.endsWith('Micros')) return formatDecimal(micros(value));
  if (typeof value === 'string') return withoutUserInfo(value);
  if (Array.isArray(value)) return value.map((item: unknown) => shownValue('', item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [settingName(key), shownValue(key, inner)]));
}

/** `maxLossDayMicros` is written `max_loss_day` in a file. */
export const settingName = (key: string): string =>
  key.replace(/Micros$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The venue's address may not contain a password, but a path or a parameter may contain anything. */
const withoutUserInfo = (text: string): string => text.replace(/:\/\/[^/@\s]+@/, '://********@');
