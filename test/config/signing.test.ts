import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.js';
import { venueFile } from '../../src/config/shipped.js';
import { folderWith, trader } from './files.js';

const PROGRAM = 'ComputeBudget111111111111111111111111111111';

/** The trader on a copy of the worm profile, changed like this. */
function loadWith(programs: string, venue = '') {
  const profile = readFileSync(venueFile('worm'), 'utf8').replace(
    'solana_programs: []',
    `solana_programs: ${programs}`,
  );
  const yaml = trader().replace('profile: paper', `profile: mine${venue}`);
  return loadConfig('trader.yaml', { env: {}, cwd: folderWith({ 'trader.yaml': yaml, 'venues/mine.yaml': profile }) });
}

describe('programs whose doing nobody can read', () => {
  test('are named by no shipped profile, and nothing is signed unread by default', async () => {
    for (const name of ['paper', 'worm']) {
      const cwd = folderWith({ 'trader.yaml': trader().replace('paper', name) });
      const { venue } = await loadConfig('trader.yaml', { env: {}, cwd });
      expect(venue).toMatchObject({ name, allowBlindSigning: false });
      expect(venue.profile.solana_programs ?? []).toEqual([]);
      expect(venue.profile.solana_lookup_tables ?? false).toBe(false);
    }
  });

  test('need the operator’s word beside the profile’s', async () => {
    await expect(loadWith(`[${PROGRAM}]`)).rejects.toThrow(
      'trader.yaml:1:19: venue.profile: drafts of this venue call the programs of its solana_programs: nobody can check what is signed; to accept that write allow_blind_signing: true',
    );
    const { venue } = await loadWith(`[${PROGRAM}]`, ', allow_blind_signing: true');
    expect(venue).toMatchObject({ allowBlindSigning: true, profile: { solana_programs: [PROGRAM] } });
    // Where drafts are readable text, no program is ever called.
    expect((await loadWith(`[${PROGRAM}]`, ', draft_message: utf8')).venue.allowBlindSigning).toBe(false);
  });

  test('have addresses', async () => {
    await expect(loadWith('[memo]')).rejects.toThrow(
      /mine\.yaml:\d+:19: solana_programs\[0]: .*the base58 address of a program/,
    );
  });
});
