/**
 * The corpus of hostile drafts: classes of requests of a hostile or broken venue, each with any number of cases, drawn
 * from a seed. None may be signed, each must be rejected for the reason of its class, and the honest draft beside it
 * must be signed, or the rejection would prove nothing.
 */

import { base58 } from '@scure/base';
import { address } from '@solana/addresses';
import { must } from '../../../../src/shared/base/errors.js';
import { Random } from '../../../../src/shared/base/random.js';
import { writeDraftMessage } from '../../../../src/shared/protocol/drafts/draft-message.js';
import { MEMO_PROGRAM } from '../../../../src/shared/protocol/drafts/solana-message.js';
import type { DraftCosigners } from '../../../../src/shared/protocol/profile.js';
import type { SignResult, signingRules } from '../../../../src/shell/wallet/draft-signer.js';
import { Wallet } from '../../../../src/shell/wallet/wallet.js';
import { serviceName, verifies } from '../drafts.js';
import { READONLY_SIGNER, transactionHex } from '../shapes.js';
import { asCharacters, disguised, HOSTILE_BYTES } from './bytes.js';
import { HOSTILE_CHALLENGES } from './challenges.js';
import { BESIDE, BOTH, cosignedByOthers, HOSTILE_COSIGNERS, MALFORMED_COSIGNERS, PAYING } from './cosigners.js';
import { Draw, type Honest, type Question, textOf } from './draw.js';
import { HOSTILE_TEXTS } from './texts.js';
import { HOSTILE_TRANSACTIONS } from './transactions.js';
import { memoParts, wireBytes } from './wire.js';

type SigningRules = ReturnType<typeof signingRules>;

/** One class of drafts that must never be signed. */
export interface HostileClass {
  readonly name: string;
  readonly because: RegExp;
  readonly ask: (draw: Draw) => SignResult;
}

/** Results of honest drafts. */
export interface HonestResult {
  readonly form: string;
  readonly cases: number;
  readonly refused: number;
  /** The first that was rejected; empty if none. */
  readonly example: string;
}

/** Results of one class. */
export interface ClassResult {
  readonly name: string;
  readonly cases: number;
  readonly signed: number;
  /** Rejected for another reason than that of the class. */
  readonly misjudged: number;
  /** The first case that was signed or misjudged; empty if none. */
  readonly example: string;
}

const rulesOf = (draft_message: SigningRules['draft_message'], more: Partial<SigningRules> = {}): SigningRules => ({
  service_name: serviceName,
  draft_message,
  allowBlindSigning: false,
  ...more,
});

const cosignedBy = (draft_cosigners: DraftCosigners | undefined): Partial<SigningRules> =>
  draft_cosigners === undefined ? {} : { draft_cosigners };

/** Calls a signer with `stored` in its ledger. */
export function answerTo(draw: Draw, { stored, rules }: Question, intentId = stored?.intentId ?? 'i'): SignResult {
  return draw.wallet.draftSigner({ ...rules, loadDraft: () => stored }).sign(intentId);
}

const ask = (draw: Draw, { stored }: Honest, message: string, rules: SigningRules) =>
  answerTo(draw, { stored: { ...stored, message }, rules });

/** A memo of our wallet with this text. */
const memoHex = (draw: Draw, text: string) =>
  wireBytes(memoParts(draw.wallet.address, text, draw.bytes(32), draw.pick<'legacy' | 0>('legacy', 0))).toString('hex');

const TEXTS: readonly HostileClass[] = HOSTILE_TEXTS.flatMap(({ name, because, make }) => {
  const asked = (kind: 'utf8' | 'solana_tx', write: (draw: Draw, text: string) => string) => (draw: Draw) => {
    const honest = draw.honest(draw.order());
    return ask(draw, honest, write(draw, make(honest, draw)), rulesOf(kind));
  };
  return [
    { name: `text: ${name}`, because, ask: asked('utf8', (_, text) => text) },
    { name: `memo: ${name}`, because, ask: asked('solana_tx', memoHex) },
  ];
});

