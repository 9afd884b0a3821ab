/** Transactions with other signers, or with another payer, than in the venue profile. */

import { base58 } from '@scure/base';
import { address } from '@solana/addresses';
import { writeDraftMessage } from '../../../../src/shared/protocol/drafts/draft-message.js';
import { MEMO_PROGRAM } from '../../../../src/shared/protocol/drafts/solana-message.js';
import type { DraftCosigners } from '../../../../src/shared/protocol/profile.js';
import { PAPER_COSIGNERS } from '../../../exchange/cosigners.js';
import { type Instruction, READONLY, READONLY_SIGNER, transactionHex, WRITABLE, WRITABLE_SIGNER } from '../shapes.js';
import { type Draw, type Honest, textOf } from './draw.js';
import { PAYMENT_PROGRAMS, PAYMENTS } from './payments.js';
import type { HostileTransaction } from './transactions.js';

const [FIRST = '', SECOND = ''] = PAPER_COSIGNERS;

/** One key signs and pays; two sign and the first pays; one signs and our wallet pays. */
export const PAYING: DraftCosigners = { keys: [FIRST], fee_payer: FIRST };
export const BOTH: DraftCosigners = { keys: [SECOND, FIRST], fee_payer: FIRST };
export const BESIDE: DraftCosigners = { keys: [FIRST] };

const SLOTS_END = 1 + 2 * 64;
/** Offset of the keys, the payer's first and then ours. */
const keysAt = (bytes: Buffer) => SLOTS_END + (bytes[SLOTS_END] === 0x80 ? 1 : 0) + 4;

const MALFORMED = /is not a Solana transaction|not in its canonical encoding|contradict each other/;
const UNNAMED = /draft_cosigners of the venue profile does not name/;
const FILLED = /already carries a signature/;

/** An empty slot has 64 zeros. */
const filling = (draw: Draw) => Buffer.concat([Buffer.of(1 + draw.below(255)), draw.bytes(63)]);

interface Asked {
  readonly payer: string;
  /** Signers beside the payer. */
  readonly signers: readonly string[];
  /** Accounts named without signing. */
  readonly named?: readonly string[];
  readonly more?: readonly Instruction[];
  readonly text?: string;
}

function built(honest: Honest, draw: Draw, { payer, signers, named = [], more = [], text }: Asked): string {
  const accounts = [
    ...signers.map((key) => ({ address: address(key), role: draw.pick<2 | 3>(READONLY_SIGNER, WRITABLE_SIGNER) })),
    ...named.map((key) => ({ address: address(key), role: draw.pick<0 | 1>(READONLY, WRITABLE) })),
  ];
  const memo = { program: MEMO_PROGRAM, text: text ?? textOf(honest), accounts };
  const instructions = draw.chance(0.5) ? [memo, ...more] : [...more, memo];
  return transactionHex({ payer, version: draw.pick<'legacy' | 0>('legacy', 0), blockhash: draw.key(), instructions });
}

const by = (payer: string, ...signers: readonly string[]): Asked => ({ payer, signers });

const strangers = (draw: Draw, count: number) => Array.from({ length: count }, () => draw.key());

const kind = (
  name: string,
  because: RegExp,
  cosigners: DraftCosigners | null,
  asked: (ours: string, draw: Draw, honest: Honest) => Asked,
): HostileTransaction => ({
  name: `co-signed: ${name}`,
  because,
  programs: null,
  ...(cosigners === null ? {} : { cosigners }),
  make: (honest, draw) => built(honest, draw, asked(draw.wallet.address, draw, honest)),
});

/** The honest co-signed bytes with a change. Slots begin at the second byte, 64 bytes each. */
const bent = (name: string, because: RegExp, change: (own: Buffer, draw: Draw) => Uint8Array): HostileTransaction => ({
  name: `co-signed: ${name}`,
  because,
  programs: null,
  cosigners: PAYING,
  make: ({ draft }, draw) => {
    const bytes = Buffer.from(writeDraftMessage('solana_tx', draft, draw.wallet.address, PAYING), 'hex');
    return Buffer.from(change(bytes, draw)).toString('hex');
  },
});

const OTHERS: readonly HostileTransaction[] = [
  kind('where the profile names nobody, and the co-signer pays', /is paid by/, null, (ours) => by(FIRST, ours)),
  kind('where the profile names nobody, and our wallet pays', UNNAMED, null, (ours) => by(ours, FIRST)),
  kind('somebody unnamed signs too', UNNAMED, PAYING, (ours, draw) => by(FIRST, ours, draw.key())),
  kind('somebody unnamed signs in place of the one who does not pay', UNNAMED, BOTH, (ours, draw) =>
    by(FIRST, ours, draw.key()),
  ),
  kind('somebody unnamed signs where our wallet pays', UNNAMED, BESIDE, (ours, draw) => by(ours, FIRST, draw.key())),
  kind('too many sign', UNNAMED, PAYING, (ours, draw) => by(FIRST, ours, ...strangers(draw, 2 + draw.below(4)))),
  bent('a co-signer with one byte changed', /is paid by/, (bytes, draw) => {
    const changed = Buffer.from(bytes);
    const at = keysAt(bytes) + draw.below(32);
    changed[at] = ((bytes[at] ?? 0) + 1 + draw.below(255)) % 256;
    return changed;
  }),
  kind('one of the named is missing', /signers?, without/, BOTH, (ours) => by(FIRST, ours)),
  kind('the named one is only mentioned', /1 signer, without/, BESIDE, (ours) => ({ ...by(ours), named: [FIRST] })),
  kind('nobody signs beside our wallet', /1 signer, without/, BESIDE, (ours) => by(ours)),
];

