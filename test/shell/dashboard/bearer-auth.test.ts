import { describe, expect, it } from 'vitest';
import { BearerAuth } from '../../../src/shell/dashboard/admission.js';
import { Guesses } from '../../../src/shell/dashboard/sessions.js';

describe('the token of the metrics', () => {
  it('opens for itself and nothing else', () => {
    const auth = new BearerAuth(['correct horse'], new Guesses(() => 0));
    expect(auth.check('Bearer correct horse')).toBe('right');
    const wrong = ['correct horse', 'Bearer', 'Bearer ', 'bearer correct horse', 'Basic correct horse', undefined];
    for (const given of [...wrong, 'Bearer correct hors', 'Bearer correct horse '])
      expect(auth.check(given)).toBe('wrong');
    expect(auth.check('Bearer correct horse')).toBe('right');
  });

  it('is refused for a minute after ten wrong ones, and then accepted again', () => {
    let nowMs = 0;
    const guesses = new Guesses(() => nowMs);
    const auth = new BearerAuth(['secret', 'another'], guesses);
    for (let guess = 0; guess < 10; guess++) {
      expect(auth.check(`Bearer ${guess}`)).toBe('wrong');
      nowMs += 1_000;
    }
    expect(auth.check('Bearer secret')).toBe('too many guesses');
    nowMs = 60_000;
    for (const token of ['secret', 'another']) expect(auth.check(`Bearer ${token}`)).toBe('right');
    expect(guesses.count).toBe(10);
  });

  it('counts no caller without a token as a guesser', () => {
    const auth = new BearerAuth(['secret', 'another'], new Guesses(() => 0));
    for (let ask = 0; ask < 100; ask++) expect(auth.check(undefined)).toBe('wrong');
    expect(auth.check('Bearer secret')).toBe('right');
  });

  it('opens nothing where none is set', () => {
    const auth = new BearerAuth([], new Guesses(() => 0));
    for (const given of ['Bearer ', 'Bearer null', 'Bearer undefined']) expect(auth.check(given)).toBe('wrong');
  });
});
