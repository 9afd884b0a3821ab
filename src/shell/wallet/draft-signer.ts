/** Signs drafts by intent id. Signs a draft only if it is committed to the ledger and matches its intent exactly. */

import { base58, base64, hex } from '@scure/base';
import { formatDecimal, type Micros } from '../../shared/base/micros.js';
import {
  type DraftTerms,
  type DraftText,
  readDraftText,
  writeDraftText,
} from '../../shared/protocol/drafts/draft-text.js';
import {
  MEMO_PROGRAM,
  memoText,
  readTransaction,
  type Transaction,
  type TransactionInstruction,
} from '../../shared/protocol/drafts/solana-message.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';

/** Fields of the venue profile that decide which drafts are signed, and the operator's permission to sign blindly. */
interface SigningRules
  extends Pick<
    VenueProfile,
    'service_name' | 'draft_message' | 'solana_programs' | 'solana_lookup_tables' | 'draft_cosigners'
  > {
  /** Permits unreadable drafts: drafts of an `opaque` profile, and transactions that call `solana_programs`. */
  readonly allowBlindSigning: boolean;
}

/** Returns the signing rules of a venue profile; the operator decides about blind signing. */
export const signingRules = (profile: VenueProfile, allowBlindSigning: boolean): SigningRules => ({
  ...profile,
  allowBlindSigning,
});

/** Returns true for a credential challenge. Its signature would yield API credentials, so no draft may contain one. */
const isCredentialChallenge = (text: string): boolean => /API credential/i.test(text);

type JudgedMessage =
  | {
      readonly ok: true;
      readonly bytes: Uint8Array;
      /** Content of the draft, to be compared with the intent; null for an unreadable draft that the rules permit. */
      readonly draft: DraftText | null;
    }
  | { readonly ok: false; readonly reason: string };

/** A draft as stored in the ledger, with the terms that its intent had before the first request. */
export interface StoredDraft {
  readonly intentId: string;
  readonly marketConditionId: string;
  /** The draft's pubkey from the venue; for a cancel, often the order's pubkey. */
  readonly draftPubkey: string;
  readonly message: string;
  /** Our own terms, from the intent; never read from `message`. */
  readonly terms: DraftTerms;
}

/** A signature as 128 lowercase hex characters, or the reason of a refusal, which never contains key bytes. */
export type SignResult =
  | { readonly ok: true; readonly signature: string }
  | { readonly ok: false; readonly reason: string };

export interface SigningPolicy extends SigningRules {
  /** Reads the committed draft of an intent; null if it has no draft. */
  readonly loadDraft: (intentId: string) => StoredDraft | null;
}

/** Only `Wallet.draftSigner` can make a signer, because no other code has a `signBytes` of a wallet. */
export const makeSigner = (policy: SigningPolicy, wallet: string, signBytes: (bytes: Uint8Array) => string) => ({
  /** Signs an intent's draft. Equal drafts yield equal signatures. On a refusal, the caller must pause the market. */
  sign: (intentId: string): SignResult => {
    const stored = policy.loadDraft(intentId);
    if (stored === null) return refuse(`no draft is stored for intent ${intentId}`);
    if (stored.intentId !== intentId) return refuse(`the stored draft belongs to intent ${stored.intentId}`);
    const judged = judgeMessage(stored.message, policy, wallet);
    if (!judged.ok) return judged;
    const reason = judged.draft === null ? null : disagreement(judged.draft, stored, policy.service_name);
    return reason === null ? { ok: true, signature: signBytes(judged.bytes) } : refuse(reason);
  },
});

const refuse = (reason: string) => ({ ok: false, reason }) as const;

