/** The doctor's findings about signatures and drafts. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { base58 } from '@scure/base';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkSignedRequests } from '../../../src/cli/doctor.js';
import type { DraftReport } from '../../../src/cli/draft.js';
import { PAPER_DEFAULTS, startExchange } from '../../../src/exchange/exchange.js';
import { PAPER_COSIGNERS } from '../../../src/exchange/service/wallet-signatures.js';
import type { Micros } from '../../../src/shared/base/micros.js';
import { writeDraftMessage } from '../../../src/shared/protocol/drafts/draft-message.js';
import { type DraftText, writeDraftText } from '../../../src/shared/protocol/drafts/draft-text.js';
import { MEMO_PROGRAM, writeMemoTransaction } from '../../../src/shared/protocol/drafts/solana-message.js';
import { readProfile } from '../../../src/shell/config/config.js';
import { venueFile } from '../../../src/shell/config/shipped.js';
import { envelope, HostileServer } from '../../shell/client/hostile-server.js';
import { trader } from '../../shell/config/files.js';
import { type Alter, alteringProxy } from '../../support/altering-proxy.js';
import { folderOf } from '../../support/folders.js';
import { run } from '../run.js';

const profile = readProfile(venueFile('paper'), '/');

/** A folder with wallet and credentials for an exchange behind a proxy. */
async function behindProxy(controls = true) {
  const exchange = await startExchange({ ...PAPER_DEFAULTS, profile, port: 0, crowd: false, controls });
  onTestFinished(() => exchange.close());
  const proxy = await alteringProxy(exchange.url);
  const cwd = folderOf({
    'trader.yaml': trader().replace('profile: paper', `profile: paper, base_url: "${proxy.url}"`),
  });
  await run(['keys', 'create', '--plain-text-key', '--file', 'wallet.json'], { cwd });
  const { code } = await run(['keys', 'bootstrap', '-c', 'trader.yaml'], { cwd });
  expect(code).toBe(0);
  const doctor = async () => {
    const { out } = await run(['doctor', '-c', 'trader.yaml', '--json'], { cwd });
    const checks = JSON.parse(out) as { name: string; result: string; text: string; hint: string }[];
    const check = checks.find(({ name }) => name === 'signed request');
    return { result: check?.result, text: check?.text ?? '', hint: check?.hint ?? '', out };
  };
  return { cwd, proxy, doctor };
}

describe('the doctor compares a signed request with what the venue computed', () => {
  test('and finds every byte the same', async () => {
    const { doctor } = await behindProxy();
    expect(await doctor()).toMatchObject({
      result: 'ok',
      text: expect.stringMatching(/^all \d{3} bytes of a GET and a POST equal the venue's, and both signatures match$/),
    });
  });

  test.each<[string, Alter, RegExp]>([
    [
      'a comma that was decoded',
      ({ path }) => ({ path: path.replace('%2C', ',') }),
      /^GET: the path differs at byte 34 \(byte 47 of what is signed\): sent "….*\?status=open\[%]2Cfilled.*", the venue got ".*status=open\[,]filled/,
    ],
    [
      'a body with a line more',
      ({ body }) => ({ body: body === '' ? '' : `${body}\n` }),
      /^POST: the body differs at byte \d+ .*: sent ".*\[]", the venue got ".*\[\\x0a]"$/,
    ],
    [
      'letters in another encoding',
      ({ body }) => ({ body: body.replace('é', 'e') }),
      /^POST: the body differs .*: sent ".*\[\\xc3]\\xa9.*, the venue got ".*\[e] /,
    ],
    [
      'no timestamp',
      ({ headers: { 'svc-timestamp': _, ...headers } }) => ({ headers }),
      /^GET: the timestamp differs at byte 0 .*: sent "\[\d]\d{9}", the venue got "\[]"$/,
    ],
    [
      'another method',
      ({ path, method }) => ({ method: path.startsWith('/paper/') ? 'POST' : method }),
      /^GET: the method differs at byte 0 \(byte 10 of what is signed\): sent "\[G]ET", the venue got "\[P]OST"$/,
    ],
  ])('and names the byte: %s', async (_, alter, text) => {
    const { proxy, doctor } = await behindProxy();
    proxy.alter = alter;
    const { result, text: said, hint } = await doctor();
    expect(said).toMatch(text);
    expect({ result, hint }).toEqual({ result: 'fail', hint: expect.stringContaining('rewrites requests') });
  });

  test('and tells the same bytes under another secret from other bytes, without showing either', async () => {
    const { cwd, doctor } = await behindProxy();
    const file = join(cwd, 'credentials.json');
    const stored = readFileSync(file, 'utf8');
    const secret = /"secret": ?"([^"]+)"/.exec(stored)?.[1] ?? '';
    writeFileSync(file, stored.replace(secret, `${secret}x`));
    const { result, text, out } = await doctor();
    expect({ result, text }).toEqual({
      result: 'fail',
      text: 'GET: the venue got the same bytes and refuses them: Invalid signature',
    });
    expect(out).not.toContain(secret);
  });

  test('and shows no control characters of a venue that says why it refuses', async () => {
    const venue = await HostileServer.start();
    onTestFinished(() => venue.stop());
    venue.answer = (response, { method, url: path, body, headers }) => {
      const computed = { timestamp: headers['svc-timestamp'], method, path, body, signature_matches: false };
      response.end(envelope({ ...computed, refusal: 'No\u001b[2J' }));
    };
    const subject = { baseUrl: venue.url, profile, credentials: { apiKey: 'k', secret: 's' }, venueSeconds: 1 };
    const { result, text } = await checkSignedRequests(subject);
    expect({ result, text }).toEqual({
      result: 'fail',
      text: 'GET: the venue got the same bytes and refuses them: No\\x1b[2J',
    });
  });

  test('and says so where a venue does not show what it computes', async () => {
    const { doctor } = await behindProxy(false);
    expect(await doctor()).toMatchObject({
      result: 'ok',
      text: expect.stringContaining('does not show what it computes (HTTP 404)'),
    });
  });
});

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
