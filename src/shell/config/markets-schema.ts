/** The part of a strategy file that says which markets it quotes. */

import { z } from 'zod';
import { CATEGORIES, MARKET_STATES } from '../../shared/protocol/states.js';

const markets = (what: string) => z.number().int().min(1).max(1000).describe(what);

const figure = (min: number, max: number, what: string) => z.number().min(min).max(max).optional().describe(what);

const words = (what: string) => z.array(z.string().trim().min(2).max(100)).max(100).default([]).describe(what);

export const marketsSchema = z
  .strictObject({
    ids: z.array(z.string().min(1).max(128)).min(1).max(1000).optional().describe('Condition ids to quote.'),
    select: z
      .strictObject({
        state: z.enum(MARKET_STATES).default('open').describe('State of the markets.'),
        kind: z.literal('orderbook').default('orderbook').describe('Only order-book markets can be quoted.'),
        categories: z.array(z.enum(CATEGORIES)).default([]).describe('Empty for all.'),
        title_words: words('Only titles that contain one of them, in any case; empty for all.'),
        without_words: words('No title that contains one of them, in any case.'),
        except: z
          .array(z.string().min(1).max(128))
          .max(1000)
          .default([])
          .describe('Condition ids that it never quotes.'),
        min_spread: figure(0, 1, 'Others’ best ask less their best bid is at least this, price.'),
        max_spread: figure(0, 1, 'The same is at most this.'),
        min_volume_day: figure(0, 1e12, 'So much currency changed hands in a day, by public trades.'),
        min_days_left: figure(0, 36_500, 'It resolves in no less than so many days.'),
        max_days_left: figure(0, 36_500, 'It resolves in no more than so many days.'),
      })
      .optional()
      .describe('Markets of the catalog that match every filter.'),
    max: markets('Quotes at most so many markets.').default(20),
    candidates: markets('Looks at so many, of which it quotes the best; default max.').optional(),
    choose: z
      .enum(['listed', 'value'])
      .default('listed')
      .describe('Which of them it quotes: the first that fit (listed), or those that are worth most (value).'),
  })
  .prefault({})
  .describe('Which markets it quotes: named ids, or a selection.');