const TRANSACTIONS: readonly HostileClass[] = [
  ...HOSTILE_TRANSACTIONS,
  ...HOSTILE_COSIGNERS,
  ...MALFORMED_COSIGNERS,
].map(({ name, because, programs, cosigners, make }) => ({
  name: `transaction: ${name}`,
  because,
  ask: (draw) => {
    const honest = draw.honest(draw.terms());
    const blind = programs === null ? {} : { allowBlindSigning: true, solana_programs: [...programs] };
    return ask(draw, honest, make(honest, draw), rulesOf('solana_tx', { ...blind, ...cosignedBy(cosigners) }));
  },
}));

const BYTES: readonly HostileClass[] = HOSTILE_BYTES.map(({ name, because, make }) => ({
  name: `bytes: ${name}`,
  because,
  ask: (draw) => {
    const honest = draw.honest(draw.terms());
    return ask(draw, honest, make(honest, draw), rulesOf('solana_tx', { allowBlindSigning: draw.chance(0.5) }));
  },
}));

const anyText = (draw: Draw) =>
  rulesOf(draw.pick<'utf8' | 'opaque'>('utf8', 'opaque'), { allowBlindSigning: true, solana_lookup_tables: true });

const row = (name: string, because: RegExp, ask: HostileClass['ask']): HostileClass => ({ name, because, ask });

/** Classes that are independent of the kind of message. */
const ROWS: readonly HostileClass[] = [
  row('text: a transaction in disguise', /is an encoded transaction/, (draw) => {
    const honest = draw.honest(draw.terms());
    return ask(draw, honest, disguised(honest, draw), anyText(draw));
  }),
  row('text: a transaction made of characters', /is an encoded transaction/, (draw) =>
    ask(draw, draw.honest(draw.terms()), asCharacters(draw), anyText(draw)),
  ),
  row('text: a huge message', /too long/, (draw) => {
    const honest = draw.honest(draw.order());
    const long = draw.pick(' ', 'A', '\u200b', '1').repeat(16_385 + draw.below(50_000));
    return ask(draw, honest, draw.chance(0.5) ? textOf(honest) + long : long, anyText(draw));
  }),
  row('opaque: what nobody can read, while nobody allowed it', /blind signing is not allowed/, (draw) => {
    const honest = draw.honest(draw.terms());
    return ask(draw, honest, writeDraftMessage('opaque', honest.draft, draw.wallet.address), rulesOf('opaque'));
  }),
  row('opaque: the readable draft of something else, blind signing allowed', /the draft says/, (draw) => {
    const other = textOf(draw.honest(draw.terms()));
    return ask(draw, draw.honest(draw.order()), other, rulesOf('opaque', { allowBlindSigning: true }));
  }),
  row('opaque: a credential challenge, blind signing allowed', /is a credential challenge/, (draw) => {
    const message = `Create ${draw.pick('SVC', 'Worm')} API credential | Wallet: ${draw.wallet.address} | Nonce: x`;
    return ask(draw, draw.honest(draw.terms()), message, rulesOf('opaque', { allowBlindSigning: true }));
  }),
  row('ledger: no draft is stored', /no draft is stored/, (draw) =>
    answerTo(draw, { stored: null, rules: rulesOf(draw.pick<'utf8' | 'solana_tx'>('utf8', 'solana_tx')) }),
  ),
  row('ledger: the row of another intent', /the stored draft belongs to/, (draw) => {
    const honest = draw.honest(draw.terms());
    const stored = { ...honest.stored, message: textOf(honest) };
    return answerTo(draw, { stored, rules: rulesOf('utf8') }, `${stored.intentId}0`);
  }),
];

const CHALLENGES: readonly HostileClass[] = HOSTILE_CHALLENGES.map(({ name, because, make }) => ({
  name,
  because,
  ask: (draw) => {
    const { message, nonce } = make(draw);
    return draw.wallet.signChallenge(message, { serviceName, nonce });
  },
}));

export const HOSTILE_CLASSES: readonly HostileClass[] = [TEXTS, TRANSACTIONS, BYTES, ROWS, CHALLENGES].flat();

/** The same wallet for the same seed. It is empty. */
const drawOf = (seed: number, name: string): Draw => {
  const keys = Random.fromSeed(seed, `wallet ${name}`);
  const wallet = new Wallet(Uint8Array.from({ length: 32 }, () => keys.below(256)));
  return new Draw(Random.fromSeed(seed, name), wallet);
};

