import { describe, expect, it } from 'vitest';
import { readDraftText } from '../../../src/shared/protocol/drafts/draft-text.js';
import { accepted, faultOf, m, Venue, wallet } from './venue.js';

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
    row: (pubkey: string) => venue.core.conversions.row(kind, account, pubkey),
    list: () => venue.core.conversions.page(kind, account, { limit: 50 }),
  };
}

describe.each(KINDS)('a %s', (kind) => {
  it('goes from draft over signature to landing', () => {
    const { venue, account, draft, submit, row } = converting(kind);
    const { pubkey, message } = accepted(draft('8'));
    expect(readDraftText(message)).toMatchObject({
      draftPubkey: pubkey,
      expires: Math.floor((venue.nowMs + 60_000) / 1000),
      terms: { action: `${kind}-shares`, amount: m('8') },
    });
    expect(venue.core.draftMessage(kind, account, pubkey)).toBe(message);
    expect(row(pubkey)).toMatchObject({ state: 'waiting_to_sign', amount: '8', onchain_amount: null, message });
    const locked = { yes: 20, yesLocked: 8, no: 20, noLocked: 8 };
    expect(venue.shares(account)).toEqual(kind === 'merge' ? locked : { ...locked, yesLocked: 0, noLocked: 0 });
    expect(venue.funds(account)).toEqual([9980, kind === 'merge' ? 0 : 8]);
    expect(accepted(submit(pubkey)).state).toBe('in_process');
    venue.pass(399);
    expect(row(pubkey)?.state).toBe('in_process');
    expect(venue.core.timers.nextMs).toBe(venue.nowMs + 1);
    venue.pass(1);
    expect(row(pubkey)).toMatchObject({ state: 'done', onchain_amount: '8', message });
    const after = kind === 'merge' ? 12 : 28;
    expect(venue.shares(account)).toEqual({ yes: after, yesLocked: 0, no: after, noLocked: 0 });
    expect(venue.funds(account)).toEqual([10_000 - after, 0]);
  });

  it.each([
    ['nobody', '1', 'invalid_request_params market_condition_id'],
    [null, '0', 'share_conversion_invalid_amount'],
    [null, '-1', 'share_conversion_invalid_amount'],
    [null, '0.001', 'share_conversion_invalid_amount'],
    [null, '0.0000001', 'share_conversion_invalid_amount'],
    [null, 'many', 'share_conversion_invalid_amount'],
    [null, '20000', kind === 'merge' ? 'share_merge_insufficient_shares' : 'share_split_insufficient_funds'],
    [null, '0.01', 'ok'],
  ])('on market %o of %s answers %s', (id, amount, expected) => {
    const { venue, account, draft } = converting(kind);
    expect(faultOf(draft(amount, account, id ?? venue.id))).toBe(expected);
  });

  it('is refused to custodial accounts, on closed and paused markets, and while nobody can sign', () => {
    const { venue, draft } = converting(kind);
    const { id } = venue;
    venue.now.identity.setCustodial(wallet(1), true);
    expect(faultOf(draft('1'))).toBe('custodial_user_trading_not_allowed');
    venue.now.identity.setCustodial(wallet(1), false);
    venue.now.markets.setPaused(id, true);
    expect(faultOf(draft('1'))).toBe('share_conversion_market_paused');
    venue.now.markets.setPaused(id, false);
    venue.now.markets.setState(id, 'interrupted');
    expect(faultOf(draft('1'))).toBe('share_conversion_market_not_open');
    venue.now.markets.setState(id, 'open');
    venue.now.markets.setUnbacked(id, true);
    expect(faultOf(draft('1'))).toBe(kind === 'merge' ? 'share_merge_market_has_unbacked_collateral' : 'ok');
    venue.now.setSigningAvailable(false);
    expect(faultOf(draft('1'))).toBe('gringotts_unavailable');
  });

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

  it('is refused on a margin market', () => {
    const { venue, account, draft } = converting(kind);
    const spec = { config: { kind: 'orderbook' }, margin_enabled: true } as const;
    const { condition_id } = accepted(venue.now.markets.create(spec));
    expect(faultOf(draft('1', account, condition_id))).toBe('share_conversion_market_not_eligible');
  });

  it('is one per market and account; the same amount again answers the unsigned draft', () => {
    const { venue, draft, submit } = converting(kind);
    const other = venue.account(2);
    venue.split(other, '5');
    const first = accepted(draft('4'));
    expect(accepted(draft('4'))).toEqual(first);
    expect(faultOf(draft('5'))).toBe(`share_${kind}_in_progress`);
    expect(faultOf(draft('4', other))).toBe('ok');
    accepted(submit(first.pubkey));
    expect(faultOf(draft('4'))).toBe(`share_${kind}_in_progress`);
    venue.pass(400);
    expect(accepted(draft('4')).pubkey).not.toBe(first.pubkey);
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

  it('is not found under the other kind, and not shown to strangers', () => {
    const { venue, account, draft, list } = converting(kind);
    const { pubkey } = accepted(draft('4'));
    const other = kind === 'merge' ? 'split' : 'merge';
    expect(venue.core.conversions.row(other, account, pubkey)).toBeNull();
    expect(venue.core.conversions.row('merge', venue.account(2), pubkey)).toBeNull();
    expect(list().rows[0]?.pubkey).toBe(pubkey);
  });

  it.each(['paused', 'interrupted', 'resolved', 'unbacked'] as const)(
    'fails at its landing on a market that is %s then, and has moved nothing',
    (trouble) => {
      const { venue, account, draft, submit, row } = converting(kind);
      const before = [venue.funds(account), venue.shares(account), venue.core.marketFacts(0).setsOutstanding];
      const { pubkey } = accepted(draft('4'));
      accepted(submit(pubkey));
      const { id } = venue;
      if (trouble === 'paused') venue.now.markets.setPaused(id, true);
      else if (trouble === 'unbacked') venue.now.markets.setUnbacked(id, true);
      else if (trouble === 'resolved') venue.now.markets.resolve(id, true);
      else venue.now.markets.setState(id, 'interrupted');
      venue.pass(400);
      // A split brings the missing collateral.
      const lands = kind === 'split' && trouble === 'unbacked';
      expect(row(pubkey)).toMatchObject(
        lands ? { state: 'done', onchain_amount: '4' } : { state: 'failed', onchain_amount: null },
      );
      if (lands) expect(venue.shares(account)).toEqual({ yes: 24, yesLocked: 0, no: 24, noLocked: 0 });
      else
        expect([venue.funds(account), venue.shares(account), venue.core.marketFacts(0).setsOutstanding]).toEqual(
          before,
        );
    },
  );

  it('can be started again once one has failed', () => {
    const { venue, draft, submit, row } = converting(kind);
    const failing = accepted(draft('4')).pubkey;
    venue.now.markets.setPaused(venue.id, true);
    accepted(submit(failing));
    venue.pass(400);
    venue.now.markets.setPaused(venue.id, false);
    const { pubkey } = accepted(draft('4'));
    accepted(submit(pubkey));
    venue.pass(400);
    expect([row(failing)?.state, row(pubkey)?.state]).toEqual(['failed', 'done']);
  });
});

describe('a merge', () => {
  it('leaves shares alone that an open order has locked, and minds no draft of one', () => {
    const { venue, account, draft } = converting('merge');
    venue.draft(account, [true, 'sell', '0.9', '20']);
    venue.place(account, [true, 'sell', '0.9', '15']);
    expect(faultOf(draft('5.01'))).toBe('share_merge_insufficient_shares');
    expect(faultOf(draft('5'))).toBe('ok');
    expect(faultOf(venue.now.orders.draft(account, venue.request([true, 'sell', '0.9', '1'])))).toBe(
      'order_insufficient_shares',
    );
  });
});

describe('a redeem', () => {
  const settled = (outcome: boolean | null) => {
    const venue = new Venue();
    const [account, other] = [venue.account(1), venue.account(2)];
    venue.split(account, '20');
    venue.place(other, [true, 'buy', '0.5', '8']);
    venue.place(account, [true, 'sell', '0.5', '8']);
    accepted(venue.now.markets.resolve(venue.id, outcome));
    return { venue, account, other };
  };

  it.each([
    [true, '12', 8],
    [false, '20', 0],
    [null, '16', 4],
  ])('of a market with outcome %o pays %s to the splitter and %s to the buyer', (outcome, paid, paidOther) => {
    const { venue, account, other } = settled(outcome);
    const [before, beforeOther] = [venue.core.funds.read(account).total, venue.core.funds.read(other).total];
    const { pubkey, message } = accepted(venue.now.redeems.draft(account, venue.id));
    expect(readDraftText(message)?.terms).toEqual({ action: 'redeem-shares', yes: m('12'), no: m('20') });
    expect(venue.core.redeems.row(account, pubkey)).toMatchObject({
      state: 'waiting_to_sign',
      funds: paid,
      onchain_funds: '0',
    });
    expect(accepted(venue.now.redeems.submit(account, pubkey, true))).toMatchObject({
      state: 'completed',
      onchain_funds: paid,
      yes_shares: '12',
      no_shares: '20',
    });
    expect(venue.core.funds.read(account).total - before).toBe(m(paid));
    const second = accepted(venue.now.redeems.draft(other, venue.id));
    accepted(venue.now.redeems.submit(other, second.pubkey, true));
    expect(venue.core.funds.read(other).total - beforeOther).toBe(m(paidOther));
    expect(venue.shares(account)).toEqual({ yes: 0, yesLocked: 0, no: 0, noLocked: 0 });
    expect(venue.core.marketFacts(0).setsOutstanding).toBe(0);
  });

  it('needs a settled market and shares that are free', () => {
    const venue = new Venue();
    const account = venue.account(1);
    const draft = () => faultOf(venue.now.redeems.draft(account, venue.id));
    const field = 'invalid_request_params market_condition_id';
    expect(faultOf(venue.now.redeems.draft(account, 'nobody'))).toBe(field);
    expect(draft()).toBe(field);
    venue.split(account, '1');
    venue.now.markets.resolve(venue.id, null);
    venue.now.setSigningAvailable(false);
    expect(draft()).toBe('gringotts_unavailable');
    venue.now.setSigningAvailable(true);
    expect(draft()).toBe('ok');
    venue.pass(60_000);
    const { pubkey } = accepted(venue.now.redeems.draft(account, venue.id));
    accepted(venue.now.redeems.submit(account, pubkey, true));
    expect(draft()).toBe(field);
  });

  it('is answered again until it is signed or expires, and keeps its shares locked', () => {
    const { venue, account, other } = settled(true);
    const draft = (who = account) => accepted(venue.now.redeems.draft(who, venue.id));
    const first = draft();
    const locked = { yes: 12, yesLocked: 12, no: 20, noLocked: 20 };
    expect(venue.shares(account)).toEqual(locked);
    venue.pass(59_999);
    expect(draft()).toEqual(first);
    expect(venue.shares(account)).toEqual(locked);
    expect(draft(other).pubkey).not.toBe(first.pubkey);
    venue.now.setSigningAvailable(false);
    expect(faultOf(venue.now.redeems.draft(account, venue.id))).toBe('gringotts_unavailable');
    venue.now.setSigningAvailable(true);
    venue.pass(1);
    const second = draft();
    expect(second.pubkey).not.toBe(first.pubkey);
    expect(venue.core.redeems.page(account, { limit: 9 }).rows.map((row) => row.state)).toEqual([
      'waiting_to_sign',
      'expired',
    ]);
  });

  it('has a draft for each market', () => {
    const { venue, account } = settled(true);
    const { condition_id } = accepted(venue.now.markets.create({ config: { kind: 'orderbook' } }));
    const split = accepted(venue.now.conversions.draft('split', account, condition_id, '3'));
    accepted(venue.now.conversions.submit('split', account, split.pubkey, true));
    venue.pass(400);
    accepted(venue.now.markets.resolve(condition_id, true));
    const [one, two] = [venue.id, condition_id].map((id) => accepted(venue.now.redeems.draft(account, id)));
    expect(one?.pubkey).not.toBe(two?.pubkey);
    expect(venue.core.redeems.row(account, two?.pubkey ?? '')).toMatchObject({ yes_shares: '3', no_shares: '3' });
  });

  it('checks owner, expiry, state and signature in this order at the submit', () => {
    const { venue, account, other } = settled(true);
    const submit = (who: number, pubkey: string, valid: boolean) =>
      faultOf(venue.now.redeems.submit(who, pubkey, valid));
    const late = accepted(venue.now.redeems.draft(account, venue.id)).pubkey;
    expect(submit(other, late, true)).toBe('not_found');
    expect(submit(account, late, false)).toBe('invalid_request_params signature');
    venue.pass(60_000);
    expect(submit(account, late, false)).toBe('program_call_has_expired');
    const { pubkey } = accepted(venue.now.redeems.draft(account, venue.id));
    expect(submit(account, pubkey, true)).toBe('ok');
    expect(submit(account, pubkey, false)).toBe('invalid_program_call_status');
    expect(venue.core.redeems.page(account, { limit: 9 }).rows.map((row) => row.state)).toEqual([
      'completed',
      'expired',
    ]);
    expect(venue.core.redeems.page(account, { limit: 9, state: 'expired' }).rows).toHaveLength(1);
  });
});
