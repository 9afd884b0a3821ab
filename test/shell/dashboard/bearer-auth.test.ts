import { describe, expect, it } from 'vitest';
import { BearerAuth } from '../../../src/shell/dashboard/bearer-auth.js';

describe('the pass', () => {
  it('opens for the secret and nothing else', () => {
    const pass = new BearerAuth([['operate', 'correct horse']]);
    expect(pass.check('Bearer correct horse')).toBe('operate');
    const wrong = ['correct horse', 'Bearer', 'Bearer ', 'bearer correct horse', 'Basic correct horse', undefined];
    for (const given of [...wrong, 'Bearer correct hors', 'Bearer correct horse '])
      expect(pass.check(given)).toBe('wrong');
    expect(pass.check('Bearer correct horse')).toBe('operate');
  });

  it('lets nobody in for a minute after ten wrong ones, and then again', () => {
    let nowMs = 0;
    const pass = new BearerAuth([['operate', 'secret']], () => nowMs);
    for (let guess = 0; guess < 10; guess++) {
      expect(pass.check(`Bearer ${guess}`)).toBe('wrong');
      nowMs += 1_000;
    }
    expect(pass.check('Bearer secret')).toBe('too many guesses');
    nowMs = 60_000;
    expect(pass.check('Bearer secret')).toBe('operate');
  });

  it('does not count who brings none: the page asks before its operator has typed', () => {
    const pass = new BearerAuth([['operate', 'secret']], () => 0);
    for (let ask = 0; ask < 100; ask++) expect(pass.check(undefined)).toBe('wrong');
    expect(pass.check('Bearer secret')).toBe('operate');
  });

  it('tells whose secret it was', () => {
    const pass = new BearerAuth([
      ['view', 'to look'],
      ['stop', 'to stop'],
    ]);
    expect(['Bearer to look', 'Bearer to stop', 'Bearer to'].map((given) => pass.check(given))).toEqual([
      'view',
      'stop',
      'wrong',
    ]);
  });
});
