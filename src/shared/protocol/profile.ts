/** Profile of a venue: names, prefixes, limits and lifetimes. The file is `config/venues/<name>.yaml`. */

import { base58 } from '@scure/base';
import { z } from 'zod';
import { FEE_SCHEDULES } from '../base/fees.js';

const requestsPerMinute = z.number().int().min(1).max(100_000);

/** Maximum number of slots with which the longest transaction of the paper exchange fits into a packet. */
const MOST_COSIGNERS = 4;

const publicKey = z.string().refine(isPublicKey, 'the base58 address of a key');

/** Format of `formatDecimal`, so that texts can be compared. */
const rate = z.string().regex(/^(?:0|0\.\d{0,5}[1-9])$/, 'a rate such as "0.01", without trailing zeros');

/** Signers of a transaction draft besides the caller's wallet. Every draft has all cosigners and no other signer. */
const draftCosigners = z
  .strictObject({
    keys: z.array(publicKey).min(1).max(MOST_COSIGNERS),
    /** Which of the keys pays the fee. Absent: the caller's wallet does. */
    fee_payer: publicKey.optional(),
  })
  .refine(({ keys }) => new Set(keys).size === keys.length, { path: ['keys'], message: 'wants every key once' })
  .refine(({ keys, fee_payer }) => fee_payer === undefined || keys.includes(fee_payer), {
    path: ['fee_payer'],
    message: 'wants one of the keys above it',
  });

/** Further signers of a venue's transaction drafts, and the fee payer. Keys are base58 of 32 bytes. */
export type DraftCosigners = Readonly<z.output<typeof draftCosigners>>;

export const venueProfileSchema = z.strictObject({
  /** Name of the service in the challenge and in readable drafts. */
  service_name: z.string().min(1).max(40),
  /** Prefix of the three authentication headers. */
  header_prefix: z.string().regex(/^[A-Z][A-Z0-9-]{0,30}$/, 'capital letters, digits and dashes'),
  base_url: z.url(),
  /** Format of a draft's `message`: readable text, hex of a Solana transaction, or unreadable bytes. */
  draft_message: z.enum(['utf8', 'solana_tx', 'opaque']),
  /**
   * Programs that the venue's transactions may call beside Memo, which is always allowed. A program's use of our
   * signature is not readable, so an entry needs `allow_blind_signing: true` in the trader's file. Absent: none.
   */
  solana_programs: z
    .array(z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'the base58 address of a program'))
    .max(32)
    .optional(),
  /** Whether transactions with such calls may use accounts from address lookup tables. Absent: no. */
  solana_lookup_tables: z.boolean().optional(),
  /**
   * The service's own keys that also sign its transaction drafts (`solana_tx`). Their slots are empty in the draft, and
   * the service fills the slots at the submit. Absent: our wallet alone signs and pays.
   */
  draft_cosigners: draftCosigners.optional(),
  /** Fee rates of the venue's markets, as fractions of price x amount: `twinbook rehearse` compares them. */
  fee_rates: z.strictObject({ maker: rate, taker: rate }).optional(),
  /** Base of the venue's fee rates; see `FeeSchedule`. Absent: notional. */
  fee_schedule: z.enum(FEE_SCHEDULES).optional(),
  draft_lifetime_s: z.number().int().min(5).max(3600),
  clock_tolerance_s: z.number().int().min(1).max(300),
  rate_limits: z.strictObject({
    public_per_minute: requestsPerMinute,
    signed_per_minute: requestsPerMinute,
    bootstrap_per_minute: requestsPerMinute,
  }),
  /** Percent of a margin position's own liquidity whose loss liquidates it, for the paper exchange. Absent: 100. */
  liquidation_loss_percent: z.number().int().min(1).max(100).optional(),
  /** Whether `GET /trades/` lists our own fills; without it fills are read from the orders' filled amounts. */
  own_trades: z.boolean(),
});

/** Ages in seconds, limits in requests a minute. */
export type VenueProfile = Readonly<z.output<typeof venueProfileSchema>>;

/** Longer text than 44 characters cannot be 32 bytes, and is not decoded. */
function isPublicKey(text: string): boolean {
  if (text.length > 44) return false;
  try {
    return base58.decode(text).length === 32;
  } catch {
    return false; // not base58
  }
}
