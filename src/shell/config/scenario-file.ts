/** Files of scenarios: books and holdings with the strategy's expected quotes. */

import { readFileSync } from 'node:fs';
import { type Document, parseDocument, YAMLMap, YAMLSeq } from 'yaml';
import { z } from 'zod';
import { EVENT_OUTCOMES } from '../../trader/risk/exposure.js';
import { readBySchema } from './problems.js';
import { readYaml } from './yaml-source.js';

const level = z.tuple([
  z.number().refine((price) => price > 0 && price < 1, 'wants a price between 0 and 1'),
  z.number().refine((shares) => shares > 0 && shares <= 1e9, 'wants shares above 0, at most 1000000000'),
]);
const side = z.array(level).max(100);

const market = {
  bids: side.describe('Bids of others in YES: [price, shares], best first.'),
  asks: side.describe('Asks of others in YES: [price, shares], best first.'),
  holds: z.number().min(-1e9).max(1e9).default(0).describe('YES less NO, in shares; the position limit is 200.'),
  quotes: z
    .strictObject({ bids: side, asks: side })
    .optional()
    .describe('Expected result of the strategy; --record writes it.'),
};

const price = z.number().refine((value) => value > 0 && value < 1, 'wants a price between 0 and 1');
const told = { sd: z.number().min(0).max(10).nullable().default(null), age_s: z.number().min(0).max(1e6).default(0) };
const feedSchema = z
  .union([
    z.strictObject({ p: price, ...told }),
    z
      .strictObject({ bid: price, ask: price, ...told })
      .refine(({ bid, ask }) => bid < ask, 'wants a bid below its ask'),
  ])
  .describe('Value of the named feed: p, or bid and ask; sd in log-odds, age_s in seconds.');

const scenarioSchema = z.strictObject({
  name: z.string().min(1).describe('A short title.'),
  ...market,
  others: z
    .array(z.strictObject(market))
    .max(99)
    .default([])
    .describe('The other markets of its event, for a strategy that quotes whole events.'),
  feed: feedSchema.optional(),
  seconds_left: z.number().min(0).max(1e10).default(2_592_000).describe('Seconds to resolution.'),
  book_age_s: z.number().min(0).max(1e6).default(0).describe('Seconds since the book was read.'),
  stance: z.enum(['normal', 'widen', 'reduce-only']).default('normal').describe('The mode of the kill ladder.'),
});

const TICKS = [0.01, 0.001, 0.0001];

const fileSchema = z.strictObject({
  tick: z
    .number()
    .refine((tick) => TICKS.includes(tick), 'wants 0.01, 0.001 or 0.0001')
    .default(0.01)
    .describe('Smallest price step.'),
  outcomes: z.enum(EVENT_OUTCOMES).optional().describe('Declarations about events; default none.'),
  scenarios: z.array(scenarioSchema).min(1).max(10_000),
});

/** One book with holdings, and the expected quotes. */
export type Scenario = z.output<typeof scenarioSchema>;
/** A file of scenarios as read. */
export type ScenarioFile = z.output<typeof fileSchema>;
/** Levels as a scenario writes them: price and shares. */
export type WrittenLevels = z.output<typeof side>;

/** A level is four entries. */
const BOUNDS = { maxBytes: 1_000_000, maxEntries: 100_000 };

/** Throws TwinbookError `config_invalid` that lists every problem, with file, line and column. */
export function readScenarios(file: string, cwd: string): ScenarioFile {
  const source = readYaml(file, cwd, { bounds: BOUNDS });
  return readBySchema(fileSchema, source.value, source.problem);
}

/** Quotes as a scenario writes them. */
export type WrittenQuotes = NonNullable<Scenario['quotes']>;

/**
 * The text of the file with these quotes, for each scenario those of its market and then of the others of its event; comments and
 * the rest stay as they are.
 */
export function withQuotes(file: string, quotes: readonly (readonly WrittenQuotes[])[]): string {
  const document = parseDocument(readFileSync(file, 'utf8'), { uniqueKeys: false });
  for (const [index, [first, ...others]] of quotes.entries()) {
    if (first !== undefined) writeQuotes(document, ['scenarios', index], first);
    for (const [other, said] of others.entries()) writeQuotes(document, ['scenarios', index, 'others', other], said);
  }
  return document.toString();
}

function writeQuotes(document: Document, path: readonly (string | number)[], { bids, asks }: WrittenQuotes): void {
  const market = document.getIn(path);
  if (!(market instanceof YAMLMap)) throw new TypeError('the file has changed since it was read');
  const node = document.createNode({ bids, asks });
  for (const { value } of node.items) if (value instanceof YAMLSeq) value.flow = true;
  market.flow = false;
  market.set('quotes', node);
}
