/** Names of a transaction's calls: `System: Transfer` instead of `0200000040420f00`. */

import { MEMO_PROGRAM } from '../../shared/protocol/drafts/solana-message.js';

interface KnownProgram {
  readonly name: string;
  /** Length of the number at a call's beginning, bytes. */
  readonly numberBytes: 1 | 4;
  /** Calls by that number; an empty name is not shown. */
  readonly calls: readonly string[];
}

const SYSTEM_CALLS = [
  ...['CreateAccount', 'Assign', 'Transfer', 'CreateAccountWithSeed', 'AdvanceNonceAccount', 'WithdrawNonceAccount'],
  ...['InitializeNonceAccount', 'AuthorizeNonceAccount', 'Allocate', 'AllocateWithSeed', 'AssignWithSeed'],
  ...['TransferWithSeed', 'UpgradeNonceAccount'],
];

const TOKEN_CALLS = [
  ...['InitializeMint', 'InitializeAccount', 'InitializeMultisig', 'Transfer', 'Approve', 'Revoke', 'SetAuthority'],
  ...['MintTo', 'Burn', 'CloseAccount', 'FreezeAccount', 'ThawAccount', 'TransferChecked', 'ApproveChecked'],
  ...['MintToChecked', 'BurnChecked', 'InitializeAccount2', 'SyncNative'],
];

const PROGRAMS: Readonly<Record<string, KnownProgram>> = {
  [MEMO_PROGRAM]: { name: 'Memo', numberBytes: 1, calls: [] },
  '11111111111111111111111111111111': { name: 'System', numberBytes: 4, calls: SYSTEM_CALLS },
  TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: { name: 'Token', numberBytes: 1, calls: TOKEN_CALLS },
  TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb: { name: 'Token-2022', numberBytes: 1, calls: TOKEN_CALLS },
  ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: {
    name: 'Associated Token Account',
    numberBytes: 1,
    calls: ['Create', 'CreateIdempotent', 'RecoverNested'],
  },
  ComputeBudget111111111111111111111111111111: {
    name: 'Compute Budget',
    numberBytes: 1,
    calls: ['', 'RequestHeapFrame', 'SetComputeUnitLimit', 'SetComputeUnitPrice'],
  },
  AddressLookupTab1e1111111111111111111111111: {
    name: 'Address Lookup Table',
    numberBytes: 4,
    calls: ['Create', 'Freeze', 'Extend', 'Deactivate', 'Close'],
  },
  Stake11111111111111111111111111111111111111: { name: 'Stake', numberBytes: 4, calls: [] },
  Vote111111111111111111111111111111111111111: { name: 'Vote', numberBytes: 4, calls: [] },
  BPFLoaderUpgradeab1e11111111111111111111111: { name: 'a program loader', numberBytes: 4, calls: [] },
};

/** `System: Transfer`, `Memo`, or null for an unknown program. `data` as hex. */
export function callName(program: string, data: string): string | null {
  const known = PROGRAMS[program];
  if (known === undefined) return null;
  const bytes = Buffer.from(data, 'hex');
  const call = bytes.length < known.numberBytes ? undefined : known.calls[bytes.readUIntLE(0, known.numberBytes)];
  return call === undefined || call === '' ? known.name : `${known.name}: ${call}`;
}
