/** Names, prefixes, limits and lifetimes of a venue. The profile's file is `config/venues/<name>.yaml`. */

import { base58 } from '@scure/base';
import { z } from 'zod';
import { FEE_SCHEDULES } from '../base/fees.js';

const requestsPerMinute = z.number().int().min(1).max(100_000);

/** Maximum number of co-signers with which the paper exchange's longest transaction still fits into a packet. */
const MOST_COSIGNERS = 4;

const publicKey = z.string().refine(isPublicKey, 'the base58 address of a key');

/** Schema of a rate as text in the format of `formatDecimal`, so that rates can be compared as text. */
const rate = z.string().regex(/^(?:0|0\.\d{0,5}[1-9])$/, 'a rate such as "0.01", without trailing zeros');

/** Signers of a transaction draft besides the caller's wallet. Every draft has all of these signers and no others. */
const draftCosigners = z
  .strictObject({
    keys: z.array(publicKey).min(1).max(MOST_COSIGNERS),
    /** Key of the signer that pays the transaction fee. If absent, the caller's wallet pays the transaction fee. */
    fee_payer: publicKey.optional(),
  })
  .refine(({ keys }) => new Set(keys).size === keys.length, { path: ['keys'], message: 'wants every key once' })
  .refine(({ keys, fee_payer }) => fee_payer === undefined || keys.includes(fee_payer), {
    path: ['fee_payer'],
    message: 'wants one of the keys in `keys` of the same entry',
  });

/** Co-signers of a venue's transaction drafts, and the payer of the transaction fee. Keys are base58 of 32 bytes. */
export type DraftCosigners = Readonly<z.output<typeof draftCosigners>>;

export const venueProfileSchema = z.strictObject({
  /** Name of the service in the text of challenges and of readable drafts. */
  service_name: z.string().min(1).max(40),
  /** Prefix of the names of the three authentication headers. */
  header_prefix: z.string().regex(/^[A-Z][A-Z0-9-]{0,30}$/, 'capital letters, digits and dashes'),
  base_url: z.url(),
  /** Format of a draft's `message`: readable text, hex of a Solana transaction, or unreadable bytes. */
  draft_message: z.enum(['utf8', 'solana_tx', 'opaque']),
  /**
   * Programs that the venue's transactions may call besides Memo, which is always allowed; absent: none. The trader
   * cannot read how a program uses the signature, so an entry needs `allow_blind_signing: true` in the trader's file.
   */
  solana_programs: z
    .array(z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'the base58 address of a program'))
    .max(32)
    .optional(),
  /** Whether transactions that call `solana_programs` may use address lookup tables; absent: no. */
  solana_lookup_tables: z.boolean().optional(),
  /**
   * The service's own keys that also sign its transaction drafts (`solana_tx`). The slots of these signatures are empty
   * in the draft; the service fills them at the submit. Without such keys, only the trader's wallet signs and pays.
   */
  draft_cosigners: draftCosigners.optional(),
  /** Fee rates of the venue's markets, as fractions of price x amount. `twinbook rehearse` checks these rates. */
  fee_rates: z.strictObject({ maker: rate, taker: rate }).optional(),
  /** Formula by which the venue computes fees from its fee rates; absent: notional. */
  fee_schedule: z.enum(FEE_SCHEDULES).optional(),
  draft_lifetime_s: z.number().int().min(5).max(3600),
  clock_tolerance_s: z.number().int().min(1).max(300),
  rate_limits: z.strictObject({
    public_per_minute: requestsPerMinute,
    signed_per_minute: requestsPerMinute,
    bootstrap_per_minute: requestsPerMinute,
  }),
  /** Loss at which the paper exchange liquidates a margin position, per cent of the account's funds in it; absent: 100. */
  liquidation_loss_percent: z.number().int().min(1).max(100).optional(),
  /** Whether `GET /trades/` lists the caller's fills. If false, the trader derives fills from its orders. */
  own_trades: z.boolean(),
});

/** Profile of a venue. Times in a profile are in seconds, rate limits in requests per minute. */
export type VenueProfile = Readonly<z.output<typeof venueProfileSchema>>;

/** Returns true for base58 of 32 bytes. A text of more than 44 characters is too long, and is not decoded. */
export function isPublicKey(text: string): boolean {
  if (text.length > 44) return false;
  try {
    return base58.decode(text).length === 32;
  } catch {
    return false; // The text is not base58.
  }
}
