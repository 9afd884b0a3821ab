/**
 * What no profile and no operator can allow: top-level calls of Solana's own programs that give away what the wallet holds,
 * now or later. A venue's program reaches them by itself, within what it was written to do; a transaction that calls them
 * beside it asks for more. Transfers, `Assign` and durable nonces are calls of System, `Approve` and `SetAuthority` of
 * the token programs.
 */

import type { Transaction, TransactionInstruction } from '../../../shared/protocol/drafts/solana-message.js';

const GIVES_AWAY: Readonly<Record<string, string>> = {
  '11111111111111111111111111111111': 'System',
  TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: 'Token',
  TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb: 'Token-2022',
  Stake11111111111111111111111111111111111111: 'Stake',
  Vote111111111111111111111111111111111111111: 'Vote',
  BPFLoaderUpgradeab1e11111111111111111111111: 'the program loader',
  BPFLoader2111111111111111111111111111111111: 'a program loader',
  BPFLoader1111111111111111111111111111111111: 'a program loader',
  LoaderV411111111111111111111111111111111111: 'a program loader',
  // These two make accounts whose rent the fee payer pays.
  ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: 'Associated Token Account',
  AddressLookupTab1e1111111111111111111111111: 'Address Lookup Table',
};

/** Buys a place in the block: the fee payer, which may be our wallet, pays what is asked here. */
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;
/** The most that a transaction may ask for, and what is assumed where it asks for nothing. */
const MOST_UNITS = 1_400_000n;
const MICROLAMPORTS_PER_LAMPORT = 1_000_000n;
/** 0.001 SOL, two hundred times the fee of a signature: who needs more to get through may wait. */
const MOST_PRIORITY_FEE_LAMPORTS = 1_000_000n;

/** Why such a transaction is never signed; null for one that asks for nothing of the kind. */
export function objectionToPayments({ instructions }: Transaction): string | null {
  for (const { program } of instructions) {
    const name = GIVES_AWAY[program];
    if (name !== undefined) return `the transaction calls the program ${program} (${name}), which nobody can allow`;
  }
  return objectionToPriorityFee(instructions.filter(({ program }) => program === COMPUTE_BUDGET));
}

function objectionToPriorityFee(instructions: readonly TransactionInstruction[]): string | null {
  let [units, price] = [MOST_UNITS, 0n];
  for (const { data } of instructions) {
    const bytes = Buffer.from(data);
    const kind = bytes[0];
    if (kind === SET_UNIT_LIMIT && bytes.length === 5) units = BigInt(bytes.readUInt32LE(1));
    else if (kind === SET_UNIT_PRICE && bytes.length === 9) price = bytes.readBigUInt64LE(1);
    else return 'the transaction asks for a priority that nobody can read';
  }
  const lamports = (units * price) / MICROLAMPORTS_PER_LAMPORT;
  if (lamports <= MOST_PRIORITY_FEE_LAMPORTS) return null;
  return `the transaction pays a priority fee of ${lamports} lamports, at most ${MOST_PRIORITY_FEE_LAMPORTS} are paid`;
}
