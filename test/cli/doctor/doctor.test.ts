import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkSignedRequest } from '../../../src/cli/doctor.js';
import { PAPER_DEFAULTS, startExchange } from '../../../src/exchange/exchange.js';
import { readProfile } from '../../../src/shell/config/config.js';
import { venueFile } from '../../../src/shell/config/shipped.js';
import { HostileServer } from '../../shell/client/fixture.js';
import { envelope } from '../../shell/client/hostile-server.js';
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
      text: expect.stringMatching(/^all \d{3} bytes arrived unchanged, and the signature matches$/),
    });
  });

  test.each<[string, Alter, RegExp]>([
    [
      'a comma that was decoded',
      ({ path }) => ({ path: path.replace('%2C', ',') }),
      /^the path differs at byte 34 \(byte 48 of the signed text\): sent ".*\?status=open\[%]2Cfilled.*", the venue got ".*status=open\[,]filled/,
    ],
    [
      'a body with a line more',
      ({ body }) => ({ body: body === '' ? '' : `${body}\n` }),
      /^the body differs at byte \d+ .*: sent ".*\[]", the venue got ".*\[\\x0a]"$/,
    ],
    [
      'letters in another encoding',
      ({ body }) => ({ body: body.replace('é', 'e') }),
      /^the body differs .*: sent ".*\[\\xc3]\\xa9.*, the venue got ".*\[e] /,
    ],
    [
      'no timestamp',
      ({ headers: { 'svc-timestamp': _, ...headers } }) => ({ headers }),
      /^the timestamp differs at byte 0 .*: sent "\[\d]\d{9}", the venue got "\[]"$/,
    ],
    [
      'another method',
      ({ path, method }) => ({ method: path.startsWith('/paper/') ? 'GET' : method }),
      /^the method differs at byte 0 \(byte 10 of the signed text\): sent "\[P]OST", the venue got "\[G]ET"$/,
    ],
  ])('and names the byte: %s', async (_, alter, text) => {
    const { proxy, doctor } = await behindProxy();
    proxy.alter = alter;
    const { result, text: said, hint } = await doctor();
    expect(said).toMatch(text);
    expect({ result, hint }).toEqual({ result: 'fail', hint: expect.stringContaining('changes requests') });
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
      text: 'the venue received the same bytes but refused the request: Invalid signature',
    });
    expect(out).not.toContain(secret);
  });

  test('and shows no control characters of a venue that says why it refuses', async () => {
    const venue = await HostileServer.start();
    venue.answer = (response, { method, url: path, body, headers }) => {
      const computed = { timestamp: headers['svc-timestamp'], method, path, body, signature_matches: false };
      response.end(envelope({ ...computed, refusal: 'No\u001b[2J' }));
    };
    const { result, text } = await checkSignedRequest(venue.url, profile, { apiKey: 'k', secret: 's' }, 1);
    expect({ result, text }).toEqual({
      result: 'fail',
      text: 'the venue received the same bytes but refused the request: No\\x1b[2J',
    });
  });

  test('and says so where a venue does not show what it computes', async () => {
    const { doctor } = await behindProxy(false);
    expect(await doctor()).toMatchObject({
      result: 'ok',
      text: expect.stringContaining('does not show the bytes that it receives (HTTP 404)'),
    });
  });
});
