import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { base58 } from '@scure/base';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  createKeyFile,
  forgetCredentials,
  importKeyFile,
  isSealedKeyFile,
  loadCredentials,
  openKeyFile,
  saveCredentials,
  walletPassphrase,
} from '../../../src/shell/wallet/key-file.js';
import { secrets } from '../../../src/shell/wallet/secrets.js';
import { newFolder } from '../../support/folders.js';
import { refusalOf } from '../../trader/ledger/books.js';

/** A key made by node:crypto: seed and public key as another tool would store them. */
function foreignKey() {
  // Encoded at once: Node 20 deadlocks when a key is exported while the job that made it is collected.
  const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  });
  // The key is the last 32 bytes of either form.
  const [seed, x] = [privateKey.subarray(-32), publicKey.subarray(-32)];
  return { seed, both: Buffer.concat([seed, x]), address: base58.encode(x) };
}

const cheap = { n: 2 ** 12, r: 8, p: 1 };
let folder = '';
let path = '';
beforeEach(() => {
  folder = newFolder();
  path = join(folder, 'wallet.json');
});

const put = (text: string, mode = 0o600) => {
  writeFileSync(path, text, { mode });
  chmodSync(path, mode);
};
const open = (passphrase: string | null = null) => openKeyFile({ path, passphrase });

/** The text of a sealed key file with other sealed values. */
function resealed(text: string, change: object): string {
  const content = JSON.parse(text);
  return JSON.stringify({ ...content, sealed: { ...content.sealed, ...change } });
}

