/** The readable draft of the paper exchange is one line with all terms that a signer must know. */

import { z } from 'zod';
import { formatDecimal, type Micros } from '../../base/micros.js';
import { SIDES } from '../states.js';
import { money, parseBySchema } from '../wire.js';

/** Pattern of a pubkey. Base58 text contains no separator of the draft's fields. */
const NAME = '[1-9A-HJ-NP-Za-km-z]{1,64}';

const isYes = z.enum(['YES', 'NO']).transform((word) => word === 'YES');
const order = { action: z.literal('place-order'), isYes };
const margin = { action: z.literal('open-margin-position'), isYes, leverage: money };
const [limit, market] = [z.literal('limit'), z.literal('market')];

const draftTerms = z.union([
  z.strictObject({ ...order, side: z.enum(SIDES), type: limit, price: money, amount: money }),
  z.strictObject({ ...order, side: z.literal('buy'), type: market, funds: money }),
  z.strictObject({ ...order, side: z.literal('sell'), type: market, amount: money }),
  z.strictObject({ action: z.literal('cancel-order'), orderPubkey: z.string().regex(new RegExp(`^${NAME}$`)) }),
  z.strictObject({ action: z.enum(['merge-shares', 'split-shares']), amount: money }),
  z.strictObject({ action: z.literal('redeem-shares'), yes: money, no: money }),
  z.strictObject({ ...margin, type: market, funds: money }),
  z.strictObject({ ...margin, type: limit, price: money, shares: money }),
]);

/** Terms that the wallet accepts with its signature. Prices and amounts are those of the draft's outcome. */
export type DraftTerms = Readonly<z.output<typeof draftTerms>>;

/** Labels of the terms in the readable text, in the order of the text. */
const LABELS: Readonly<Record<string, string>> = {
  isYes: 'Outcome',
  side: 'Side',
  type: 'Type',
  leverage: 'Leverage',
  price: 'Price',
  amount: 'Amount',
  funds: 'Funds',
  shares: 'Shares',
  yes: 'Yes',
  no: 'No',
  orderPubkey: 'Order',
};

/** Fields of a readable draft. */
export interface DraftText {
  readonly serviceName: string;
  readonly marketConditionId: string;
  /** Pubkey of the draft; in a cancel's draft, often the pubkey of the canceled order. */
  readonly draftPubkey: string;
  /** Expiry of the draft, Unix seconds on the exchange's clock. */
  readonly expires: number;
  readonly terms: DraftTerms;
}

/** Returns the draft as one readable line, which `readDraftText` parses. */
export function writeDraftText(draft: DraftText): string {
  const { serviceName, marketConditionId, draftPubkey, expires, terms } = draft;
  return `${serviceName} draft v1 | ${terms.action} | Market: ${marketConditionId} | ${details(terms)} | Draft: ${draftPubkey} | Expires: ${expires}`;
}

function details(terms: DraftTerms): string {
  const fields: Readonly<Record<string, Term>> = terms;
  return Object.entries(LABELS)
    .flatMap(([field, label]) => (fields[field] === undefined ? [] : `${label}: ${formatTerm(fields[field])}`))
    .join(', ');
}

type Term = string | boolean | Micros;

function formatTerm(term: Term): string {
  if (typeof term === 'boolean') return term ? 'YES' : 'NO';
  return typeof term === 'string' ? term : formatDecimal(term);
}

/** Pattern of a draft. The pattern permits no invisible characters, so that a reader sees the whole draft. */
const LINE = new RegExp(
  `^([^|\\p{C}\\p{Zl}\\p{Zp}]{1,40}) draft v1 \\| ([a-z-]{1,32}) \\| Market: ([^\\s|,\\p{C}]{1,128}) \\| ([^|\\p{C}\\p{Zl}\\p{Zp}]{1,300}) \\| Draft: (${NAME}) \\| Expires: (\\d{1,12})$`,
  'u',
);

/** Parses a readable draft; null for any text other than the exact text of `writeDraftText`. */
export function readDraftText(text: string): DraftText | null {
  const match = LINE.exec(text);
  if (match === null) return null;
  const [, serviceName = '', action = '', marketConditionId = '', detailText = '', draftPubkey = '', expires = ''] =
    match;
  const terms = readTerms(action, detailText);
  if (terms === null) return null;
  const draft = { serviceName, marketConditionId, draftPubkey, expires: Number(expires), terms };
  // The text must equal `writeDraftText`'s text for these terms in every byte, so that each draft has only one form.
  return writeDraftText(draft) === text ? draft : null;
}

function readTerms(action: string, detailText: string): DraftTerms | null {
  const fields: Record<string, string> = { action };
  for (const pair of detailText.split(', ')) {
    const [label = '', value = ''] = pair.split(': ', 2);
    fields[FIELDS.get(label) ?? label] = value;
  }
  return parseBySchema(draftTerms, fields).data ?? null;
}

const FIELDS: ReadonlyMap<string, string> = new Map(Object.entries(LABELS).map(([field, label]) => [label, field]));