const PAYERS: readonly HostileTransaction[] = [
  kind('our wallet pays where the profile says that they do', /is paid by our wallet/, PAYING, (ours) =>
    by(ours, FIRST),
  ),
  kind('our wallet pays and signs alone where the profile says that they do', /is paid by our/, PAYING, (ours) =>
    by(ours),
  ),
  kind('somebody unnamed pays', /is paid by/, PAYING, (ours, draw) => by(draw.key(), ours, FIRST)),
  kind('the named one pays where our wallet should', /is paid by/, BESIDE, (ours) => by(FIRST, ours)),
  kind('the order changed: another of the named pays', /is paid by/, BOTH, (ours) => by(SECOND, ours, FIRST)),
  bent('the order changed: our wallet stands before the payer', /is paid by our wallet/, (bytes) => {
    const at = keysAt(bytes);
    const [payer, ours] = [bytes.subarray(at, at + 32), bytes.subarray(at + 32, at + 64)];
    return Buffer.concat([bytes.subarray(0, at), ours, payer, bytes.subarray(at + 64)]);
  }),
];

const OURS: readonly HostileTransaction[] = [
  kind('our wallet is not asked for', /without our wallet/, PAYING, () => by(FIRST)),
  kind('our wallet is only mentioned', /without our wallet/, PAYING, (ours) => ({ ...by(FIRST), named: [ours] })),
  kind('somebody else stands where our wallet should', UNNAMED, PAYING, (_, draw) => by(FIRST, draw.key())),
  bent('the slot of the co-signer is filled', FILLED, (bytes, draw) =>
    Buffer.concat([bytes.subarray(0, 1), filling(draw), bytes.subarray(65)]),
  ),
  bent('our slot is filled', FILLED, (bytes, draw) =>
    Buffer.concat([bytes.subarray(0, 65), filling(draw), bytes.subarray(SLOTS_END)]),
  ),
  bent('both slots are filled', FILLED, (bytes, draw) =>
    Buffer.concat([bytes.subarray(0, 1), filling(draw), filling(draw), bytes.subarray(SLOTS_END)]),
  ),
];

/** Invalid transactions, or transactions that contradict themselves. */
export const MALFORMED_COSIGNERS: readonly HostileTransaction[] = [
  bent('a co-signer twice', MALFORMED, (bytes, draw) => {
    const at = keysAt(bytes);
    const twice = base58.decode(draw.pick(FIRST, draw.wallet.address));
    const changed = Buffer.from(bytes);
    changed[at - 4] = 3;
    changed[at - 1] = (changed[at - 1] ?? 0) + 1;
    const slots = Buffer.concat([Buffer.of(3), Buffer.alloc(3 * 64)]);
    return Buffer.concat([slots, changed.subarray(SLOTS_END, at + 64), twice, changed.subarray(at + 64)]);
  }),
  bent('our wallet twice, and the co-signer not at all', MALFORMED, (bytes) => {
    const at = keysAt(bytes);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 32, at + 64), bytes.subarray(at + 32)]);
  }),
  bent('a slot too few', MALFORMED, (bytes) => Buffer.concat([Buffer.of(1), bytes.subarray(65)])),
  bent('a slot too many', MALFORMED, (bytes) => Buffer.concat([Buffer.of(3), Buffer.alloc(64), bytes.subarray(1)])),
  bent('fewer signers in the header than slots', MALFORMED, (bytes) => {
    const changed = Buffer.from(bytes);
    changed[keysAt(bytes) - 4] = 1;
    return changed;
  }),
];

const CONTENTS: readonly HostileTransaction[] = [
  kind('the memo of another intent', /the draft says/, PAYING, (ours, draw) => ({
    ...by(FIRST, ours),
    text: textOf(draw.honest(draw.terms())),
  })),
  kind('a program that nobody names', /which solana_programs/, PAYING, (ours, draw) => ({
    ...by(FIRST, ours),
    more: [{ program: draw.key(), data: draw.bytes(draw.below(40)) }],
  })),
  kind('an account that nobody needs', /names the account/, PAYING, (ours, draw) => ({
    ...by(FIRST, ours),
    named: [draw.key()],
  })),
  ...PAYMENTS.map((payment) => ({
    ...kind(payment.name, /which is never allowed|does not name/, PAYING, (ours, draw) => ({
      ...by(FIRST, ours),
      more: [payment.call(draw)],
    })),
    programs: PAYMENT_PROGRAMS,
  })),
];

/** Well-formed transactions. */
export const HOSTILE_COSIGNERS: readonly HostileTransaction[] = [...OTHERS, ...PAYERS, ...OURS, ...CONTENTS];

/** An honest co-signed draft of other software: its other signers may be writable, and in any order. */
export function cosignedByOthers(honest: Honest, draw: Draw, cosigners: DraftCosigners): string {
  const all = [draw.wallet.address, ...cosigners.keys];
  const payer = cosigners.fee_payer ?? draw.wallet.address;
  const signers = all.filter((key) => key !== payer);
  return built(honest, draw, { payer, signers: draw.chance(0.5) ? signers : signers.reverse() });
}
