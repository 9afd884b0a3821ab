import { describe, expect, it } from 'vitest';
import { accepted, faultOf, Venue, wallet } from './venue.js';

const KINDS = ['merge', 'split'] as const;

/** A venue with an account that has 20 complete sets, and both kinds of conversion with the same interface. */
function converting(kind: (typeof KINDS)[number]) {
  const venue = new Venue();
  const account = venue.account(1);
  venue.split(account, '20');
  return {
    venue,
    account,
    draft: (amount: string, who = account, id = venue.id) => venue.now.conversions.draft(kind, who, id, amount),
    submit: (pubkey: string, valid = true, who = account) => venue.now.conversions.submit(kind, who, pubkey, valid),
    row: (pubkey: string) => venue.core.conversions.records[kind].row(account, pubkey),
  };
}

describe.each(KINDS)('a %s', (kind) => {
  it('hears of the first of all that stands against it', () => {
    const { venue, account, draft } = converting(kind);
    const { id } = venue;
    const spec = { config: { kind: 'orderbook' }, margin_enabled: true } as const;
    const margin = accepted(venue.now.markets.create(spec)).condition_id;
    const refusal = (amount: string, market = id) => faultOf(draft(amount, account, market));
    accepted(draft('1'));
    venue.now.markets.setUnbacked(id, true);
    venue.now.markets.setPaused(id, true);
    venue.now.markets.setState(id, 'interrupted');
    venue.now.identity.setCustodial(wallet(1), true);
    venue.now.setSigningAvailable(false);
    expect(refusal('0', 'nobody')).toBe('gringotts_unavailable');
    venue.now.setSigningAvailable(true);
    expect(refusal('0', 'nobody')).toBe('invalid_request_params market_condition_id');
    expect(refusal('0', margin)).toBe('custodial_user_trading_not_allowed');
    venue.now.identity.setCustodial(wallet(1), false);
    expect(refusal('0', margin)).toBe('share_conversion_market_not_eligible');
    expect(refusal('0')).toBe('share_conversion_invalid_amount');
    expect(refusal('9999')).toBe('share_conversion_market_not_open');
    venue.now.markets.setState(id, 'open');
    expect(refusal('9999')).toBe('share_conversion_market_paused');
    venue.now.markets.setPaused(id, false);
    if (kind === 'merge') expect(refusal('9999')).toBe('share_merge_market_has_unbacked_collateral');
    venue.now.markets.setUnbacked(id, false);
    expect(refusal('9999')).toBe(`share_${kind}_in_progress`);
  });

  it('checks owner, expiry, state and signature in this order at the submit, and asks no market', () => {
    const { venue, account, draft, submit, row } = converting(kind);
    const stranger = venue.account(2);
    const { pubkey } = accepted(draft('4'));
    expect(faultOf(submit('nobody', false))).toBe('share_conversion_not_found');
    expect(faultOf(submit(pubkey, true, stranger))).toBe('share_conversion_not_found');
    expect(faultOf(submit(pubkey, false))).toBe('invalid_request_params signature');
    expect(row(pubkey)?.state).toBe('waiting_to_sign');
    venue.now.markets.setPaused(venue.id, true);
    expect(faultOf(submit(pubkey, false))).toBe('invalid_request_params signature');
    expect(accepted(submit(pubkey)).state).toBe('in_process');
    expect(faultOf(submit(pubkey, false))).toBe('share_conversion_invalid_state');
    venue.now.markets.setPaused(venue.id, false);
    venue.pass(400);
    expect(row(pubkey)?.state).toBe('done');
    const late = accepted(draft('4'));
    venue.pass(60_000);
    expect(row(late.pubkey)?.state).toBe('expired');
    expect(faultOf(submit(late.pubkey, false))).toBe('program_call_has_expired');
    expect(venue.funds(account)[1] + venue.shares(account).yesLocked).toBe(0);
  });
});
