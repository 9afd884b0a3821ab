/** Reads back what belief-maker saved: it comes from a file, so nothing of it is taken on trust. */

import type { BookSide } from '../../src/trader/strategy/strategy.js';
import type { SavedAbsence } from './absence.js';
import type { Look, SavedBelief } from './belief.js';
import type { Fill } from './own-fills.js';
import type { SavedTakers } from './takers.js';

type Loose = Readonly<Record<string, unknown>>;

/** Throws TypeError that names the first thing that is missing or of another kind. */
export function readSaved(saved: unknown): SavedBelief & { readonly absence: SavedAbsence | null } {
  const belief = recordOf(recordOf(saved, 'the saved state')['belief'], 'belief');
  const grid = recordOf(belief['grid'], 'grid');
  const fills = listOf(belief['fills'], 'fills');
  return {
    grid: { low: numberOf(grid, 'low'), mass: textOf(grid, 'mass') },
    last: belief['last'] === null ? null : readLook(recordOf(belief['last'], 'last')),
    lookEveryS: positiveOf(belief, 'lookEveryS'),
    lagS: lagOf(belief),
    jumps: positiveOf(belief, 'jumps'),
    seconds: positiveOf(belief, 'seconds'),
    evidence: textOf(belief, 'evidence'),
    takers: readTakers(recordOf(belief['takers'], 'takers')),
    // Of our own making, as the engine tells them; each number in them was counted before it was saved.
    fills: fills.map((fill) => readFill(recordOf(fill, 'fill'))),
    absence: belief['absence'] === undefined ? null : readAbsence(recordOf(belief['absence'], 'absence')),
  };
}

/** None was saved before it was measured. */
function readAbsence(absence: Loose): SavedAbsence {
  const since = recordOf(absence['since'], 'since');
  const sinceOf = (side: BookSide): number | null => (since[side] === null ? null : numberOf(since, side));
  return {
    seconds: Math.max(0, numberOf(absence, 'seconds')),
    orders: positiveOf(absence, 'orders'),
    since: { bid: sinceOf('bid'), ask: sinceOf('ask') },
  };
}

/** None was saved before it was measured. */
function lagOf(belief: Loose): number {
  return belief['lagS'] === undefined ? 0 : Math.max(0, numberOf(belief, 'lagS'));
}

function readLook(look: Loose): Look {
  const priceOf = (name: string): number | null => (look[name] === null ? null : positiveOf(look, name));
  return {
    bookMs: numberOf(look, 'bookMs'),
    bid: priceOf('bid'),
    ask: priceOf('ask'),
    bidShares: numberOf(look, 'bidShares'),
    askShares: numberOf(look, 'askShares'),
  };
}

function readTakers(takers: Loose): SavedTakers {
  const sizes = recordOf(takers['sizes'], 'sizes');
  const side = (name: 'bid' | 'ask') =>
    listOf(sizes[name], name).map((size) => {
      const model = recordOf(size, 'size');
      return {
        weight: positiveOf(model, 'weight'),
        logMean: numberOf(model, 'logMean'),
        score: numberOf(model, 'score'),
      };
    });
  return {
    takers: positiveOf(takers, 'takers'),
    seconds: positiveOf(takers, 'seconds'),
    reached: positiveOf(takers, 'reached'),
    reaching: positiveOf(takers, 'reaching'),
    sizes: { bid: side('bid'), ask: side('ask') },
  };
}

function readFill(fill: Loose): Fill {
  for (const name of ['nowMs', 'priceMicros', 'amountMicros']) numberOf(fill, name);
  if (fill['kind'] !== 'fill' || (fill['side'] !== 'bid' && fill['side'] !== 'ask'))
    throw new TypeError('fill is none');
  // Each field that is used was looked at.
  return fill as unknown as Fill;
}

function recordOf(value: unknown, name: string): Loose {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError(`${name} is no record`);
  // Any object can be read by name; what a name holds stays unknown.
  return value as Loose;
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`${name} is no list`);
  return value;
}

function numberOf(record: Loose, name: string): number {
  const value = record[name];
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new TypeError(`${name} is no number`);
  return value;
}

function positiveOf(record: Loose, name: string): number {
  const value = numberOf(record, name);
  if (value <= 0) throw new TypeError(`${name} is not above 0`);
  return value;
}

function textOf(record: Loose, name: string): string {
  const value = record[name];
  if (typeof value !== 'string') throw new TypeError(`${name} is no text`);
  return value;
}
