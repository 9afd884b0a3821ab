/**
 * Transactions byte by byte, which can be wrong in ways that no correct package writes. The defaults of `MemoWire`
 * equal the packages' bytes for the same memo; a test checks that.
 */

import { base58 } from '@scure/base';
import { MEMO_PROGRAM } from '../../../../src/shared/protocol/drafts/solana-message.js';

export interface WireInstruction {
  readonly program: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
}

/** The parts of a transaction in their binary form. */
export interface WireParts {
  /** Filled or empty slots of 64 bytes. */
  readonly signatures: readonly Uint8Array[];
  /** The byte before the header; null for legacy. */
  readonly version: number | null;
  /** Signers, read-only signers, read-only others. */
  readonly header: readonly [number, number, number];
  readonly accounts: readonly Uint8Array[];
  readonly blockhash: Uint8Array;
  readonly instructions: readonly WireInstruction[];
  /** Tables with indexes; written for version 0 only. */
  readonly lookups: readonly { readonly table: Uint8Array; readonly writable: number[]; readonly readonly: number[] }[];
}

/** Encoding of a count; only the shortest form is valid. */
export type WriteCount = (count: number, where: CountPlace) => readonly number[];
export const COUNT_PLACES = [
  'signatures',
  'accounts',
  'instructions',
  'instruction accounts',
  'data',
  'lookups',
] as const;
export type CountPlace = (typeof COUNT_PLACES)[number];

/** Compact-u16: seven bits a byte, lowest first. */
export const shortest: WriteCount = (count) =>
  count < 0x80 ? [count] : [(count & 0x7f) | 0x80, ...shortest(count >> 7, 'data')];

/** The same count in more bytes than needed. */
export const overlong =
  (at: CountPlace): WriteCount =>
  (count, where) => {
    if (where !== at) return shortest(count, where);
    return count < 0x80 ? [count | 0x80, 0] : [(count & 0x7f) | 0x80, (count >> 7) | 0x80, 0];
  };

/** The parts of a memo that only the wallet pays for and signs. */
export function memoParts(wallet: string, text: string, blockhash: Uint8Array, version: 'legacy' | 0): WireParts {
  return {
    signatures: [new Uint8Array(64)],
    version: version === 0 ? 0x80 : null,
    header: [1, 0, 1],
    accounts: [base58.decode(wallet), base58.decode(MEMO_PROGRAM)],
    blockhash,
    instructions: [{ program: 1, accounts: [], data: Buffer.from(text, 'utf8') }],
    lookups: [],
  };
}

export function wireBytes(parts: WireParts, count: WriteCount = shortest): Buffer {
  return Buffer.concat([
    Uint8Array.from(count(parts.signatures.length, 'signatures')),
    ...parts.signatures,
    messageBytes(parts, count),
  ]);
}

export function messageBytes(parts: WireParts, count: WriteCount = shortest): Buffer {
  const { version, header, accounts, blockhash, instructions, lookups } = parts;
  const tables = lookups.flatMap(({ table, writable, readonly }) => [
    ...[...table, writable.length, ...writable, readonly.length, ...readonly],
  ]);
  return Buffer.from([
    ...(version === null ? [] : [version]),
    ...header,
    ...count(accounts.length, 'accounts'),
    ...accounts.flatMap((account) => [...account]),
    ...blockhash,
    ...count(instructions.length, 'instructions'),
    ...instructions.flatMap((instruction) => [
      instruction.program,
      ...count(instruction.accounts.length, 'instruction accounts'),
      ...instruction.accounts,
      ...count(instruction.data.length, 'data'),
      ...instruction.data,
    ]),
    ...(version === null ? [] : [...count(lookups.length, 'lookups'), ...tables]),
  ]);
}
