/** Leveraged positions: estimates, requests, positions, their triggers, settlements and claims. */

import { type Handlers, refuse } from './calls.js';

type MarginCall =
  | `positions.${'list' | 'estimate' | 'detail' | 'close' | 'setTpSl' | 'deleteTpSl' | 'claim'}`
  | 'settlements.list'
  | `requests.${'list' | 'create' | 'submit' | 'detail' | 'cancel'}`
  | 'markets.marginActivity';

const unserved = () => refuse({ slug: 'internal_error' });

export const marginCalls: Handlers<MarginCall> = {
  'positions.list': unserved,
  'positions.estimate': unserved,
  'positions.detail': unserved,
  'positions.close': unserved,
  'positions.setTpSl': unserved,
  'positions.deleteTpSl': unserved,
  'positions.claim': unserved,
  'settlements.list': unserved,
  'requests.list': unserved,
  'requests.create': unserved,
  'requests.submit': unserved,
  'requests.detail': unserved,
  'requests.cancel': unserved,
  'markets.marginActivity': unserved,
};
