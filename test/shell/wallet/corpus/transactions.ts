/** Transactions with another meaning than the intent, built by the `@solana` packages: well-formed, and hostile. */

import { address } from '@solana/addresses';
import { writeDraftText } from '../../../../src/shared/protocol/drafts/draft-text.js';
import { MEMO_PROGRAM } from '../../../../src/shared/protocol/drafts/solana-message.js';
import type { DraftCosigners } from '../../../../src/shared/protocol/profile.js';
import { challengeText } from '../../../../src/shared/protocol/signing.js';
import {
  type Instruction,
  READONLY,
  READONLY_SIGNER,
  type Shape,
  transactionHex,
  WRITABLE,
  WRITABLE_SIGNER,
} from '../shapes.js';
import { type Draw, type Honest, type Hostile, textOf } from './draw.js';
import { PAYMENT_PROGRAMS, PAYMENTS } from './payments.js';

/** Makes the transaction's hex. */
export interface HostileTransaction extends Hostile<(honest: Honest, draw: Draw) => string> {
  /** Programs that the profile names with blind signing allowed; null: the shipped rules, which allow Memo alone. */
  readonly programs: readonly string[] | null;
  /** Other signers, as in the profile; absent: none. */
  readonly cosigners?: DraftCosigners;
}

/** The program of an imagined venue. */
const VENUE_PROGRAM = 'Venue11111111111111111111111111111111111111';
const BUDGET = 'ComputeBudget111111111111111111111111111111';
/** The memo program's first version, which is not the one that drafts use. */
const OLD_MEMO = 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo';

const memo = (text: string): Instruction => ({ program: MEMO_PROGRAM, text });

type Parts = Partial<Omit<Shape, 'blockhash'>>;

/** The honest transaction with other parts. */
function built(honest: Honest, draw: Draw, parts: Parts = {}): string {
  return transactionHex({
    payer: draw.wallet.address,
    version: draw.pick<'legacy' | 0>('legacy', 0),
    blockhash: draw.key(),
    instructions: [memo(textOf(honest))],
    ...parts,
  });
}

/** At any place among the honest instructions. */
const among = (extra: Instruction, honest: readonly Instruction[], draw: Draw) =>
  honest.toSpliced(draw.below(honest.length + 1), 0, extra);

const kind = (name: string, because: RegExp, make: HostileTransaction['make']): HostileTransaction => ({
  name,
  because,
  make,
  programs: null,
});

const call = (draw: Draw): Instruction => ({
  program: VENUE_PROGRAM,
  data: draw.bytes(draw.below(40)),
  accounts: [{ address: address(draw.key()), role: WRITABLE }],
});

const SIGNERS: readonly HostileTransaction[] = [
  kind('another pays, and our wallet is not asked for at all', /is paid by/, (honest, draw) =>
    built(honest, draw, { payer: draw.key() }),
  ),
  kind('another pays, and our wallet signs beside', /is paid by/, (honest, draw) => {
    const ours = { address: address(draw.wallet.address), role: draw.pick<2 | 3>(READONLY_SIGNER, WRITABLE_SIGNER) };
    return built(honest, draw, { payer: draw.key(), instructions: [{ ...memo(textOf(honest)), accounts: [ours] }] });
  }),
  kind('another pays, and our wallet is only named', /is paid by/, (honest, draw) => {
    const ours = { address: address(draw.wallet.address), role: draw.pick<0 | 1>(READONLY, WRITABLE) };
    return built(honest, draw, { payer: draw.key(), instructions: [{ ...memo(textOf(honest)), accounts: [ours] }] });
  }),
  kind('others sign beside our wallet', /requires \d+ signers/, (honest, draw) => {
    const role = draw.pick<2 | 3>(READONLY_SIGNER, WRITABLE_SIGNER);
    const others = Array.from({ length: 1 + draw.below(3) }, () => ({ address: address(draw.key()), role }));
    return built(honest, draw, { instructions: [{ ...memo(textOf(honest)), accounts: others }] });
  }),
];

