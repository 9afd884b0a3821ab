/** A trader's configuration with other values for some parameters of its strategies. */

import { assert, TwinbookError } from '../../shared/base/errors.js';
import type { Config, StrategyConfig } from '../../shell/config/types.js';
import type { ParamValues } from '../../trader/strategy/params.js';
import { describeWanted, type ParamsRead, readParams } from '../../trader/strategy/read-params.js';
import { rawParams } from './axes.js';
import type { Axis, RawValue } from './contract.js';
import { hashValue } from './identity.js';

/** Parameters of every strategy in order, or why these values cannot be combined. */
type Combined =
  | { readonly ok: true; readonly params: readonly ParamValues[] }
  | { readonly ok: false; readonly why: string };

/**
 * Values for these axes, checked by the strategies. An invalid value is a TwinbookError `usage`; values that cannot be
 * combined are a result, since a grid may contain some.
 */
export function combine(config: Config, axes: readonly Axis[], values: readonly RawValue[]): Combined {
  const params: ParamValues[] = [];
  for (const strategy of config.strategies) {
    const own = axes.flatMap((axis, index) =>
      axis.strategy === strategy.name ? [{ axis, value: values[index] }] : [],
    );
    const read = readWith(strategy, own);
    if (read.values === null) return { ok: false, why: why(strategy, own, read) };
    params.push(read.values);
  }
  return { ok: true, params };
}

export function configWith(config: Config, axes: readonly Axis[], values: readonly RawValue[]): Config {
  const combined = combine(config, axes, values);
  assert(combined.ok, 'values that were combined before');
  const strategies = config.strategies.map((strategy, index) => ({
    ...strategy,
    params: combined.params[index] ?? strategy.params,
  }));
  return { ...config, strategies };
}

/** Equal for equal settings, whichever were varied. */
export const candidateHash = ({ configHash }: Config, params: readonly ParamValues[]): string =>
  hashValue({ configHash, params });

type Own = readonly { readonly axis: Axis; readonly value: RawValue | undefined }[];

function readWith(strategy: StrategyConfig, own: Own): ParamsRead {
  const raw = structuredClone(rawParams(strategy));
  for (const { axis, value } of own) put(raw, axis.path, value);
  return readParams(strategy.module, raw);
}

/** Into the parameter, or into the field of one of its rows. */
function put(raw: Record<string, unknown>, path: Axis['path'], value: RawValue | undefined): void {
  const [name = '', row, field] = path;
  const rows = raw[name];
  if (row === undefined || !Array.isArray(rows)) raw[name] = value;
  // Rows are records; this one was found when the axis was parsed.
  else (rows[Number(row)] as Record<string, unknown>)[String(field)] = value;
}

function why(strategy: StrategyConfig, own: Own, { problems }: ParamsRead): string {
  for (const { axis } of own) {
    const problem = problems.find(({ path }) => path.join('.') === axis.path.join('.'));
    if (problem !== undefined) throw makeAxisError(strategy, axis, problem.message);
  }
  return `${strategy.name}: ${problems.map(({ message }) => message).join('; ')}`;
}

function makeAxisError({ name, module }: StrategyConfig, axis: Axis, message: string): TwinbookError {
  const list = Object.entries(module.params).map(([param, spec]) => `${param} (${describeWanted(spec)})`);
  return new TwinbookError('usage', `--param ${axis.name}: ${message}`, `Parameters of ${name}: ${list.join('; ')}.`);
}
