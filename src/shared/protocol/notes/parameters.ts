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
  condition_id: { description: 'Market or event.', example: MARKET },
  pubkey: { description: 'Record, by the pubkey of its draft.', example: PUBKEY },
  key_id: { description: 'API key, as in the list of keys.' },

  limit: { description: 'Maximum rows of the page.' },
  cursor: { description: '`next_cursor` of the previous page.' },
  sort: { description: 'Order of the list; a minus means descending.' },
  market_condition_id: { description: 'Market. In a list: only its rows.', example: MARKET },
  event_condition_id: { description: 'Only rows of this event’s markets.' },
  position_pubkey: { description: 'Only the settlement of this position.' },
  status: { description: 'Only orders in these statuses; comma-separated, in any case.' },
  state: { description: 'Only rows in this state; several are comma-separated where permitted.' },
  states: { description: 'Only rows in these states; comma-separated, in any case.' },
  market_state: {
    description: 'Only rows of markets in this state, in any case. Without a position or market: `open` or `resolved`.',
  },
  is_closed: { description: 'True: only closed positions. False: only open ones.' },
  is_yes: { description: 'True: YES, or only its rows. False: NO.', example: true },
  side: { description: 'Side of the order.', example: 'buy' },
  order_type: { description: 'A limit order may rest, a market order never does. In any case.' },
  type: { description: '`market`: opens now. `limit`: opens at `price`.' },
  price: {
    description: 'Price in the space of the outcome: above 0, below 1, on the tick.',
    example: '0.42',
  },
  amount: { description: 'Shares or complete sets: a positive multiple of the lot.', example: '10' },
  funds: { description: 'Currency to spend.', example: '25' },
  shares: { description: 'Shares of the position.', example: '100' },
  leverage: {
    description: 'Total over own liquidity, from 1 to the market’s maximum.',
    example: 2,
  },
  position_leverage: { description: 'Only positions with this leverage.' },
  take_profit_price: {
    description: 'Closes the position at or above this price. Null clears it.',
    example: '0.8',
  },
  stop_loss_price: {
    description: 'Closes the position at or below this price. Null clears it.',
    example: '0.2',
  },
  signature: {
    description: 'The wallet’s ed25519 signature: 128 hex characters; a leading `0x` is ignored.',
  },
  wallet_address: { description: 'Wallet: base58 of its 32-byte ed25519 public key.' },
  message: { description: 'Message of the challenge.' },
  nonce: { description: 'Nonce of the challenge.' },

  depth: { description: 'Maximum levels of each side.' },
  start_time: { description: 'Start of the chart, Unix seconds.', example: 1_714_300_000 },
  end_time: {
    description: 'End of the chart, Unix seconds, exclusive.',
    example: 1_714_386_400,
  },
  interval: { description: 'Length of a bar.' },
  activity_type: { description: 'Only this kind of activity, in any case.' },
  category: { description: 'Only this category.' },
  sport: { description: 'Slugs of sports, comma-separated.', example: 'football' },
  league: { description: 'Slugs of leagues, comma-separated; only together with `sport`.' },
  q: { description: 'Searched words, at least 2 characters.', example: 'rain' },
  resolution_time_gt: { description: 'Only resolutions after this time, Unix seconds.' },
  resolution_time_lt: { description: 'Only resolutions before this time, Unix seconds.' },
  price_gte: { description: 'Minimum YES price.', example: '0.1' },
  price_lte: { description: 'Maximum YES price.', example: '0.9' },
  leveraged: { description: 'True: only margin markets. False: only others.' },
  max_leverage_yes_gte: { description: 'Lower limit of the market’s maximum leverage on YES.' },
  max_leverage_yes_lte: { description: 'Upper limit of the market’s maximum leverage on YES.' },
  max_leverage_no_gte: { description: 'Lower limit of the market’s maximum leverage on NO.' },
  max_leverage_no_lte: { description: 'Upper limit of the market’s maximum leverage on NO.' },
  result_type: { description: 'Only markets or only events.' },
};