const MEMOS: readonly HostileTransaction[] = [
  kind('no instruction', /has no memo/, (honest, draw) => built(honest, draw, { instructions: [] })),
  kind('the memo twice', /carries \d memos/, (honest, draw) => {
    const text = textOf(honest);
    const second = draw.pick(text, '', 'gm', writeDraftText({ ...honest.draft, terms: draw.order() }));
    return built(honest, draw, { instructions: among(memo(second), [memo(text)], draw) });
  }),
  kind('a memo that is no text', /is not text/, (honest, draw) => {
    const bytes = Buffer.from(textOf(honest), 'utf8');
    bytes[draw.below(bytes.length)] = 0x80 + draw.below(0x40);
    return built(honest, draw, { instructions: [{ program: MEMO_PROGRAM, data: bytes }] });
  }),
  kind('a memo of the old memo program', /calls the program/, (honest, draw) =>
    built(honest, draw, { instructions: [{ program: OLD_MEMO, text: textOf(honest) }] }),
  ),
  kind('a memo that names accounts', /names the account/, (honest, draw) => {
    const others = Array.from({ length: 1 + draw.below(3) }, () => ({
      address: address(draw.key()),
      role: draw.pick<0 | 1>(READONLY, WRITABLE),
    }));
    return built(honest, draw, { instructions: [{ ...memo(textOf(honest)), accounts: others }] });
  }),
  kind('an account out of a lookup table', /lookup table/, (honest, draw) =>
    built(honest, draw, { version: 0, instructions: [{ ...memo(textOf(honest)), table: draw.key() }] }),
  ),
];

/** Forbidden calls are rejected under every profile: beside the memo, alone, and with the venue's own calls. */
const GIVING: readonly HostileTransaction[] = PAYMENTS.flatMap((payment) => [
  kind(payment.name, /calls the program|requires \d signers/, (honest, draw) => {
    const extra = payment.call(draw);
    const instructions = draw.chance(0.2) ? [extra] : among(extra, [memo(textOf(honest))], draw);
    return built(honest, draw, { instructions });
  }),
  {
    ...kind(`${payment.name}, though the profile names its program`, /which is never allowed/, (honest, draw) => {
      const own = draw.chance(0.5) ? [call(draw)] : [memo(textOf(honest)), call(draw)];
      return built(honest, draw, { instructions: among(payment.call(draw), own, draw) });
    }),
    programs: [VENUE_PROGRAM, ...PAYMENT_PROGRAMS],
  },
]);

/** Beside a program that the profile names. */
const named: typeof kind = (...row) => ({ ...kind(...row), programs: [VENUE_PROGRAM, BUDGET] });

const STRANGERS: readonly HostileTransaction[] = [
  kind('a program that the profile does not name', /which solana_programs/, (honest, draw) =>
    built(honest, draw, { instructions: among({ ...call(draw), program: draw.key() }, [memo(textOf(honest))], draw) }),
  ),
  named('a program that the profile does not name, beside one that it names', /which solana_programs/, (honest, draw) =>
    built(honest, draw, { instructions: among({ ...call(draw), program: draw.key() }, [call(draw)], draw) }),
  ),
  named('a priority fee that nobody needs', /priority/, (honest, draw) => {
    const price = Buffer.alloc(9);
    price.writeUInt8(3);
    price.writeBigUInt64LE(1_000_000_000n + BigInt(draw.below(2 ** 50)), 1);
    return built(honest, draw, { instructions: among({ program: BUDGET, data: price }, [call(draw)], draw) });
  }),
  named('a call of the budget that nobody can read', /unreadable call of Compute Budget/, (honest, draw) => {
    const bytes = draw.bytes(draw.below(12));
    bytes[0] = draw.pick(0, 1, 4, 5, 255);
    return built(honest, draw, { instructions: among({ program: BUDGET, data: bytes }, [call(draw)], draw) });
  }),
  named('another payer of a program that the profile names', /is paid by/, (honest, draw) =>
    built(honest, draw, { payer: draw.key(), instructions: [call(draw)] }),
  ),
  named('a lookup table beside a program that the profile names', /lookup table/, (honest, draw) =>
    built(honest, draw, { version: 0, instructions: [{ ...call(draw), table: draw.key() }] }),
  ),
  named('the memo of another intent beside a program that the profile names', /the draft says/, (honest, draw) =>
    built(honest, draw, { instructions: among(memo(textOf(draw.honest(draw.terms()))), [call(draw)], draw) }),
  ),
  named(
    'a credential challenge as memo beside a program that the profile names',
    /credential challenge/,
    (honest, draw) => {
      const challenge = challengeText('SVC', draw.wallet.address, 'n0nce');
      return built(honest, draw, { instructions: among(memo(challenge), [call(draw)], draw) });
    },
  ),
];

export const HOSTILE_TRANSACTIONS: readonly HostileTransaction[] = [...SIGNERS, ...MEMOS, ...GIVING, ...STRANGERS];
