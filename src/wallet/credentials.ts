/** API credentials: one file for all venues and wallets, or two environment variables. */

/** What a signed call needs. The secret is the HMAC key and belongs in no log, error or page. */
export interface Credentials {
  readonly apiKey: string;
  readonly secret: string;
}
