/** Reads back what belief-maker saved: it comes from a file, so nothing of it is taken on trust. */

import type { BookSide } from '../../src/trader/strategy/strategy.js';
import type { SavedAbsence } from './absence.js';
import type { Look, SavedBelief } from './belief.js';
import type { SavedMiddle } from './middle.js';
import type { Fill } from './own-fills.js';
import { type SavedTakers, SIZE_SIGMA } from './takers.js';

type Loose = Readonly<Record<string, unknown>>;

/** Values that were not measured when it was saved are null. */
type Saved = Omit<SavedBelief, 'middle'> & {
  readonly absence: SavedAbsence | null;
  readonly middle: SavedMiddle | null;
};

/** Throws TypeError that names the first thing that is missing or of another kind. */
export function readSaved(saved: unknown): Saved {
  const belief = requireRecord(requireRecord(saved, 'the saved state')['belief'], 'belief');
  const grid = requireRecord(belief['grid'], 'grid');
  const fills = requireList(belief['fills'], 'fills');
  return {
    grid: { low: requireNumber(grid, 'low'), mass: requireText(grid, 'mass') },
    last: belief['last'] === null ? null : readLook(requireRecord(belief['last'], 'last')),
    lookEveryS: requirePositive(belief, 'lookEveryS'),
    lagS: readLag(belief),
    jumps: requirePositive(belief, 'jumps'),
    seconds: requirePositive(belief, 'seconds'),
    evidence: requireText(belief, 'evidence'),
    takers: readTakers(requireRecord(belief['takers'], 'takers')),
    // Our own order ids from the engine; each number in them was counted before it was saved.
    fills: fills.map((fill) => readFill(requireRecord(fill, 'fill'))),
    absence: belief['absence'] === undefined ? null : readAbsence(requireRecord(belief['absence'], 'absence')),
    middle: belief['middle'] === undefined ? null : readMiddle(requireRecord(belief['middle'], 'middle')),
  };
}

/** None was saved before it was measured. */
function readAbsence(absence: Loose): SavedAbsence {
  const since = requireRecord(absence['since'], 'since');
  const sinceOf = (side: BookSide): number | null => (since[side] === null ? null : requireNumber(since, side));
  return {
    seconds: Math.max(0, requireNumber(absence, 'seconds')),
    orders: requirePositive(absence, 'orders'),
    since: { bid: sinceOf('bid'), ask: sinceOf('ask') },
  };
}

function readMiddle(middle: Loose): SavedMiddle {
  const open = middle['open'] === null ? null : requireRecord(middle['open'], 'open');
  return {
    products: requireNumber(middle, 'products'),
    squares: Math.max(0, requireNumber(middle, 'squares')),
    moves: Math.max(0, requireNumber(middle, 'moves')),
    count: Math.max(0, requireNumber(middle, 'count')),
    difference: requireNumber(middle, 'difference'),
    open: open && {
      difference: requireNumber(open, 'difference'),
      middle: requireNumber(open, 'middle'),
      spread: requireNumber(open, 'spread'),
    },
  };
}

/** None was saved before it was measured. */
function readLag(belief: Loose): number {
  return belief['lagS'] === undefined ? 0 : Math.max(0, requireNumber(belief, 'lagS'));
}

function readLook(look: Loose): Look {
  const readPrice = (name: string): number | null => (look[name] === null ? null : requirePositive(look, name));
  return {
    bookMs: requireNumber(look, 'bookMs'),
    bid: readPrice('bid'),
    ask: readPrice('ask'),
    bidShares: requireNumber(look, 'bidShares'),
    askShares: requireNumber(look, 'askShares'),
  };
}

function readTakers(takers: Loose): SavedTakers {
  const sizes = requireRecord(takers['sizes'], 'sizes');
  const side = (name: 'bid' | 'ask') =>
    requireList(sizes[name], name).map((size) => {
      const model = requireRecord(size, 'size');
      return {
        weight: requirePositive(model, 'weight'),
        logMean: requireNumber(model, 'logMean'),
        // None was saved before it was learned.
        variance: model['variance'] === undefined ? SIZE_SIGMA ** 2 : requirePositive(model, 'variance'),
        score: requireNumber(model, 'score'),
      };
    });
  return {
    takers: requirePositive(takers, 'takers'),
    seconds: requirePositive(takers, 'seconds'),
    reached: requirePositive(takers, 'reached'),
    reaching: requirePositive(takers, 'reaching'),
    sizes: { bid: side('bid'), ask: side('ask') },
  };
}

function readFill(fill: Loose): Fill {
  for (const name of ['nowMs', 'priceMicros', 'amountMicros']) requireNumber(fill, name);
  if (fill['kind'] !== 'fill' || (fill['side'] !== 'bid' && fill['side'] !== 'ask'))
    throw new TypeError('fill is none');
  // Each field that is used was looked at.
  return fill as unknown as Fill;
}

function requireRecord(value: unknown, name: string): Loose {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError(`${name} is no record`);
  // Any object can be read by name; the type of a value stays unknown.
  return value as Loose;
}

function requireList(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`${name} is no list`);
  return value;
}

function requireNumber(record: Loose, name: string): number {
  const value = record[name];
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new TypeError(`${name} is no number`);
  return value;
}

function requirePositive(record: Loose, name: string): number {
  const value = requireNumber(record, name);
  if (value <= 0) throw new TypeError(`${name} is not above 0`);
  return value;
}

function requireText(record: Loose, name: string): string {
  const value = record[name];
  if (typeof value !== 'string') throw new TypeError(`${name} is no text`);
  return value;
}
