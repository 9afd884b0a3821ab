/** Tags of poll asks: `poll/<kind>` or `poll/<kind>/<market>`. */

import { ACCOUNT_POLLS, MARKET_POLLS, type PollTarget } from './contract.js';

/** Every poll's tag starts with this, and no other room's does. */
export const POLL_TAG = 'poll/';

export const pollTag = (target: PollTarget): string =>
  'marketConditionId' in target ? `${POLL_TAG}${target.kind}/${target.marketConditionId}` : `${POLL_TAG}${target.kind}`;

/** What a poll's tag says, or null for a tag that is not a poll's. */
export function parsePollTag(tag: string): PollTarget | null {
  if (!tag.startsWith(POLL_TAG)) return null;
  const rest = tag.slice(POLL_TAG.length);
  const slash = rest.indexOf('/');
  if (slash < 0) {
    const kind = ACCOUNT_POLLS.find((name) => name === rest);
    return kind === undefined ? null : { kind };
  }
  const kind = MARKET_POLLS.find((name) => name === rest.slice(0, slash));
  const marketConditionId = rest.slice(slash + 1);
  return kind === undefined || marketConditionId === '' ? null : { kind, marketConditionId };
}
