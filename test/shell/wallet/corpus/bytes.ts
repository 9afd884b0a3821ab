/** Bytes in place of a draft's transaction: not a transaction, or one in a form that no correct package writes. */

import { base58 } from '@scure/base';
import { type Draw, type Honest, type Hostile, textOf } from './draw.js';
import {
  COUNT_PLACES,
  memoParts,
  messageBytes,
  overlong,
  shortest,
  type WireInstruction,
  type WireParts,
  wireBytes,
} from './wire.js';

type HostileBytes = Hostile<(honest: Honest, draw: Draw) => string>;

const MALFORMED = /is not a Solana transaction|not in its canonical encoding|unknown version|contradict each other/;
const NO_HEX = /is not hexadecimal text/;

const parts = (honest: Honest, draw: Draw, version = draw.pick<'legacy' | 0>('legacy', 0)): WireParts =>
  memoParts(draw.wallet.address, textOf(honest), draw.bytes(32), version);

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** The honest parts with additional ones. */
const built = (
  name: string,
  because: RegExp,
  change: (honest: WireParts, draw: Draw) => Partial<WireParts>,
): HostileBytes => ({
  name,
  because,
  make: (honest, draw) => {
    const own = parts(honest, draw);
    return hexOf(wireBytes({ ...own, ...change(own, draw) }));
  },
});

/** The honest bytes, changed. */
const bytes = (name: string, because: RegExp, change: (own: Buffer, draw: Draw) => Uint8Array): HostileBytes => ({
  name,
  because,
  make: (honest, draw) => hexOf(change(wireBytes(parts(honest, draw)), draw)),
});

/** The honest hex in another spelling. */
const spelled = (name: string, change: (hex: string, draw: Draw) => string, because = NO_HEX): HostileBytes => ({
  name,
  because,
  make: (honest, draw) => change(hexOf(wireBytes(parts(honest, draw))), draw),
});

const first = (own: WireParts): WireInstruction =>
  own.instructions[0] ?? { program: 1, accounts: [], data: Buffer.alloc(0) };

/** The three bytes of the header follow signatures and version. */
const headerAt = (own: Buffer) => (own[65] === 0x80 ? 66 : 65);

/** Bytes that may differ without a difference in meaning: blockhash, expiry, and whether a program is read-only. */
function isFree(own: Buffer, at: number): boolean {
  const header = headerAt(own);
  const blockhash = header + 4 + 64;
  const end = own.length - (header === 66 ? 1 : 0);
  return (at >= blockhash && at < blockhash + 32) || at === header + 2 || (at >= end - 10 && at < end);
}

