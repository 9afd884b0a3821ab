import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/shell/config/load.js';
import { venueFile } from '../../../src/shell/config/shipped.js';
import { PAPER_COSIGNERS } from '../../exchange/cosigners.js';
import { folderOf } from '../../support/folders.js';
import { trader } from './files.js';

const PROGRAM = 'ComputeBudget111111111111111111111111111111';
const [FIRST, SECOND] = PAPER_COSIGNERS;

/** The trader on a profile, or on a copy of worm's with this change. */
async function loadOn(profile: string, from: string | RegExp = '', to = '') {
  const copy = readFileSync(venueFile('worm'), 'utf8').replace(from, to);
  const yaml = trader().replace('profile: paper', `profile: ${profile}`);
  const cwd = folderOf({ 'trader.yaml': yaml, 'venues/mine.yaml': copy });
  return (await loadConfig('trader.yaml', { env: {}, cwd })).venue;
}

const loadWith = (programs: string, venue = '') =>
  loadOn(`mine${venue}`, 'solana_programs: []', `solana_programs: ${programs}`);

test.each([
  ['paper', undefined],
  ['worm', { keys: [FIRST], fee_payer: FIRST }],
] as const)('the profile %s signs nothing unread, and names the co-signers', async (name, cosigners) => {
  const { profile, ...venue } = await loadOn(name);
  expect(venue).toMatchObject({ name, allowBlindSigning: false });
  expect([profile.solana_programs ?? [], profile.solana_lookup_tables ?? false]).toEqual([[], false]);
  expect(profile.draft_cosigners).toEqual(cosigners);
});

describe('programs whose doing nobody can read', () => {
  test('need the operator’s word beside the profile’s', async () => {
    await expect(loadWith(`[${PROGRAM}]`)).rejects.toThrow(
      'trader.yaml:1:19: venue.profile: drafts of this venue call programs listed in its solana_programs, so the content of drafts cannot be checked before signing; to accept that, write allow_blind_signing: true',
    );
    const allowed = await loadWith(`[${PROGRAM}]`, ', allow_blind_signing: true');
    expect(allowed).toMatchObject({ allowBlindSigning: true, profile: { solana_programs: [PROGRAM] } });
    // With readable drafts no program is ever called.
    expect((await loadWith(`[${PROGRAM}]`, ', draft_message: utf8')).allowBlindSigning).toBe(false);
  });

  test('have addresses', () =>
    expect(loadWith('[memo]')).rejects.toThrow(
      /mine\.yaml:\d+:19: solana_programs\[0]: .*the base58 address of a program/,
    ));
});

const loadCosigned = (keys: string) => loadOn('mine', /draft_cosigners:\n.*\n.*\n/, `draft_cosigners: ${keys}\n`);

describe('co-signers of drafts', () => {
  test('may leave the fee to our wallet', async () => {
    const { profile } = await loadCosigned(`{ keys: [${FIRST}, ${SECOND}] }`);
    expect(profile.draft_cosigners).toEqual({ keys: [FIRST, SECOND] });
  });

  test.each([
    ['a key that is none', '{ keys: [somebody] }', /draft_cosigners\.keys\[0]: .*the base58 address of a key/],
    ['a short key', `{ keys: ["${'1'.repeat(31)}"] }`, /draft_cosigners\.keys\[0]: .*the base58 address of a key/],
    ['a key twice', `{ keys: [${FIRST}, ${FIRST}] }`, /draft_cosigners\.keys: wants every key once/],
    ['no key', '{ keys: [] }', /draft_cosigners\.keys: /],
    ['a payer who does not sign', `{ keys: [${FIRST}], fee_payer: ${SECOND} }`, /fee_payer: wants one of the keys/],
    ['a misspelt field', `{ keys: [${FIRST}], payer: ${FIRST} }`, /unknown key 'payer'/],
  ])('are refused with %s', (_, cosigners, expected) => expect(loadCosigned(cosigners)).rejects.toThrow(expected));
});
