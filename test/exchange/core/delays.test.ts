import { describe, expect, it } from 'vitest';
import { ExchangeCore } from '../../../src/exchange/core/core.js';
import { DAY_MS, MarginDesk, marginSettings, STEP } from './margin/desk.js';
import { accepted, settings, Venue } from './venue.js';

const MINUTE_MS = 60_000;

describe('a landing that takes long', () => {
  it('keeps what is submitted in process until then, and what was under way as it was', () => {
    const venue = new Venue();
    const account = venue.account(1);
    const split = (): string => {
      const { pubkey } = accepted(venue.now.conversions.draft('split', account, venue.id, '10'));
      accepted(venue.now.conversions.submit('split', account, pubkey, true));
      return pubkey;
    };
    const stateAt = (pubkey: string, nowMs: number) => {
      venue.nowMs = nowMs;
      venue.core.advance(nowMs);
      return venue.core.conversions.records.split.row(account, pubkey)?.state;
    };
    const before = split();
    venue.now.setDelays({ landingMs: MINUTE_MS });
    expect(stateAt(before, venue.nowMs + settings.landingMs)).toBe('done');
    const slow = split();
    const landsMs = venue.nowMs + MINUTE_MS;
    venue.now.setDelays({});
    expect([stateAt(slow, landsMs - 1), stateAt(slow, landsMs)]).toEqual(['in_process', 'done']);
    expect(stateAt(split(), venue.nowMs + settings.landingMs)).toBe('done');
  });

  it('is over by itself at its time', () => {
    const desk = new MarginDesk();
    const account = desk.account(1);
    desk.now.setDelays({ landingMs: DAY_MS, untilMs: desk.nowMs + MINUTE_MS });
    const slow = desk.request(account);
    desk.pass(MINUTE_MS);
    const quick = desk.request(account);
    desk.pass(STEP);
    const states = [slow, quick].map((pubkey) => desk.requestRow(account, pubkey).state);
    expect(states).toEqual(['funding_processing', 'processing']);
  });
});

describe('a close that takes a minute', () => {
  const opened = () => {
    const desk = new MarginDesk();
    const account = desk.account(1);
    const { pubkey } = desk.open(account, { leverage: '2.5' });
    desk.now.setDelays({ closingMs: MINUTE_MS });
    return { desk, account, pubkey };
  };

  it.each([false, true])('is answered as not closed, and sells then (restored in between: %s)', (isRestored) => {
    const { desk, account, pubkey } = opened();
    const open = { close_type: 'order', position_pubkey: pubkey, is_closed: false };
    expect(accepted(desk.close(account, pubkey))).toEqual(open);
    desk.move('0.5');
    desk.pass(MINUTE_MS - 1);
    // A second request does not extend the delay.
    expect(accepted(desk.close(account, pubkey))).toEqual(open);
    if (isRestored) desk.core = new ExchangeCore(marginSettings, desk.core.snapshot(), desk.archive);
    desk.pass(1);
    expect(desk.position(account, pubkey)).toMatchObject({ is_closed: true, closing_price: '0.5' });
    expect(accepted(desk.close(account, pubkey))).toMatchObject({ close_type: 'zero', is_closed: true });
    expect(desk.missing).toBe(0);
  });

  it('keeps its minute when the delay is lifted, and waits for its price besides', () => {
    const { desk, account, pubkey } = opened();
    accepted(desk.close(account, pubkey, '0.6'));
    desk.now.setDelays({});
    desk.move('0.7');
    expect(desk.position(account, pubkey).is_closed).toBe(false);
    desk.move('0.5');
    desk.pass(MINUTE_MS);
    expect(desk.position(account, pubkey).is_closed).toBe(false);
    desk.move('0.6');
    expect(desk.position(account, pubkey)).toMatchObject({ is_closed: true, closing_price: '0.6' });
  });

  it('is overtaken by a liquidation, and by the end of its market', () => {
    for (const end of [
      (desk: MarginDesk) => desk.move('0.2'),
      (desk: MarginDesk) => accepted(desk.now.markets.resolve(desk.id, false)),
    ]) {
      const { desk, account, pubkey } = opened();
      accepted(desk.close(account, pubkey));
      end(desk);
      const row = desk.position(account, pubkey);
      expect(row.is_closed).toBe(true);
      desk.pass(2 * MINUTE_MS);
      expect(desk.position(account, pubkey)).toEqual(row);
    }
  });

  it('waits while its market does not trade', () => {
    const { desk, account, pubkey } = opened();
    accepted(desk.close(account, pubkey));
    accepted(desk.now.markets.setPaused(desk.id, true));
    desk.pass(MINUTE_MS);
    expect(desk.position(account, pubkey).is_closed).toBe(false);
    accepted(desk.now.markets.setPaused(desk.id, false));
    expect(desk.position(account, pubkey).is_closed).toBe(true);
  });
});
