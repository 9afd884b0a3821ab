/** Calls of Solana's own programs that transfer a wallet's holdings, which a hostile venue would want signed. */

import { type Address, address } from '@solana/addresses';
import { type Instruction, READONLY, READONLY_SIGNER, WRITABLE, WRITABLE_SIGNER } from '../shapes.js';
import type { Draw } from './draw.js';

const SYSTEM = '11111111111111111111111111111111';
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const ASSOCIATED = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const STAKE = 'Stake11111111111111111111111111111111111111';
const VOTE = 'Vote111111111111111111111111111111111111111';
const LOADERS = [
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
] as const;
const LOOKUP_TABLES = 'AddressLookupTab1e1111111111111111111111111';

interface Payment {
  readonly name: string;
  readonly call: (draw: Draw) => Instruction;
}

const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value: bigint) => Buffer.from(BigUint64Array.of(value).buffer);
const lamports = (draw: Draw) => u64(BigInt(1 + draw.below(2 ** 50)));
const data = (...parts: (Uint8Array | readonly number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part)));

type Role = 'ours' | 'theirs' | 'read';

/** Our wallet as a paying signer, an account of the thief, one that is only read. */
function accounts(draw: Draw, ...roles: readonly Role[]): NonNullable<Instruction['accounts']> {
  const of = {
    ours: (): { address: Address; role: 2 | 3 } => ({
      address: address(draw.wallet.address),
      role: draw.pick<2 | 3>(WRITABLE_SIGNER, READONLY_SIGNER),
    }),
    theirs: () => ({ address: address(draw.key()), role: WRITABLE }),
    read: () => ({ address: address(draw.key()), role: READONLY }),
  };
  return roles.map((role) => of[role]());
}

const payment = (
  name: string,
  program: (draw: Draw) => string,
  roles: readonly Role[],
  bytes: (draw: Draw) => Uint8Array,
): Payment => ({
  name,
  call: (draw) => ({ program: program(draw), data: bytes(draw), accounts: accounts(draw, ...roles) }),
});

type Kinds = readonly [number, ...number[]];

const token = (name: string, kinds: Kinds, roles: readonly Role[], rest: (draw: Draw) => Uint8Array): Payment =>
  payment(
    `Token: ${name}`,
    (draw) => draw.pick(TOKEN, TOKEN_2022),
    roles,
    (draw) => data([draw.pick(...kinds)], rest(draw)),
  );

const system = (name: string, kinds: Kinds, roles: readonly Role[], rest: (draw: Draw) => Uint8Array): Payment =>
  payment(
    `System: ${name}`,
    () => SYSTEM,
    roles,
    (draw) => data(u32(draw.pick(...kinds)), rest(draw)),
  );

const nothing = () => Buffer.alloc(0);
const seeded = (draw: Draw) => data(draw.bytes(32), u64(4n), Buffer.from('seed'), lamports(draw));

export const PAYMENTS: readonly Payment[] = [
  system('a transfer', [2], ['ours', 'theirs'], lamports),
  system('a transfer with a seed', [11], ['theirs', 'ours', 'theirs'], seeded),
  system('a new account', [0], ['ours', 'theirs'], (draw) => data(lamports(draw), u64(165n), draw.bytes(32))),
  system('a new account with a seed', [3], ['ours', 'theirs'], (draw) => data(seeded(draw), u64(165n), draw.bytes(32))),
  system('Assign', [1, 10], ['ours'], (draw) => draw.bytes(32)),
  system('Allocate', [8, 9], ['ours'], () => u64(1_000n)),
  system('AdvanceNonceAccount, a durable nonce', [4], ['theirs', 'read', 'ours'], nothing),
  system('a nonce withdrawn or authorized', [5, 6, 7, 12], ['theirs', 'theirs', 'read', 'ours'], (draw) =>
    draw.bytes(32),
  ),
  token('a transfer', [3, 12], ['theirs', 'theirs', 'ours'], lamports),
  token('Approve', [4, 13], ['theirs', 'theirs', 'ours'], lamports),
  token('SetAuthority', [6], ['theirs', 'ours'], (draw) => data([draw.below(4), 1], draw.bytes(32))),
  token('CloseAccount', [9], ['theirs', 'theirs', 'ours'], nothing),
  token('Burn', [8, 15], ['theirs', 'theirs', 'ours'], lamports),
  token('a batch or a call that nobody knows', [17, 22, 26, 38, 255], ['theirs', 'theirs', 'ours'], (draw) =>
    draw.bytes(draw.below(40)),
  ),
  payment(
    'an associated token account, whose rent we pay',
    () => ASSOCIATED,
    ['ours', 'theirs', 'read', 'read', 'read'],
    (draw) => data(draw.pick([], [0], [1])),
  ),
  payment(
    'a stake or vote account withdrawn or authorized',
    (draw) => draw.pick(STAKE, VOTE),
    ['theirs', 'theirs', 'ours'],
    (draw) => data(u32(draw.pick(1, 3, 4, 7, 8)), draw.bytes(32), lamports(draw)),
  ),
  payment(
    'a program deployed, upgraded or closed',
    (draw) => draw.pick(...LOADERS),
    ['theirs', 'theirs', 'ours'],
    (draw) => data(u32(draw.below(8))),
  ),
  payment(
    'an address lookup table made or extended',
    () => LOOKUP_TABLES,
    ['theirs', 'ours', 'ours'],
    (draw) => data(u32(draw.pick(0, 1, 2, 3, 4)), draw.bytes(9)),
  ),
];

/** The programs that a profile would need to name for these calls. */
export const PAYMENT_PROGRAMS: readonly string[] = [
  ...[SYSTEM, TOKEN, TOKEN_2022, ASSOCIATED, STAKE, VOTE, ...LOADERS, LOOKUP_TABLES],
];
