/** What requests were spent on, by their endpoints: the same words as in `status`. */

/** From what is read of markets to what is taken back; in the order in which tables show them. */
export const REQUEST_PURPOSES = ['looks', 'moves', 'cancels', 'conversions', 'own'] as const;
export type RequestPurpose = (typeof REQUEST_PURPOSES)[number];

/** Null for what a trader never asks. */
function purposeOf(endpoint: string): RequestPurpose | null {
  if (/^(markets|events|search|sports)\./.test(endpoint)) return 'looks';
  if (/^orders\.cancel/.test(endpoint)) return 'cancels';
  if (/^(orders|trades|merges|splits|redeems)\.list$/.test(endpoint) || endpoint.startsWith('account.')) return 'own';
  if (endpoint.startsWith('orders.')) return 'moves';
  return /^(merges|splits|redeems)\./.test(endpoint) ? 'conversions' : null;
}

export function requestsByPurpose(
  byEndpoint: readonly (readonly [endpoint: string, count: number])[],
): Readonly<Record<RequestPurpose, number>> {
  const counts = { looks: 0, moves: 0, cancels: 0, conversions: 0, own: 0 };
  for (const [endpoint, count] of byEndpoint) {
    const purpose = purposeOf(endpoint);
    if (purpose !== null) counts[purpose] += count;
  }
  return counts;
}
