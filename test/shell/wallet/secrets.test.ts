/** The last safeguard: it removes a secret in every spelling, and changes nothing else. */

import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { base58 } from '@scure/base';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openLog } from '../../../src/shell/daemon/log.js';
import { Secrets, secrets } from '../../../src/shell/wallet/secrets.js';

const text = fc.string({ minLength: 8, maxLength: 40, unit: 'grapheme' }).filter((value) => value.trim().length >= 8);
const around = fc.string({ maxLength: 12 });

const spellings: readonly (readonly [string, (value: string, before: string, behind: string) => string])[] = [
  ['as it is', (value, before, behind) => before + value + behind],
  ['in JSON', (value, before, behind) => JSON.stringify({ [before]: before + value + behind })],
  ['in JSON in JSON', (value, before) => JSON.stringify(JSON.stringify({ before, value }))],
  ['printed by node', (value) => inspect({ value }, { breakLength: Number.POSITIVE_INFINITY })],
  ['in a query', (value) => `https://x/?a=${encodeURIComponent(value)}&b=1`],
  ['in hex', (value, before, behind) => Buffer.from(before + value + behind).toString('hex')],
  ['in capital hex', (value) => Buffer.from(value).toString('hex').toUpperCase()],
  ['in base64', (value, before, behind) => Buffer.from(before + value + behind).toString('base64')],
  ['in base64 for addresses', (value, before, behind) => Buffer.from(before + value + behind).toString('base64url')],
  ['in base58', (value) => base58.encode(Buffer.from(value))],
];

/** Plain ones: no safeguard covers the quotes of JSON inside JSON. */
const plain = fc.stringMatching(/^[A-Za-z0-9 +/=_-]{8,40}$/).filter((value) => value.trim().length >= 8);

it.each(spellings)('a secret %s is removed', (name, spell) => {
  const drawn = name === 'in JSON in JSON' ? plain : text;
  fc.assert(
    fc.property(drawn, around, around, (value, before, behind) => {
      const net = new Secrets();
      net.hide(value);
      const spelled = spell(value, before, behind);
      const cleaned = net.clean(spelled);
      expect(cleaned).toContain('[redacted]');
      expect(spelled).not.toBe(cleaned);
    }),
    { numRuns: 200 },
  );
});

it('a key is removed as every tool spells it', () => {
  const net = new Secrets();
  const key = randomBytes(32);
  net.hide(key);
  for (const spelled of [
    JSON.stringify([...key]),
    `[ ${[...key].join(', ')} ]`,
    base58.encode(key),
    key.toString('hex'),
    key.toString('base64'),
    `<Buffer ${key.toString('hex').replace(/..(?=.)/g, '$& ')}>`,
  ]) {
    expect(net.clean(`before ${spelled} behind`)).toMatch(/^before \D{0,9}\[redacted\].?=?\D{0,2} behind$/);
  }
});

it('what is no secret goes through unchanged, and so does a value too short to be told from other text', () => {
  const net = new Secrets();
  expect(net.clean('abc')).toBe('abc');
  net.hide('buy');
  net.hide('correct horse');
  expect(net.clean('buy 25 YES at 0.42: correct, horse')).toBe('buy 25 YES at 0.42: correct, horse');
});

it('the log is cleaned by value and by name, also what an error carries', () => {
  const lines: string[] = [];
  const logger = openLog({ level: 'info', file: null }, { write: (line) => void lines.push(line) });
  const value = `canary-"${randomBytes(12).toString('hex')}\\`;
  secrets.hide(value);
  const error = Object.assign(new Error(`got ${value}`), { config: { headers: { deep: [value] } } });
  logger.warn({ err: error, passphrase: 'by name 1', nested: { password: 'by name 2' }, value }, `said ${value}`);
  const written = lines.join('');
  expect(written).toContain('[redacted]');
  expect(written).not.toMatch(/canary|by name/);
});
