/** Meaning of every parameter of a path, query or body by name, with unit and example. */

import type { z } from 'zod';
import type { Endpoint, EndpointName, ParamsOf } from '../endpoints.js';

interface ParameterNote {
  readonly description: string;
  readonly example?: string | number | boolean;
}

/** An object without fields is typed with any: it has no names. */
type KeysOf<T> = T extends unknown ? (string extends keyof T ? never : keyof T & string) : never;
type BodyFields<N extends EndpointName> = Endpoint<N>['body'] extends z.ZodObject
  ? KeysOf<z.input<NonNullable<Endpoint<N>['body']>>>
  : never;

/** Every parameter name. */
export type ParameterName = {
  [N in EndpointName]: KeysOf<ParamsOf<N>> | KeysOf<z.input<Endpoint<N>['query']>> | BodyFields<N>;
}[EndpointName];

const MARKET = '8kQm3Vn1xw6Yb4ZrD2fTgH9sLcJpE5uA7oNiXeCvB1dR';
const PUBKEY = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM1';

export const PARAMETER_NOTES: Readonly<Record<ParameterName, ParameterNote>> = {
  condition_id: { description: 'The market or event that the path is about.', example: MARKET },
  pubkey: { description: 'The record that the path is about, by the pubkey that its draft answered.', example: PUBKEY },
  key_id: { description: 'The API key, as the list of keys shows it.' },

  limit: { description: 'Most rows of the page. Out of range is refused, never cut.' },
  cursor: { description: '`next_cursor` of the page before, unchanged. Without it the list starts at its beginning.' },
  sort: { description: 'The order of the list; a leading minus means descending.' },
  market_condition_id: { description: 'A market. In a list: only rows of this market.', example: MARKET },
  event_condition_id: { description: 'Only records of this event’s markets.' },
  position_pubkey: { description: 'Only the settlement of this margin position.' },
  status: { description: 'Only orders in one of these statuses; comma-separated, in any case.' },
  state: { description: 'Only rows in this state; where several may be named they are comma-separated.' },
  states: { description: 'Only rows in one of these states; comma-separated, in any case.' },
  market_state: {
    description:
      'Only rows whose market is in this state, in any case. Without a position or a market only `open` and `resolved` are accepted.',
  },
  is_closed: { description: 'Only closed positions (true) or only those that are not (false).' },
  is_yes: { description: 'True: the YES outcome, or only its rows. False: NO.', example: true },
  side: { description: 'Whether shares are bought or sold.', example: 'buy' },
  order_type: { description: 'A limit order may rest in the book, a market order never does. In any case.' },
  type: { description: 'Whether the position is opened now or when the market reaches `price`.' },
  price: {
    description: 'Currency for one share, in the space of the outcome that is meant: above 0, below 1, on the tick.',
    example: '0.42',
  },
  amount: { description: 'Shares, or complete sets of shares: a positive multiple of the lot.', example: '10' },
  funds: { description: 'Currency to spend.', example: '25' },
  shares: { description: 'Shares of the position.', example: '100' },
  leverage: {
    description: 'Total liquidity over own liquidity, from 1 to the market’s maximum for the outcome.',
    example: 2,
  },
  position_leverage: { description: 'Only positions with this leverage.' },
  take_profit_price: {
    description: 'Close the position when its outcome rises to this price. Null clears it.',
    example: '0.8',
  },
  stop_loss_price: {
    description: 'Close the position when its outcome falls to this price. Null clears it.',
    example: '0.2',
  },
  signature: {
    description: 'ed25519 signature of the wallet in hex: 128 characters for 64 bytes; a leading `0x` is ignored.',
  },
  wallet_address: { description: 'The wallet: base58 of its 32-byte ed25519 public key.' },
  message: { description: 'The message of the challenge, unchanged.' },
  nonce: { description: 'The nonce of the challenge.' },

  depth: { description: 'Most levels of each side.' },
  start_time: { description: 'First moment of the chart, Unix seconds.', example: 1_714_300_000 },
  end_time: {
    description: 'End of the chart, Unix seconds, itself not included; at most 30 days after the start.',
    example: 1_714_386_400,
  },
  interval: { description: 'Length of a bar.' },
  activity_type: { description: 'Only this kind of activity, in any case.' },
  category: { description: 'Only this category.' },
  sport: { description: 'Slugs of sports, comma-separated.', example: 'football' },
  league: { description: 'Slugs of leagues, comma-separated; only together with `sport`.' },
  q: { description: 'Words to look for, 2 characters or more.', example: 'rain' },
  resolution_time_gt: { description: 'Only what resolves after this moment, Unix seconds.' },
  resolution_time_lt: { description: 'Only what resolves before this moment, Unix seconds.' },
  price_gte: { description: 'Only markets with a YES price of at least this.', example: '0.1' },
  price_lte: { description: 'Only markets with a YES price of at most this.', example: '0.9' },
  leveraged: { description: 'Only margin markets (true) or only others (false).' },
  max_leverage_yes_gte: { description: 'Only markets that allow at least this leverage on YES.' },
  max_leverage_yes_lte: { description: 'Only markets that allow at most this leverage on YES.' },
  max_leverage_no_gte: { description: 'Only markets that allow at least this leverage on NO.' },
  max_leverage_no_lte: { description: 'Only markets that allow at most this leverage on NO.' },
  result_type: { description: 'Only markets or only events.' },
};