describe('the key file', () => {
  it('is created with mode 0600 in a folder of its own, opens again, and leaves no temporary file', () => {
    path = join(folder, 'deep', 'wallet.json');
    const wallet = createKeyFile({ path, passphrase: null });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(open().address).toBe(wallet.address);
    expect(readdirSync(join(folder, 'deep'))).toEqual(['wallet.json']);
  });

  it('is never overwritten', () => {
    createKeyFile({ path, passphrase: null });
    const before = readFileSync(path, 'utf8');
    const error = refusalOf(() => createKeyFile({ path, passphrase: null }));
    expect(error).toMatchObject({ code: 'file_unreadable', message: expect.stringContaining('exists already') });
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(readdirSync(folder)).toEqual(['wallet.json']);
  });

  it('can be sealed under a passphrase, which the right one alone opens', () => {
    const wallet = createKeyFile({ path, passphrase: 'correct horse', scrypt: cheap });
    expect(readFileSync(path, 'utf8')).not.toContain('secret_key');
    expect(open('correct horse').address).toBe(wallet.address);
    expect(refusalOf(() => open('wrong')).message).toContain('is wrong, or the file was changed');
    expect(refusalOf(() => open(null)).hint).toContain('TWINBOOK_WALLET_PASSPHRASE');
    expect(refusalOf(() => createKeyFile({ path: `${path}2`, passphrase: '' })).code).toBe('key_invalid');
  });

  it.each<[string, (text: string) => string]>([
    ['a cost that would eat the memory', (text) => resealed(text, { n: 2 ** 20, r: 16 })],
    ['a cost beyond the cap', (text) => resealed(text, { n: 2 ** 30 })],
    ['a cost that is no power of two', (text) => resealed(text, { n: 5000 })],
    ['a changed cost', (text) => resealed(text, { n: 2 ** 13 })],
    ['changed content', (text) => resealed(text, { data: Buffer.alloc(32).toString('base64') })],
    ['a short tag', (text) => resealed(text, { tag: 'AAAA' })],
    ['an unknown key', (text) => resealed(text, { extra: 1 })],
    ['a key twice', (text) => text.replace('"twinbook_wallet"', '"address": "x", "twinbook_wallet"')],
    ['the same key twice', (text) => text.replace(/"address": ("[^"]+")/, '"address": $1, "address": $1')],
    ['a parameter twice', (text) => text.replace('"r": 8', '"r": 1, "r": 8')],
    ['a number in another notation', (text) => text.replace('"r": 8', '"r": 8.0')],
    ['a letter that is escaped', (text) => text.replace('scrypt', 'scr\\u0079pt')],
    ['__proto__', (text) => text.replace('"address"', '"__proto__": {}, "address"')],
    ['text behind it', (text) => `${text}{}`],
    ['a byte order mark', (text) => `\ufeff${text}`],
  ])('is refused with %s', (_, change) => {
    createKeyFile({ path, passphrase: 'p', scrypt: cheap });
    const text = readFileSync(path, 'utf8');
    put(JSON.stringify(JSON.parse(text)));
    expect(open('p').address).toMatch(/^\w{32,44}$/);
    put(change(text));
    expect(change(text)).not.toBe(text);
    expect(refusalOf(() => open('p')).code).toBe('key_invalid');
  });

  it('says the same of a wrong passphrase, a changed file and a changed tag', () => {
    createKeyFile({ path, passphrase: 'p', scrypt: cheap });
    const text = readFileSync(path, 'utf8');
    const said = [refusalOf(() => open('wrong')).message];
    for (const name of ['data', 'tag', 'iv', 'salt'] as const) {
      const bytes = Buffer.from(JSON.parse(text).sealed[name], 'base64');
      bytes[0] = (bytes[0] ?? 0) ^ 1;
      put(resealed(text, { [name]: bytes.toString('base64') }));
      said.push(refusalOf(() => open('p')).message);
    }
    expect(new Set(said).size).toBe(1);
  });

  it('is refused with another address than its key has', () => {
    for (const passphrase of [null, 'p']) {
      rmSync(path, { force: true });
      createKeyFile({ path, passphrase, scrypt: cheap });
      put(JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), address: foreignKey().address }));
      expect(refusalOf(() => open(passphrase)).code).toBe('key_invalid');
    }
  });

  it.each([0o640, 0o604, 0o644, 0o660, 0o602, 0o610])('is refused with mode %o, and names the chmod to run', (mode) => {
    createKeyFile({ path, passphrase: null });
    chmodSync(path, mode);
    const error = refusalOf(() => open());
    expect(error.code).toBe('key_insecure');
    expect(error.message).toContain(`mode 0${mode.toString(8)}`);
    expect(error.hint).toContain(`chmod 600 '${path}'`);
  });

  it('says what is wrong with a path that is no readable file', () => {
    expect(refusalOf(() => open()).message).toContain('does not exist');
    mkdirSync(path);
    expect(refusalOf(() => open())).toMatchObject({ code: 'file_unreadable' });
    path = join(folder, 'file');
    writeFileSync(path, '');
    path = join(folder, 'file', 'below');
    expect(refusalOf(() => open()).message).toContain('a part of its path');
  });

  it('checks the mode of what a link points to', () => {
    createKeyFile({ path, passphrase: null });
    const link = join(folder, 'link');
    symlinkSync(path, link);
    expect(openKeyFile({ path: link, passphrase: null }).address).toBe(open().address);
    chmodSync(path, 0o644);
    expect(refusalOf(() => openKeyFile({ path: link, passphrase: null })).code).toBe('key_insecure');
  });

  it('reads and imports the keys of other tools', () => {
    const { seed, both, address } = foreignKey();
    const spellings = [
      JSON.stringify([...both]),
      base58.encode(both),
      base58.encode(seed),
      both.toString('hex'),
      seed.toString('hex').toUpperCase(),
      `0x${seed.toString('hex')}\n`,
    ];
    for (const [index, spelling] of spellings.entries()) {
      put(spelling);
      expect(open().address).toBe(address);
      const imported = join(folder, `imported-${index}.json`);
      expect(importKeyFile(path, { path: imported, passphrase: null }).address).toBe(address);
      expect(openKeyFile({ path: imported, passphrase: null }).address).toBe(address);
    }
  });

  it('seals a copy of a wallet file in the clear, and copies a sealed one with its passphrase', () => {
    const { address } = createKeyFile({ path, passphrase: null });
    const [sealed, copy] = [join(folder, 'sealed.json'), join(folder, 'copy.json')];
    expect(importKeyFile(path, { path: sealed, passphrase: 'p', scrypt: cheap }).address).toBe(address);
    expect(importKeyFile(sealed, { path: copy, passphrase: 'p', scrypt: cheap }).address).toBe(address);
    expect(openKeyFile({ path: copy, passphrase: 'p' }).address).toBe(address);
    expect([path, sealed, copy].map(isSealedKeyFile)).toEqual([false, true, true]);
    const wrong = { path: `${copy}2`, passphrase: 'q', scrypt: cheap };
    expect(refusalOf(() => importKeyFile(sealed, wrong)).code).toBe('key_invalid');
    expect(readdirSync(folder).sort()).toEqual(['copy.json', 'sealed.json', 'wallet.json']);
  });

  it.each([
    ['nothing', ''],
    ['a cut id.json', JSON.stringify([...foreignKey().both]).slice(0, 90)],
    ['too few numbers', JSON.stringify([...foreignKey().seed].slice(1))],
    ['numbers that are no bytes', JSON.stringify([...foreignKey().both.subarray(1), 256])],
    ['halves that do not belong together', JSON.stringify([...foreignKey().seed, ...foreignKey().seed])],
    ['hex of 31 bytes', 'ab'.repeat(31)],
    ['words', 'correct horse battery staple'],
    ['an object that is no wallet', '{"secret_key":"abc"}'],
    ['a cut wallet', '{"twinbook_wallet":1,"addr'],
    ['far too much', ' '.repeat(70_000)],
  ])('is refused when it holds %s', (_, text) => {
    put(text);
    expect(refusalOf(() => open()).code).toBe('key_invalid');
  });

  it('never shows the key: not in errors, not when it is inspected or made JSON', () => {
    const { seed, both, address } = foreignKey();
    const canaries = [seed.toString('hex'), base58.encode(seed), base58.encode(both), both.toString('hex')];
    put(JSON.stringify([...seed, ...foreignKey().both.subarray(32)]));
    const error = refusalOf(() => open());
    put(seed.toString('hex'));
    const wallet = open();
    expect(wallet.address).toBe(address);
    const deep = { depth: 9, showHidden: true };
    const shown = [inspect(error, deep), inspect(wallet, deep), JSON.stringify(wallet)];
    for (const canary of [...canaries, [...seed].join(','), [...seed].join(', ')])
      expect(shown.join('\n')).not.toContain(canary);
  });
});

