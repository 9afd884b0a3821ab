/** A part of the corpus; `npm run lab -- signer-corpus` runs all of it. */

import { describe, expect, it } from 'vitest';
import { times } from '../../../support/effort.js';
import { HONEST_FORMS, HOSTILE_CLASSES, isWireHonest, tryClass, tryHonest } from './corpus.js';

const SEED = 7;
const [CASES, HONEST_CASES] = times([3, 30], [30, 300]);

describe('the corpus of hostile drafts', () => {
  it('has at least a hundred classes, each with a name of its own', () => {
    const names = HOSTILE_CLASSES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(100);
  });

  it('makes its malformed transactions from the very bytes that the packages write', () =>
    expect(isWireHonest(SEED)).toBe(true));

  it.each(HOSTILE_CLASSES)('$name: never signed, for its own reason', (kind) => {
    const { name } = kind;
    expect(tryClass(kind, CASES, SEED)).toEqual({ name, cases: CASES, signed: 0, misjudged: 0, example: '' });
  });

  it.each(HONEST_FORMS)('honest drafts as %s are all signed, over the bytes that they should be', (form) => {
    expect(tryHonest(form, HONEST_CASES, SEED)).toEqual({ form, cases: HONEST_CASES, refused: 0, example: '' });
  });

  it('finds a signer that compares nothing', () => {
    const careless = { name: 'careless', because: /never/, ask: () => ({ ok: true, signature: '00' }) as const };
    expect(tryClass(careless, 3, SEED)).toMatchObject({ signed: 3, example: 'seed 7, case 1: signed' });
  });
});
