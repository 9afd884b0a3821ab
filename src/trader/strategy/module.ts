/** Checks that a loaded module is a strategy; it may be untyped JavaScript. */

import { TwinbookError } from '../../shared/base/errors.js';
import type { Strategy } from './contract.js';
import { ASKED_EVENTS } from './events.js';
import { LIVE_CLASSES } from './params.js';
import { readParams } from './read-params.js';

/**
 * Returns the strategy that a module exports by default. `where` names the module in errors. Throws TwinbookError
 * `strategy_invalid` that names the missing part, or a default outside its range.
 */
export function strategyFrom(moduleExports: unknown, where: string): Strategy {
  const found = defaultExport(moduleExports);
  const wrong = found === null ? 'it has no default export' : wrongPart(found);
  if (found === null || wrong !== null) {
    const hint = 'export default defineStrategy({ name, summary, params, create }) from the module';
    throw new TwinbookError('strategy_invalid', `${where} is not a strategy: ${wrong}`, hint);
  }
  // The lines above have checked every part that the host uses.
  const strategy = found as unknown as Strategy;
  const [problem] = readParams(strategy, {}).problems;
  if (problem === undefined) return strategy;
  const at = problem.path.length === 0 ? '' : ` ${problem.path.join('.')}`;
  throw new TwinbookError(
    'strategy_invalid',
    `${where}: the default of parameter${at}: ${problem.message}`,
    'Put the default in the strategy’s module within its own range.',
  );
}

type Loose = Readonly<Record<string, unknown>>;

/** Loaders for CommonJS wrap the default export once more. */
function defaultExport(moduleExports: unknown): Loose | null {
  const outer = asRecord(asRecord(moduleExports)?.['default']);
  return asRecord(outer?.['default']) ?? outer;
}

function asRecord(value: unknown): Loose | null {
  // Reading any property of an object is safe, and its type stays unknown.
  return typeof value === 'object' && value !== null ? (value as Loose) : null;
}

function wrongPart(found: Loose): string | null {
  const { name, summary, params, create, check, state, takes, inputs, scope, observes } = found;
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]*$/.test(name)) return 'name must be lower case with dashes';
  if (typeof summary !== 'string') return 'summary must be a text';
  if (typeof create !== 'function') return 'create must be a function';
  if (check !== undefined && typeof check !== 'function') return 'check must be a function';
  if (
    state !== undefined &&
    !(Number(asRecord(state)?.['version']) >= 1 && Number.isSafeInteger(asRecord(state)?.['version']))
  )
    return 'state must have a version, 1 or more';
  if (scope !== undefined && scope !== 'market' && scope !== 'event')
    return `scope must be 'market' or 'event', got ${JSON.stringify(scope)}`;
  if (inputs !== undefined && !isInputs(asRecord(inputs))) return 'inputs may only hold event: true';
  if (scope === 'event' && inputs !== undefined)
    return "inputs must be absent when scope is 'event': its view shows all markets";
  if (takes !== undefined && takes !== true) return 'takes must be true, or absent';
  if (observes !== undefined && !isObserves(observes)) return `observes must be a list of ${ASKED_EVENTS.join(', ')}`;
  const specs = asRecord(params);
  return specs === null ? 'params must be an object' : wrongSpec(specs);
}

const isInputs = (inputs: Loose | null): boolean =>
  inputs !== null && Object.entries(inputs).every(([name, value]) => name === 'event' && value === true);

const isObserves = (observes: unknown): boolean =>
  Array.isArray(observes) && observes.every((kind) => ASKED_EVENTS.some((known) => known === kind));

const NUMERIC = ['integer', 'number'];

function wrongSpec(specs: Loose): string | null {
  for (const [name, value] of Object.entries(specs)) {
    const spec = asRecord(value);
    if (spec === null || typeof spec['help'] !== 'string') return `parameter ${name} must have a help text`;
    const { kind, live } = spec;
    if (live !== undefined && !LIVE_CLASSES.some((known) => known === live))
      return `parameter ${name}: live must be one of ${LIVE_CLASSES.join(', ')}`;
    if (kind === 'rows') {
      const inner = asRecord(spec['fields']);
      const wrong = inner === null ? `parameter ${name} must have fields` : wrongSpec(inner);
      if (wrong !== null) return wrong;
    } else if (kind === 'choice') {
      if (!Array.isArray(spec['choices'])) return `parameter ${name} must have choices`;
    } else if (NUMERIC.includes(String(kind))) {
      if (typeof spec['unit'] !== 'string') return `parameter ${name} must have a unit`;
    } else if (kind !== 'shares' && kind !== 'boolean' && kind !== 'feed') {
      return `parameter ${name} is of unknown kind ${JSON.stringify(kind)}`;
    }
  }
  return null;
}
