import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { TwinbookError } from '../../../src/shared/base/errors.js';
import {
  findLoosenings,
  LIMIT_NAMES,
  riskLimitsSchema,
  riskOverrideSchema,
  tighten,
} from '../../../src/trader/risk/limits.js';
import { m, ONE } from './states.js';

const messageOf = (file: unknown): string | undefined => {
  const issue = riskLimitsSchema.safeParse(file).error?.issues[0];
  return issue === undefined ? undefined : `${issue.path.join('.')}: ${issue.message}`;
};

describe('the limits of a file', () => {
  it('have a sane default each', () => {
    const limits = riskLimitsSchema.parse({});
    expect(limits).toMatchObject({ maxLossDayMicros: 50 * ONE, maxOpenOrders: 40, maxPositionSharesMicros: 500 * ONE });
    expect(Object.isFrozen(limits)).toBe(true);
    for (const name of LIMIT_NAMES) expect(Number.isSafeInteger(limits[name]) && limits[name] > 0).toBe(true);
  });

  it('are read as written', () =>
    expect(riskLimitsSchema.parse({ max_loss_day: '25.5', max_open_orders: 12 })).toMatchObject({
      maxLossDayMicros: 25_500_000,
      maxOpenOrders: 12,
    }));

  it.each([
    [{ max_loss_day: 50 }, 'max_loss_day: must be currency as a decimal string such as "50", got 50'],
    [{ max_loss_day: '-1' }, 'max_loss_day: must be currency, above 0, with at most 6 decimals, got "-1"'],
    [{ max_loss_day: '0' }, 'max_loss_day: must be currency, above 0, with at most 6 decimals, got "0"'],
    [
      { max_position_shares: '1e3' },
      'max_position_shares: must be shares, above 0, with at most 6 decimals, got "1e3"',
    ],
    [
      { price_collar_fair: '5' },
      'price_collar_fair: must be a price difference, above 0 and at most 1, with at most 6 decimals, got "5"',
    ],
    [{ max_order_size: '5' }, ': Unrecognized key: "max_order_size"'],
  ])('are refused with the field and what is wanted: %j', (file, message) => expect(messageOf(file)).toBe(message));

  it('can be described as JSON Schema', () => {
    const wanted = { type: 'object', additionalProperties: false, properties: { max_loss_day: { type: 'string' } } };
    expect(z.toJSONSchema(riskLimitsSchema, { io: 'input' })).toMatchObject(wanted);
  });
});

describe('the overrides of a strategy file', () => {
  const base = riskLimitsSchema.parse({});

  it('tighten', () => {
    const override = riskOverrideSchema.parse({ max_position_shares: '200', min_time_to_resolution_s: 3600 });
    const tightened = { ...base, maxPositionSharesMicros: 200 * ONE, minTimeToResolutionS: 3600 };
    expect(tighten(base, override)).toEqual(tightened);
  });

  it('are refused when they loosen, with both figures', () => {
    const override = riskOverrideSchema.parse({ max_position_shares: '501', min_time_to_resolution_s: 59 });
    expect(findLoosenings(base, override).map(({ text }) => text)).toEqual([
      'max_position_shares is "501", but a strategy may only tighten the trader\'s limit: at most "500"',
      "min_time_to_resolution_s is 59, but a strategy may only tighten the trader's limit: at least 60",
    ]);
    expect(() => tighten(base, override)).toThrow(TwinbookError);
  });

  it('cannot name a limit of the whole trader', () =>
    expect(riskOverrideSchema.safeParse({ max_loss_day: '10' }).success).toBe(false));

  it('never allow anything that the base forbids', () => {
    const values = fc.record(
      {
        max_order_shares: fc.integer({ min: 1, max: 1e9 }).map(m),
        price_collar_book: fc.integer({ min: 1, max: ONE }).map(m),
        max_book_age_ms: fc.integer({ min: 100, max: 600_000 }),
        min_time_since_jump_ms: fc.integer({ min: 0, max: 600_000 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(values, (override) => {
        if (findLoosenings(base, override).length > 0) {
          expect(() => tighten(base, override)).toThrow(TwinbookError);
          return;
        }
        const limits = tighten(base, override);
        for (const name of ['maxOrderSharesMicros', 'priceCollarBookMicros', 'maxBookAgeMs'] as const)
          expect(limits[name]).toBeLessThanOrEqual(base[name]);
        expect(limits.minTimeSinceJumpMs).toBeGreaterThanOrEqual(base.minTimeSinceJumpMs);
      }),
    );
  });
});