it('the passphrase comes from the environment, else from a private file, else not at all', () => {
  const file = join(folder, 'passphrase');
  writeFileSync(file, 'from a file \n', { mode: 0o600 });
  expect(walletPassphrase({})).toBeNull();
  expect(walletPassphrase({ TWINBOOK_WALLET_PASSPHRASE_FILE: file })).toBe('from a file ');
  expect(walletPassphrase({ TWINBOOK_WALLET_PASSPHRASE: 'p', TWINBOOK_WALLET_PASSPHRASE_FILE: file })).toBe('p');
  chmodSync(file, 0o644);
  expect(refusalOf(() => walletPassphrase({ TWINBOOK_WALLET_PASSPHRASE_FILE: file })).code).toBe('key_insecure');
});

describe('the credentials file', () => {
  const owner = { baseUrl: 'http://127.0.0.1:1/', wallet: 'W1' };
  const load = (who = owner) => loadCredentials(path, who, {});

  it('keeps credentials per venue and wallet, with mode 0600', () => {
    expect(load()).toBeNull();
    saveCredentials(path, owner, { apiKey: 'k1', secret: 's1' });
    saveCredentials(path, { ...owner, wallet: 'W2' }, { apiKey: 'k2', secret: 's2' });
    saveCredentials(path, { ...owner, baseUrl: 'https://other' }, { apiKey: 'k3', secret: 's3' });
    saveCredentials(path, { ...owner, baseUrl: 'http://127.0.0.1:1' }, { apiKey: 'k4', secret: 's4' });
    expect(load()).toEqual({ apiKey: 'k4', secret: 's4' });
    expect(load({ ...owner, wallet: 'W2' })).toEqual({ apiKey: 'k2', secret: 's2' });
    expect(load({ ...owner, baseUrl: 'https://other/' })).toEqual({ apiKey: 'k3', secret: 's3' });
    expect(load({ ...owner, wallet: 'W3' })).toBeNull();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    forgetCredentials(path, owner);
    expect(load()).toBeNull();
    expect(load({ ...owner, wallet: 'W2' })).not.toBeNull();
    expect(readdirSync(folder)).toEqual(['wallet.json']);
  });

  it('hides each secret from what is printed', () => {
    saveCredentials(path, owner, { apiKey: 'key', secret: 'the secret of one' });
    expect(secrets.clean('said: the secret of one.')).toBe('said: [redacted].');
  });

  it('gives way to the environment, which must name both halves', () => {
    saveCredentials(path, owner, { apiKey: 'k1', secret: 's1' });
    const both = { TWINBOOK_API_KEY: 'k', TWINBOOK_API_SECRET: 's' };
    expect(loadCredentials(path, owner, both)).toEqual({ apiKey: 'k', secret: 's' });
    const error = refusalOf(() => loadCredentials(path, owner, { TWINBOOK_API_KEY: 'k' }));
    expect(error.code).toBe('config_invalid');
    expect(error.message).toBe('TWINBOOK_API_KEY is set but TWINBOOK_API_SECRET is not');
  });

  it('is refused when others can read it or when it is something else, and then not overwritten', () => {
    saveCredentials(path, owner, { apiKey: 'k1', secret: 'canary' });
    chmodSync(path, 0o640);
    expect(refusalOf(() => load()).code).toBe('key_insecure');
    put('{"twinbook_credentials":1,"entries":[{"secret":"canary"');
    const error = refusalOf(() => load());
    expect(error.code).toBe('key_invalid');
    expect(inspect(error)).not.toContain('canary');
    expect(refusalOf(() => saveCredentials(path, owner, { apiKey: 'k', secret: 's' })).code).toBe('key_invalid');
    expect(readFileSync(path, 'utf8')).toContain('canary');
  });
});
