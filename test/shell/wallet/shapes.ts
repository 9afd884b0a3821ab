/** Solana transactions of any shape, built by the `@solana` packages as other software builds them. */

import { type Address, address } from '@solana/addresses';
import {
  appendTransactionMessageInstructions,
  createTransactionMessage,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/transaction-messages';
import { compileTransaction, getTransactionEncoder } from '@solana/transactions';

/** Roles of the package's accounts. */
export const [READONLY, WRITABLE, READONLY_SIGNER, WRITABLE_SIGNER] = [0, 1, 2, 3] as const;

export interface Instruction {
  readonly program: string;
  readonly text?: string;
  readonly data?: Uint8Array;
  readonly accounts?: readonly { readonly address: Address; readonly role: 0 | 1 | 2 | 3 }[];
  /** Takes one account from this lookup table. */
  readonly table?: string;
}

export interface Shape {
  readonly payer: string;
  readonly version?: 'legacy' | 0;
  /** Base58 of 32 bytes. */
  readonly blockhash: string;
  readonly instructions: readonly Instruction[];
}

/** Hex of the transaction with empty signature slots. */
export function transactionHex({ payer, version = 0, blockhash, instructions }: Shape): string {
  // The account's own address is not written, so any will do.
  const looked = { address: address(blockhash), role: WRITABLE, addressIndex: 3 } as const;
  const compiled = instructions.map(({ program, text = '', data = Buffer.from(text), accounts = [], table }) => ({
    programAddress: address(program),
    data,
    accounts: [...accounts, ...(table === undefined ? [] : [{ ...looked, lookupTableAddress: address(table) }])],
  }));
  const paid = setTransactionMessageFeePayer(address(payer), createTransactionMessage({ version }));
  // The package's type marks a checked blockhash; any 32 bytes will do here.
  const checked = blockhash as Parameters<typeof setTransactionMessageLifetimeUsingBlockhash>[0]['blockhash'];
  const timed = setTransactionMessageLifetimeUsingBlockhash({ blockhash: checked, lastValidBlockHeight: 0n }, paid);
  const message = appendTransactionMessageInstructions(compiled, timed);
  return Buffer.from(getTransactionEncoder().encode(compileTransaction(message))).toString('hex');
}