const FORMS: readonly HostileBytes[] = [
  built('a wrong count of signers', MALFORMED, ({ header }, draw) => ({
    header: [draw.pick(0, 2, 3, 127, 255), header[1], header[2]],
  })),
  built('a payer who may not pay', MALFORMED, ({ header }, draw) => ({ header: [1, draw.pick(1, 2, 255), header[2]] })),
  built('more read-only accounts than accounts', MALFORMED, (_, draw) => ({ header: [1, 0, 2 + draw.below(254)] })),
  built('an account twice', MALFORMED, (own, draw) => ({
    accounts: [...own.accounts, own.accounts[draw.below(2)] ?? new Uint8Array(32)],
    header: [1, 0, 1 + draw.below(2)],
  })),
  built('an account that nothing names', /names the account/, (own, draw) => ({
    accounts: [...own.accounts, draw.bytes(32)],
    header: [1, 0, draw.below(3)],
  })),
  built('the payer as program', MALFORMED, (own) => ({ instructions: [{ ...first(own), program: 0 }] })),
  built('a program that is no account', MALFORMED, (own, draw) => ({
    instructions: [{ ...first(own), program: 2 + draw.below(254) }],
  })),
  built('an account that is none', MALFORMED, (own, draw) => ({
    instructions: [{ ...first(own), accounts: [2 + draw.below(254)] }],
  })),
  built('no signature slot', MALFORMED, () => ({ signatures: [] })),
  built('a signature slot too many', MALFORMED, (_, draw) => ({
    signatures: Array.from({ length: 2 + draw.below(3) }, () => new Uint8Array(64)),
  })),
  built('a signature that somebody made already', /already carries a signature/, (_, draw) => ({
    signatures: [draw.bytes(64)],
  })),
  built('an unknown version', MALFORMED, (_, draw) => ({ version: 0x81 + draw.below(127) })),
  built('lookup tables that give nothing', MALFORMED, (_, draw) => ({
    version: 0x80,
    lookups: [{ table: draw.bytes(32), writable: [], readonly: [] }],
  })),
  built('a lookup table for the memo', /lookup table/, (own, draw) => ({
    version: 0x80,
    lookups: [
      { table: draw.bytes(32), writable: [draw.below(256)], readonly: draw.chance(0.5) ? [draw.below(256)] : [] },
    ],
    instructions: [{ ...first(own), accounts: [2] }],
  })),
  {
    name: 'a count in more bytes than it needs',
    because: MALFORMED,
    make: (honest, draw) => {
      const own = parts(honest, draw, 0);
      return hexOf(wireBytes(own, overlong(COUNT_PLACES[draw.below(COUNT_PLACES.length)] ?? 'data')));
    },
  },
  {
    name: 'the version byte of another format',
    because: MALFORMED,
    make: (honest, draw) => {
      const own = wireBytes(parts(honest, draw, 'legacy'));
      const newer = wireBytes(parts(honest, draw, 0));
      return hexOf(
        draw.chance(0.5)
          ? Buffer.concat([own.subarray(0, 65), Buffer.of(0x80), own.subarray(65)])
          : Buffer.concat([newer.subarray(0, 65), newer.subarray(66)]),
      );
    },
  },
  bytes('bytes behind its end', MALFORMED, (own, draw) => Buffer.concat([own, draw.bytes(1 + draw.below(40))])),
  bytes('itself twice', MALFORMED, (own) => Buffer.concat([own, own])),
  bytes('an early end', MALFORMED, (own, draw) => own.subarray(0, 1 + draw.below(own.length - 1))),
  bytes('a missing middle', /./, (own, draw) => {
    const at = draw.below(own.length - 1);
    return Buffer.concat([own.subarray(0, at), own.subarray(at + 1 + draw.below(20))]);
  }),
  bytes('the message without its signatures', MALFORMED, (own) => own.subarray(65)),
  bytes('one byte changed', /./, (own, draw) => {
    const changed = Buffer.from(own);
    let at = draw.below(own.length);
    while (isFree(own, at)) at = draw.below(own.length);
    changed[at] = ((own[at] ?? 0) + 1 + draw.below(255)) % 256;
    return changed;
  }),
  bytes('some bytes changed', /./, (own, draw) => {
    const changed = Buffer.from(own);
    for (let more = draw.below(8); more > 0; more--) changed[draw.below(own.length)] = draw.below(256);
    // The last change is where it matters: in the key of the payer or of the program.
    const at = headerAt(own) + 4 + draw.below(64);
    changed[at] = ((own[at] ?? 0) + 1 + draw.below(255)) % 256;
    return changed;
  }),
  bytes('any bytes', /./, (_, draw) => draw.bytes(1 + draw.below(1_300))),
  bytes('any bytes behind an empty signature', /./, (_, draw) =>
    Buffer.concat([Buffer.of(1), Buffer.alloc(64), draw.bytes(draw.below(600))]),
  ),
  bytes('a message for signing off the chain', /./, (own, draw) =>
    Buffer.concat([
      Buffer.from('\u00ffsolana offchain', 'latin1'),
      Buffer.of(0, 0),
      own.subarray(0, draw.below(own.length)),
    ]),
  ),
  bytes('more bytes than a packet holds', /longer than a transaction can be/, (own, draw) =>
    Buffer.concat([own, Buffer.alloc(1_232 + draw.below(3_000))]),
  ),
  spelled('0x before its hex', (hex) => `0x${hex}`),
  spelled('blanks or breaks in its hex', (hex, draw) => {
    const at = draw.below(hex.length + 1);
    return hex.slice(0, at) + draw.pick(' ', '\n', '\t', '\u200b', '_') + hex.slice(at);
  }),
  spelled('half a byte too few', (hex) => hex.slice(0, -1)),
  spelled('base64 in place of hex', (hex, draw) =>
    Buffer.from(hex, 'hex').toString(draw.pick<BufferEncoding>('base64', 'base64url')),
  ),
  spelled('base58 in place of hex', (hex) => base58.encode(Buffer.from(hex, 'hex'))),
  spelled('full-width hex', (hex, draw) =>
    hex.replace(/\d/, (digit) => String.fromCodePoint(draw.pick(0xff10, 0x660) + Number(digit))),
  ),
  spelled('a huge message', (hex, draw) => hex.repeat(40 + draw.below(200)), /too long/),
];

/** A text in place of a transaction. */
const TEXTS: readonly HostileBytes[] = [
  { name: 'the readable text itself', because: NO_HEX, make: (honest) => textOf(honest) },
  { name: 'the readable text in hex', because: MALFORMED, make: (honest) => hexOf(Buffer.from(textOf(honest))) },
];

export const HOSTILE_BYTES: readonly HostileBytes[] = [...FORMS, ...TEXTS];

/** A transaction disguised as a text, so that our signature would be over its message. */
export function disguised(honest: Honest, draw: Draw): string {
  const own = parts(honest, draw);
  const message = messageBytes(own, shortest);
  const hidden = draw.chance(0.5) ? message : wireBytes(own);
  return draw.pick(
    () => hexOf(hidden),
    () => `0x${hexOf(hidden).toUpperCase()}`,
    () => hidden.toString('base64'),
    () => hidden.toString('base64').replace(/=+$/, ''),
    () => hidden.toString('base64url'),
    () => base58.encode(hidden),
    () => ` ${base58.encode(hidden)}\n`,
    () => hexOf(hidden).replace(/.{64}/g, '$&\n'),
  )();
}

/** A transaction's message of printable bytes only: signing the text signs the transaction. */
export function asCharacters(draw: Draw): string {
  const letters = (count: number) => Uint8Array.from({ length: count }, () => 1 + draw.below(127));
  const accounts = Array.from({ length: 2 + draw.below(3) }, () => letters(32));
  const own: WireParts = {
    ...memoParts(draw.wallet.address, '', letters(32), 'legacy'),
    accounts,
    instructions: [{ program: 1, accounts: [0], data: letters(draw.below(100)) }],
  };
  return messageBytes(own).toString('latin1');
}