/** Returns how a draft differs from its intent; null only if its text equals the intent's text byte for byte. */
function disagreement(draft: DraftText, stored: StoredDraft, serviceName: string): string | null {
  const { marketConditionId, draftPubkey, terms } = stored;
  const ours: DraftText = { serviceName, marketConditionId, draftPubkey, expires: draft.expires, terms };
  // Equal terms always give equal texts, because a draft's text has exactly one form.
  if (writeDraftText(ours) === writeDraftText(draft)) return null;
  const [theirFields, ourFields] = [readFields(draft), readFields(ours)];
  for (const [name, value] of ourFields) {
    const theirs = theirFields.get(name);
    if (theirs !== value) return `${name}: the draft says ${theirs ?? 'nothing'}, the intent says ${value}`;
  }
  return 'the draft has terms that the intent does not have';
}

function readFields({ serviceName, marketConditionId, draftPubkey, terms }: DraftText): Map<string, string> {
  const fields = new Map([
    ['service', serviceName],
    ['market', marketConditionId],
    ['draft', draftPubkey],
  ]);
  for (const [name, value] of Object.entries(terms)) {
    // All numbers in a draft's terms are micros.
    fields.set(name, typeof value === 'number' ? formatDecimal(value as Micros) : String(value));
  }
  return fields;
}

/** Maximum length of a draft. A readable draft has about 300 characters, a transaction at most 2464 in hex. */
const LONGEST_MESSAGE_CHARACTERS = 16_384;

export function judgeMessage(message: string, rules: SigningRules, wallet: string): JudgedMessage {
  const judged = judgeKind(message, rules, wallet);
  if (!judged.ok || judged.draft === null || judged.draft.serviceName === rules.service_name) return judged;
  return refuse(`service: the draft says ${judged.draft.serviceName}, the venue profile says ${rules.service_name}`);
}

function judgeKind(message: string, rules: SigningRules, wallet: string): JudgedMessage {
  if (message.length > LONGEST_MESSAGE_CHARACTERS) return refuse('the message is too long to be a draft');
  if (isCredentialChallenge(message)) return refuse('the draft is a credential challenge');
  if (rules.draft_message === 'solana_tx') {
    const read = readTransaction(message);
    return read.ok ? judgeTransaction(read.transaction, rules, wallet) : refuse(read.problem);
  }
  if (readings(message).some(isTransaction))
    return refuse('the draft, which should be text, is an encoded transaction');
  const bytes = Buffer.from(message, 'utf8');
  const draft = readDraftText(message);
  if (rules.draft_message === 'utf8')
    return draft === null ? refuse('the draft is not a readable draft') : { ok: true, bytes, draft };
  // If the text is readable, `judgeMessage` compares the service: the draft may come from another venue.
  if (rules.allowBlindSigning) return { ok: true, bytes, draft };
  return refuse('this venue’s drafts cannot be read, and blind signing is not allowed');
}

/** Returns the memo's draft, to compare with the intent. Other programs need a profile entry and blind signing. */
function judgeTransaction(transaction: Transaction, rules: SigningRules, wallet: string): JudgedMessage {
  const { instructions, messageBytes } = transaction;
  const isBlind = instructions.some(({ program }) => program !== MEMO_PROGRAM);
  const reason =
    objectionToSigners(transaction, rules, wallet) ??
    objectionToPrograms(transaction, rules) ??
    objectionToPayments(transaction) ??
    objectionToAccounts(transaction, rules, isBlind) ??
    objectionToMemo(transaction, isBlind);
  if (reason !== null) return { ok: false, reason };
  // If the transaction calls other programs, any memo is allowed, but a readable draft in it must match the intent.
  const draft = readDraftText(memoText(transaction) ?? '');
  if (draft === null && !isBlind) return { ok: false, reason: 'the memo of the transaction is not a readable draft' };
  return { ok: true, bytes: messageBytes, draft };
}

