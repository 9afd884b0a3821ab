import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PAPER_COSIGNERS } from '../../../src/exchange/service/wallet-signatures.js';
import { loadConfig } from '../../../src/shell/config/load.js';
import { venueFile } from '../../../src/shell/config/shipped.js';
import { folderOf } from '../../support/folders.js';
import { trader } from './files.js';

const PROGRAM = 'ComputeBudget111111111111111111111111111111';

/** The trader on a copy of the worm profile with these changes. */
function loadWith(programs: string, venue = '') {
  const profile = readFileSync(venueFile('worm'), 'utf8').replace(
    'solana_programs: []',
    `solana_programs: ${programs}`,
  );
  const yaml = trader().replace('profile: paper', `profile: mine${venue}`);
  return loadConfig('trader.yaml', { env: {}, cwd: folderOf({ 'trader.yaml': yaml, 'venues/mine.yaml': profile }) });
}

describe('programs whose doing nobody can read', () => {
  test('are named by no shipped profile, and nothing is signed unread by default', async () => {
    for (const name of ['paper', 'worm']) {
      const cwd = folderOf({ 'trader.yaml': trader().replace('paper', name) });
      const { venue } = await loadConfig('trader.yaml', { env: {}, cwd });
      expect(venue).toMatchObject({ name, allowBlindSigning: false });
      expect(venue.profile.solana_programs ?? []).toEqual([]);
      expect(venue.profile.solana_lookup_tables ?? false).toBe(false);
    }
  });

  test('need the operator’s word beside the profile’s', async () => {
    await expect(loadWith(`[${PROGRAM}]`)).rejects.toThrow(
      'trader.yaml:1:19: venue.profile: drafts of this venue call the programs of its solana_programs: its content cannot be checked before signing; to accept that write allow_blind_signing: true',
    );
    const { venue } = await loadWith(`[${PROGRAM}]`, ', allow_blind_signing: true');
    expect(venue).toMatchObject({ allowBlindSigning: true, profile: { solana_programs: [PROGRAM] } });
    // With readable drafts no program is ever called.
    expect((await loadWith(`[${PROGRAM}]`, ', draft_message: utf8')).venue.allowBlindSigning).toBe(false);
  });

  test('have addresses', async () => {
    await expect(loadWith('[memo]')).rejects.toThrow(
      /mine\.yaml:\d+:19: solana_programs\[0]: .*the base58 address of a program/,
    );
  });
});

const [FIRST, SECOND] = PAPER_COSIGNERS;

/** The trader on a copy of the worm profile with these co-signers. */
function loadCosigned(cosigners: string) {
  const profile = readFileSync(venueFile('worm'), 'utf8').replace(
    /draft_cosigners:\n.*\n.*\n/,
    `draft_cosigners: ${cosigners}\n`,
  );
  const yaml = trader().replace('profile: paper', 'profile: mine');
  return loadConfig('trader.yaml', { env: {}, cwd: folderOf({ 'trader.yaml': yaml, 'venues/mine.yaml': profile }) });
}

describe('co-signers of drafts', () => {
  test('are those of the paper exchange in the shipped worm profile, and nobody in the paper profile', async () => {
    const worm = await loadConfig('trader.yaml', {
      env: {},
      cwd: folderOf({ 'trader.yaml': trader().replace('paper', 'worm') }),
    });
    expect(worm.venue.profile.draft_cosigners).toEqual({ keys: [FIRST], fee_payer: FIRST });
    const paper = await loadConfig('trader.yaml', { env: {}, cwd: folderOf({ 'trader.yaml': trader() }) });
    expect(paper.venue.profile.draft_cosigners).toBeUndefined();
  });

  test('may leave the fee to our wallet', async () => {
    const { venue } = await loadCosigned(`{ keys: [${FIRST}, ${SECOND}] }`);
    expect(venue.profile.draft_cosigners).toEqual({ keys: [FIRST, SECOND] });
  });

  test.each([
    ['a key that is none', '{ keys: [somebody] }', /draft_cosigners\.keys\[0]: .*the base58 address of a key/],
    [
      'a key of 31 bytes',
      `{ keys: ["${'1'.repeat(31)}"] }`,
      /draft_cosigners\.keys\[0]: .*the base58 address of a key/,
    ],
    ['a key twice', `{ keys: [${FIRST}, ${FIRST}] }`, /draft_cosigners\.keys: wants every key once/],
    ['no key', '{ keys: [] }', /draft_cosigners\.keys: /],
    ['a payer who does not sign', `{ keys: [${FIRST}], fee_payer: ${SECOND} }`, /fee_payer: wants one of the keys/],
    ['a misspelt field', `{ keys: [${FIRST}], payer: ${FIRST} }`, /unknown key 'payer'/],
  ])('are refused with %s', async (_, cosigners, expected) => {
    await expect(loadCosigned(cosigners)).rejects.toThrow(expected);
  });
});