export function tryClass({ name, because, ask: asked }: HostileClass, cases: number, seed: number): ClassResult {
  const draw = drawOf(seed, name);
  let [signed, misjudged, example] = [0, 0, ''];
  for (let number = 1; number <= cases; number++) {
    const answer = asked(draw);
    if (answer.ok) signed += 1;
    else if (!because.test(answer.reason)) misjudged += 1;
    else continue;
    example ||= `seed ${seed}, case ${number}: ${answer.ok ? 'signed' : answer.reason}`;
  }
  return { name, cases, signed, misjudged, example };
}

/** Forms of honest drafts: text, the paper exchange's own transactions, and those of other software. */
export const HONEST_FORMS = [
  ...['utf8', 'solana_tx', 'solana_tx of others'],
  ...['solana_tx co-signed', 'solana_tx co-signed, of others'],
] as const;

interface HonestMessage {
  readonly message: string;
  readonly cosigners?: DraftCosigners;
}

const HONEST_MESSAGES: Readonly<Record<string, (honest: Honest, draw: Draw) => HonestMessage>> = {
  utf8: (honest) => ({ message: textOf(honest) }),
  solana_tx: ({ draft }, draw) => ({ message: writeDraftMessage('solana_tx', draft, draw.wallet.address) }),
  'solana_tx co-signed': ({ draft }, draw) => {
    const cosigners = draw.pick(PAYING, BOTH, BESIDE);
    return { message: writeDraftMessage('solana_tx', draft, draw.wallet.address, cosigners), cosigners };
  },
  'solana_tx co-signed, of others': (honest, draw) => {
    const cosigners = draw.pick(PAYING, BOTH, BESIDE);
    return { message: cosignedByOthers(honest, draw, cosigners), cosigners };
  },
  'solana_tx of others': (honest, draw) => {
    // A memo may name its signer, and hex may have capitals.
    const ours = { address: address(draw.wallet.address), role: READONLY_SIGNER };
    const memo = { program: MEMO_PROGRAM, text: textOf(honest), accounts: draw.chance(0.5) ? [ours] : [] };
    const version = draw.pick<'legacy' | 0>('legacy', 0);
    const hex = transactionHex({ payer: draw.wallet.address, version, blockhash: draw.key(), instructions: [memo] });
    return { message: draw.chance(0.5) ? hex : hex.toUpperCase() };
  },
};

/** Honest drafts of every action; `refused` must stay 0. Another implementation checks every signature. */
export function tryHonest(form: string, cases: number, seed: number): HonestResult {
  const draw = drawOf(seed, `honest ${form}`);
  let [refused, example] = [0, ''];
  for (let number = 1; number <= cases; number++) {
    const honest = draw.honest(draw.terms());
    const { message, cosigners } = must(HONEST_MESSAGES[form], `the form ${form}`)(honest, draw);
    const answer = ask(draw, honest, message, rulesOf(form === 'utf8' ? 'utf8' : 'solana_tx', cosignedBy(cosigners)));
    // A transaction's message follows its slots, 64 bytes each, whose count is the first byte.
    const messageAt = 2 + 128 * Number.parseInt(message.slice(0, 2), 16);
    const signedBytes = form === 'utf8' ? Buffer.from(message, 'utf8') : Buffer.from(message.slice(messageAt), 'hex');
    if (answer.ok && verifies(signedBytes, answer.signature, draw.wallet.address)) continue;
    refused += 1;
    example ||= `seed ${seed}, case ${number}: ${answer.ok ? 'a signature over other bytes' : answer.reason}`;
  }
  return { form, cases, refused, example };
}

/** Whether the bytes from which the malformed ones are made equal those of the packages. */
export function isWireHonest(seed: number): boolean {
  const draw = drawOf(seed, 'wire');
  const text = textOf(draw.honest(draw.terms()));
  const blockhash = draw.bytes(32);
  return (['legacy', 0] as const).every((version) => {
    const own = wireBytes(memoParts(draw.wallet.address, text, blockhash, version)).toString('hex');
    const instructions = [{ program: MEMO_PROGRAM, text }];
    const shape = { payer: draw.wallet.address, version, blockhash: base58.encode(blockhash), instructions };
    return own === transactionHex(shape);
  });
}