/** Checks a transaction's payer and signers. The payer is the first signer; other signers may be in any order. */
function objectionToSigners(
  { feePayer, signers, filledSlots }: Transaction,
  { draft_cosigners: cosigners }: SigningRules,
  wallet: string,
): string | null {
  const payer = cosigners?.fee_payer ?? wallet;
  const nameAccount = (key: string) => (key === wallet ? 'our wallet' : key);
  if (feePayer !== payer) return `the transaction is paid by ${nameAccount(feePayer)}, not by ${nameAccount(payer)}`;
  const due = new Set([wallet, ...(cosigners?.keys ?? [])]);
  const count = signers.length === 1 ? '1 signer' : `${signers.length} signers`;
  const strangers = signers.filter((key) => !due.has(key));
  if (strangers.length > 0)
    return `the transaction requires ${count}; draft_cosigners of the venue profile does not name ${strangers.join(', ')}`;
  const absent = [...due].filter((key) => !signers.includes(key));
  if (absent.length > 0) return `the transaction requires ${count}, without ${absent.map(nameAccount).join(', ')}`;
  return filledSlots.length === 0
    ? null
    : `the transaction already carries a signature of ${filledSlots.map(nameAccount).join(', ')}`;
}

function objectionToPrograms({ instructions }: Transaction, rules: SigningRules): string | null {
  const others = instructions.map(({ program }) => program).filter((program) => program !== MEMO_PROGRAM);
  const unknown = others.find((program) => !(rules.solana_programs ?? []).includes(program));
  if (unknown !== undefined)
    return `the transaction calls the program ${unknown}, which solana_programs of the venue profile does not name`;
  const [unreadable] = others;
  if (unreadable === undefined || rules.allowBlindSigning) return null;
  return `Twinbook cannot read the effect of program ${unreadable}, and blind signing is not allowed`;
}

function objectionToAccounts(
  { accounts, signers, instructions, lookupTables }: Transaction,
  rules: SigningRules,
  isBlind: boolean,
): string | null {
  if (lookupTables.length > 0 && !(isBlind && rules.solana_lookup_tables === true))
    return 'the transaction uses an address lookup table, which is not allowed';
  // The Memo program needs only the accounts of the signers, which `objectionToSigners` has checked.
  const named = isBlind ? [] : [...accounts, ...instructions.flatMap((instruction) => instruction.accounts)];
  const stranger = named.find((account) => !signers.includes(account) && account !== MEMO_PROGRAM);
  return stranger === undefined ? null : `the transaction names the account ${stranger}, which a memo does not need`;
}

function objectionToMemo(transaction: Transaction, isBlind: boolean): string | null {
  const count = transaction.instructions.filter(({ program }) => program === MEMO_PROGRAM).length;
  if (count > 1) return `the transaction carries ${count} memos, but one is required`;
  if (count === 0) return isBlind ? null : 'the transaction has no memo, but one is required';
  const text = memoText(transaction);
  if (text === null) return 'the memo of the transaction is not text';
  return isCredentialChallenge(text) ? 'the memo of the transaction is a credential challenge' : null;
}

/** Solana's programs that could give away funds, now or later. No transaction may call them directly. */
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
  // The next two programs create accounts, for which the fee payer pays rent.
  ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: 'Associated Token Account',
  AddressLookupTab1e1111111111111111111111111: 'Address Lookup Table',
};

export function nameProgram(program: string): string | null {
  if (program === MEMO_PROGRAM) return 'Memo';
  return program === COMPUTE_BUDGET ? 'Compute Budget' : (GIVES_AWAY[program] ?? null);
}

/** Solana's program that buys priority in a block. The fee payer, possibly our wallet, pays for it. */
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;
/** Maximum number of compute units of a transaction; assumed if the transaction sets no number. */
const MOST_UNITS = 1_400_000n;
const MICROLAMPORTS_PER_LAMPORT = 1_000_000n;
/** Maximum priority fee, lamports: 0.001 SOL, which is 200 times the fee of one signature. */
const MOST_PRIORITY_FEE_LAMPORTS = 1_000_000n;

