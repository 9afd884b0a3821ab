/** The doctor's findings about signatures and drafts. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { base58 } from '@scure/base';
import { describe, expect, test } from 'vitest';
import type { DraftReport } from '../../../src/cli/draft.js';
import { PAPER_COSIGNERS } from '../../../src/exchange/service/wallet-signatures.js';
import type { Micros } from '../../../src/shared/base/micros.js';
import { writeDraftMessage } from '../../../src/shared/protocol/drafts/draft-message.js';
import { type DraftText, writeDraftText } from '../../../src/shared/protocol/drafts/draft-text.js';
import { MEMO_PROGRAM, writeMemoTransaction } from '../../../src/shared/protocol/drafts/solana-message.js';
import { trader } from '../../shell/config/files.js';
import { folderOf } from '../../support/folders.js';
import { run } from '../run.js';

describe('the doctor reads a draft', () => {
  const draft: DraftText = {
    serviceName: 'SVC',
    marketConditionId: 'mkt-1',
    draftPubkey: base58.encode(new Uint8Array(32).fill(5)),
    expires: 1_714_300_060,
    terms: { action: 'merge-shares', amount: 10_000_000 as Micros },
  };

  async function reading(settings: string, make: (wallet: string) => string, profile = 'paper') {
    const cwd = folderOf({ 'trader.yaml': trader().replace('profile: paper', `profile: ${profile}${settings}`) });
    const wallet = (await run(['keys', 'create', '--plain-text-key', '--file', 'wallet.json'], { cwd })).out.trim();
    writeFileSync(join(cwd, 'draft.txt'), make(wallet));
    const args = ['doctor', '-c', 'trader.yaml', '--draft', 'draft.txt'];
    const shown = await run(args, { cwd });
    const { code, out } = await run([...args, '--json'], { cwd });
    return { wallet, code, shown: shown.out, report: JSON.parse(out) as DraftReport };
  }

  test('that is text', async () => {
    const { code, report } = await reading('', () => `${writeDraftText(draft)}\n`);
    expect(code).toBe(0);
    expect(report).toMatchObject({
      draft_message: 'utf8',
      transaction: null,
      text: writeDraftText(draft),
      verdict: 'readable',
      reason: '',
      asks: { service: 'SVC', market: 'mkt-1', draft: draft.draftPubkey, action: 'merge-shares', amount: '10' },
    });
  });

  test('that is a transaction, out of an answer of the service', async () => {
    const { wallet, code, report, shown } = await reading(', draft_message: solana_tx', (address) =>
      JSON.stringify({ data: { pubkey: draft.draftPubkey, message: writeDraftMessage('solana_tx', draft, address) } }),
    );
    expect(code).toBe(0);
    expect(report).toMatchObject({
      verdict: 'readable',
      text: writeDraftText(draft),
      asks: { amount: '10' },
      transaction: { fee_payer: wallet, signers: [wallet], programs: [MEMO_PROGRAM], lookup_tables: [] },
    });
    expect(shown).toContain(`fee payer      ${wallet} (our wallet)`);
    expect(shown).toContain(`instruction 1  ${MEMO_PROGRAM} (Memo), ${writeDraftText(draft).length} bytes`);
    expect(shown).toContain('verdict        signed for an intent that says exactly the same, and for no other');
  });

  test('that the service signs and pays for, as its profile says; a signer whom nobody names is shown as such', async () => {
    const [cosigner = '', stranger = ''] = PAPER_COSIGNERS;
    const worm = { ...draft, serviceName: 'Worm' };
    const readingWorm = (keys: readonly string[]) =>
      reading(
        '',
        (address) => writeDraftMessage('solana_tx', worm, address, { keys: [...keys], fee_payer: cosigner }),
        'worm',
      );
    const good = await readingWorm([cosigner]);
    expect(good.code).toBe(0);
    expect(good.report).toMatchObject({
      verdict: 'readable',
      reason: '',
      transaction: { fee_payer: cosigner, signers: [cosigner, good.wallet], cosigners: [cosigner] },
    });
    expect(good.shown).toContain(`fee payer      ${cosigner} (co-signer of the profile)`);
    expect(good.shown).toContain(`2: ${cosigner} (co-signer of the profile), ${good.wallet} (our wallet)`);
    const bad = await readingWorm([cosigner, stranger]);
    expect(bad.code).toBe(1);
    expect(bad.shown).toContain(`${stranger} (named nowhere)`);
    expect(bad.shown).toContain(`wants 3 signers; draft_cosigners of the venue profile does not name ${stranger}`);
  });

  test('that would not be signed, and says why', async () => {
    const payer = base58.encode(new Uint8Array(32).fill(7));
    const text = writeDraftText(draft);
    const { code, report, shown } = await reading(', draft_message: solana_tx', () =>
      writeMemoTransaction({ wallet: payer, text, blockhash: payer, version: 0 }),
    );
    expect(code).toBe(1);
    expect(report).toMatchObject({ verdict: 'refused', text, transaction: { fee_payer: payer } });
    expect(shown).toContain(`the transaction is paid by ${payer}, not by our wallet`);
  });

  test('that nobody can read', async () => {
    const make = (wallet: string) => writeDraftMessage('opaque', draft, wallet);
    const { code, report } = await reading(', draft_message: opaque, allow_blind_signing: true', make);
    expect(code).toBe(0);
    expect(report).toMatchObject({ verdict: 'blind', text: null, asks: null, transaction: null });
  });

  test('that is not there', async () => {
    const cwd = folderOf({ 'trader.yaml': trader() });
    const ran = await run(['doctor', '-c', 'trader.yaml', '--draft', 'none.txt'], { cwd });
    expect(ran).toMatchObject({ code: 1, out: '', err: expect.stringContaining('none.txt cannot be read: ENOENT') });
  });
});
