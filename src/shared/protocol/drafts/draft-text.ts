/** The readable draft of the paper exchange is one line with all terms that a signer must know. */

import { formatDecimal, type Micros, parseDecimal } from '../../base/micros.js';
import type { Side } from '../states.js';

interface OrderTerms {
  readonly action: 'place-order';
  readonly isYes: boolean;
}

interface MarginTerms {
  readonly action: 'open-margin-position';
  readonly isYes: boolean;
  readonly leverage: Micros;
}

/** Terms of a draft, which the wallet's signature accepts. Prices and amounts are those of the draft's outcome. */
export type DraftTerms =
  | (OrderTerms & { readonly side: Side; readonly type: 'limit'; readonly price: Micros; readonly amount: Micros })
  | (OrderTerms & { readonly side: 'buy'; readonly type: 'market'; readonly funds: Micros })
  | (OrderTerms & { readonly side: 'sell'; readonly type: 'market'; readonly amount: Micros })
  | { readonly action: 'cancel-order'; readonly orderPubkey: string }
  | { readonly action: 'merge-shares' | 'split-shares'; readonly amount: Micros }
  | { readonly action: 'redeem-shares'; readonly yes: Micros; readonly no: Micros }
  | (MarginTerms & { readonly type: 'market'; readonly funds: Micros })
  | (MarginTerms & { readonly type: 'limit'; readonly price: Micros; readonly shares: Micros });

/** Fields of a readable draft. */
export interface DraftText {
  readonly serviceName: string;
  readonly marketConditionId: string;
  /** Pubkey of the draft; in a cancel's draft, the pubkey of the canceled order. */
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
  switch (terms.action) {
    case 'place-order': {
      const head = `Outcome: ${terms.isYes ? 'YES' : 'NO'}, Side: ${terms.side}, Type: ${terms.type}`;
      if (terms.type === 'limit')
        return `${head}, Price: ${formatDecimal(terms.price)}, Amount: ${formatDecimal(terms.amount)}`;
      return terms.side === 'buy'
        ? `${head}, Funds: ${formatDecimal(terms.funds)}`
        : `${head}, Amount: ${formatDecimal(terms.amount)}`;
    }
    case 'cancel-order':
      return `Order: ${terms.orderPubkey}`;
    case 'merge-shares':
    case 'split-shares':
      return `Amount: ${formatDecimal(terms.amount)}`;
    case 'redeem-shares':
      return `Yes: ${formatDecimal(terms.yes)}, No: ${formatDecimal(terms.no)}`;
    case 'open-margin-position': {
      const head = `Outcome: ${terms.isYes ? 'YES' : 'NO'}, Type: ${terms.type}, Leverage: ${formatDecimal(terms.leverage)}`;
      return terms.type === 'market'
        ? `${head}, Funds: ${formatDecimal(terms.funds)}`
        : `${head}, Price: ${formatDecimal(terms.price)}, Shares: ${formatDecimal(terms.shares)}`;
    }
  }
}

/** Pattern of a pubkey. Base58 text contains no separator of the draft's fields. */
const NAME = '[1-9A-HJ-NP-Za-km-z]{1,64}';
const IS_NAME = new RegExp(`^${NAME}$`);
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
  const fields = new Map<string, string>();
  for (const pair of detailText.split(', ')) {
    const at = pair.indexOf(': ');
    if (at < 0) return null;
    fields.set(pair.slice(0, at), pair.slice(at + 2));
  }
  const number = (key: string): Micros | null => parseDecimal(fields.get(key) ?? '');
  const [price, amount, funds, shares] = [number('Price'), number('Amount'), number('Funds'), number('Shares')];
  const isYes = fields.get('Outcome') === 'YES';
  const type = fields.get('Type') === 'limit' ? 'limit' : 'market';
  switch (action) {
    case 'place-order': {
      const side: Side = fields.get('Side') === 'buy' ? 'buy' : 'sell';
      if (type === 'limit')
        return price === null || amount === null ? null : { action, isYes, side, type, price, amount };
      if (side === 'buy') return funds === null ? null : { action, isYes, side, type, funds };
      return amount === null ? null : { action, isYes, side, type, amount };
    }
    case 'cancel-order': {
      const orderPubkey = fields.get('Order') ?? '';
      return IS_NAME.test(orderPubkey) ? { action, orderPubkey } : null;
    }
    case 'merge-shares':
    case 'split-shares':
      return amount === null ? null : { action, amount };
    case 'redeem-shares': {
      const [yes, no] = [number('Yes'), number('No')];
      return yes === null || no === null ? null : { action, yes, no };
    }
    case 'open-margin-position': {
      const leverage = number('Leverage');
      if (leverage === null) return null;
      if (type === 'market') return funds === null ? null : { action, isYes, leverage, type, funds };
      return price === null || shares === null ? null : { action, isYes, leverage, type, price, shares };
    }
    default:
      return null;
  }
}