/** Returns why a transaction's programs or priority fee could cost funds; null if acceptable. */
function objectionToPayments({ instructions }: Transaction): string | null {
  for (const { program } of instructions) {
    const name = GIVES_AWAY[program];
    if (name !== undefined) return `the transaction calls the program ${program} (${name}), which is never allowed`;
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
    else return 'the transaction has an unreadable call of Compute Budget, which buys priority';
  }
  const lamports = (units * price) / MICROLAMPORTS_PER_LAMPORT;
  if (lamports <= MOST_PRIORITY_FEE_LAMPORTS) return null;
  return `the transaction pays a priority fee of ${lamports} lamports, but at most ${MOST_PRIORITY_FEE_LAMPORTS} are allowed`;
}

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** Maximum number of bytes tested for a transaction: twice 1232 bytes, the maximum size of a transaction. */
const LONGEST_TRANSACTION_BYTES = 2464;
/** Matches text with only characters of hex, base64 or base58. Other text, such as a readable draft, is not encoded. */
const SPELLED = /^[A-Za-z0-9+/_=-]*$/;

/** Decodes a text in every encoding of a transaction: a signature over a transaction could move money on chain. */
function readings(text: string): Uint8Array[] {
  const found: Uint8Array[] = [Buffer.from(text, 'utf8')];
  const compact = text.replace(/\s+/g, '').replace(/^0x/i, '');
  if (!SPELLED.test(compact)) return found;
  // Base58 is decoded only if the text is short enough for a transaction, because decoding takes quadratic time.
  const decoders = [
    () => hex.decode(compact.toLowerCase()),
    () => base64.decode(compact.replace(/-/g, '+').replace(/_/g, '/').replace(/=+$/, '').padEnd(pad(compact), '=')),
    () => base58.decode(compact.length <= 2 * LONGEST_TRANSACTION_BYTES ? compact : ''),
  ];
  for (const decode of decoders) {
    try {
      found.push(decode());
    } catch {
      // The text does not have this encoding, so the error is ignored.
    }
  }
  return found;
}

const pad = (text: string): number => Math.ceil(text.replace(/=+$/, '').length / 4) * 4;

function isTransaction(bytes: Uint8Array): boolean {
  if (isMessage(bytes)) return true;
  const reader = new ByteReader(bytes);
  const signatures = reader.compact();
  if (signatures === 0 || signatures > 127) return false;
  reader.skip(signatures * SIGNATURE_BYTES);
  return reader.good && isMessage(reader.rest());
}

function isMessage(bytes: Uint8Array): boolean {
  if (bytes.length > LONGEST_TRANSACTION_BYTES) return false;
  const reader = new ByteReader(bytes);
  const versioned = (bytes[0] ?? 0) >= 0x80;
  if (versioned) reader.byte();
  const required = reader.byte();
  reader.skip(2);
  const accounts = reader.compact();
  if (required === 0 || required > accounts) return false;
  reader.skip(accounts * KEY_BYTES + KEY_BYTES);
  reader.each(() => {
    reader.byte();
    reader.skip(reader.compact());
    reader.skip(reader.compact());
  });
  if (versioned) {
    reader.each(() => {
      reader.skip(KEY_BYTES);
      reader.skip(reader.compact());
      reader.skip(reader.compact());
    });
  }
  return reader.good && reader.rest().length === 0;
}

/** Reads bytes from start to end. `good` is false after a read beyond the end. */
class ByteReader {
  good = true;
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    const value = this.#bytes[this.#at++];
    if (value === undefined) this.good = false;
    return value ?? 0;
  }

  /** Reads Solana's number format compact-u16: seven bits per byte, lowest first, at most three bytes. */
  compact(): number {
    let value = 0;
    for (let shift = 0; shift < 21; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    this.good = false;
    return 0;
  }

  skip(count: number): void {
    this.#at += count;
    if (this.#at > this.#bytes.length) this.good = false;
  }

  each(read: () => void): void {
    for (let count = this.compact(); count > 0 && this.good; count--) read();
  }

  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }
}
