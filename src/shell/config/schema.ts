/** Declares all settings of a trader's file and of a strategy file; `load.ts` makes a `Config` from them. */

import { parse } from 'node-cron';
import { z } from 'zod';
import { messageOf } from '../../shared/base/errors.js';
import { FEE_SCHEDULES } from '../../shared/base/fees.js';
import { type Micros, parseDecimal } from '../../shared/base/micros.js';
import { AMOUNT, findMark, PATH } from '../../shared/base/settings.js';
import { CHAT_NAMES } from '../../shared/protocol/operator-commands.js';
import { CATEGORIES, MARKET_STATES } from '../../shared/protocol/states.js';
import { EVENT_OUTCOMES } from '../../trader/risk/exposure.js';
import { riskLimitsSchema } from '../../trader/risk/limits.js';
import { FEED_NAME } from '../../trader/strategy/read-params.js';

const integer = (min: number, max: number, help: string) => z.number().int().min(min).max(max).describe(help);

const choice = <const W extends readonly string[]>(words: W, help: string) => z.enum(words).describe(help);

const flag = (usual: boolean, help: string) => z.boolean().default(usual).describe(help);

const text = (longest: number, help: string) => z.string().min(1).max(longest).describe(help);

const list = <S extends z.ZodType>(item: S, longest: number, help: string) =>
  z.array(item).max(longest).default([]).describe(help);

const section = <S extends z.core.$ZodLooseShape>(help: string, shape: S) => z.strictObject(shape).describe(help);

const name = (form: RegExp) => z.string().regex(form, 'wants a name in lower case with dashes, at most 40 characters');

/** A market's or event's condition id. */
const id = z.string().min(1).max(128);

const path = (help: string) =>
  z
    .string()
    .min(1)
    .refine((text) => !text.includes('\0'), 'wants a path without NUL characters')
    .meta({ description: help, ...PATH });

/** Schema of a decimal string of currency or shares within bounds. The schema converts the text to Micros. */
const amount = (min: string, max: string, help: string) =>
  z
    .string()
    .transform((text, context): Micros => {
      const value = parseDecimal(text);
      const [low, high] = [parseDecimal(min), parseDecimal(max)];
      if (value === null) {
        context.addIssue({ code: 'custom', message: 'wants a decimal string with at most 6 decimal places' });
        return z.NEVER;
      }
      if ((low !== null && value < low) || (high !== null && value > high))
        context.addIssue({ code: 'custom', message: `wants a decimal string from "${min}" to "${max}"` });
      return value;
    })
    .meta({ description: `${help} Decimal string from "${min}" to "${max}".`, examples: [min], ...AMOUNT });

/** Schema of a cron expression; null disables the schedule. */
const cron = (help: string, usual: string | null, second: '*' | '0' = '0') =>
  z
    .string()
    .superRefine((text, context) => {
      const problem = cronProblem(text, second);
      if (problem !== null) context.addIssue({ code: 'custom', message: problem });
    })
    .nullable()
    .default(usual)
    .describe(
      `${help} Cron with six fields (second minute hour day month weekday) in the machine's time zone, or null.`,
    );

/** Severities of an alert, in ascending order. */
export const ALERT_SEVERITIES = ['info', 'warning', 'critical'] as const;
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number];

export const CHAT_COMMANDS = ['status', 'ack', ...CHAT_NAMES] as const;

export const channelSchema = z.strictObject({
  kind: choice(['webhook', 'slack', 'discord', 'ntfy', 'telegram', 'mail'], 'Service that delivers the alerts.'),
  address_file: path(
    'File of mode 0600 with the channel’s secret: its URL (smtp:// or smtps:// for mail), or a Telegram bot’s token.',
  ),
  to: text(1000, 'Id of the chat for telegram; recipients, separated by commas, for mail.').optional(),
  from: text(320, 'Sender’s address; only for mail.').optional(),
  min: choice(ALERT_SEVERITIES, 'Minimum severity of alerts that this channel gets.').default('warning'),
  summary: flag(true, 'Whether this channel gets the daily summary, regardless of `min`.'),
  detail: choice(['full', 'bare'], 'bare: alerts name only event and trader, without details.').default('full'),
  commands: z
    .array(z.enum(CHAT_COMMANDS))
    .max(20)
    .optional()
    .describe('Commands that `users` may send to the bot; only for telegram; default none.'),
  users: z
    .array(z.int().positive())
    .min(1)
    .max(20)
    .optional()
    .describe('Telegram ids of users who may send `commands`, each in a private chat with the bot.'),
});

const address = z.url({ protocol: /^https?$/ });
const texts = (longest: number) => z.array(z.string().min(1).max(longest)).min(1).max(100);

const feedSchema = z.strictObject({
  kind: z.enum(['file', 'child']).describe('Source of the feed’s values: a file, or your own program (child).'),
  path: path('CSV or JSONL file with the values; only for kind file.').optional(),
  command: texts(4096).optional().describe('Program that prints the values, and its arguments; only for kind child.'),
  env: z
    .array(
      z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'wants a name of an environment variable')
        .regex(
          /^(?!TWINBOOK_)/i,
          'starts with TWINBOOK_, which is reserved for the trader; feed programs never get such variables',
        ),
    )
    .max(100)
    .optional()
    .describe(
      'Environment variables that the program gets besides PATH, HOME, LANG, LC_*, TZ and TMPDIR; only for kind child.',
    ),
  every_ms: integer(100, 3_600_000, 'Interval between reads of the file, ms; only for kind file.').default(1000),
  max_age_s: z.number().min(0.1).max(86_400).describe('Maximum age of values that strategies use, s.').default(60),
});

export const traderSchema = z.strictObject({
  venue: section('The venue where the trader trades.', {
    profile: path('Name of a shipped venue profile (paper, worm), or the path of a profile file.'),
    base_url: address.optional().describe('Address of the venue’s API; overrides the venue profile’s.'),
    draft_message: choice(['utf8', 'solana_tx', 'opaque'], 'Format of drafts; overrides the profile’s.').optional(),
    fee_schedule: choice(FEE_SCHEDULES, 'Quantity that the fee rates multiply; overrides the profile’s.').optional(),
    allow_blind_signing: flag(false, 'Whether to sign opaque drafts and calls of solana_programs without a check.'),
  }),
  exchange: section('The embedded paper exchange. Omit this section to trade on another exchange.', {
    embedded: flag(true, 'Whether the trader runs a paper exchange in its own process, and trades on it.'),
    data_dir: path('Folder with the state of the paper exchange.').default('../data/exchange'),
    port: integer(0, 65_535, 'Port of the paper exchange on the loopback address; 0 picks a free port.').default(0),
    seed: integer(0, Number.MAX_SAFE_INTEGER, 'Seed of the simulated traders’ random numbers.').default(1),
    market_data: list(path('Path of a recording.'), 1000, 'Recordings that the paper exchange replays.'),
    speed: z.number().min(0.01).max(10_000).default(1).describe('Playback speed of recordings; 1 is real time.'),
    crowd: flag(true, 'Whether simulated traders trade on the paper exchange.'),
    crowd_markets: integer(1, 1000, 'Number of markets in which simulated traders trade.').default(4),
    controls: flag(false, 'Whether the paper exchange serves its test controls under /paper/.'),
    rate_limits: flag(true, 'Whether the paper exchange enforces the venue profile’s request limits.'),
    starting_funds: amount('0', '1000000000', 'Amount of currency in a new paper account.').prefault('10000'),
    landing_ms: integer(0, 600_000, 'Time that a paper merge or split stays in_process, ms.').default(400),
    draft_lifetime_s: integer(5, 3600, 'Lifetime of an unsigned draft, s; default: the venue profile’s.').optional(),
  }).optional(),
  wallet: section('The wallet that signs the orders.', {
    file: path('File of mode 0600 with the wallet’s key.'),
    credentials: path('API credentials, mode 0600; default: credentials.json beside the key file.').optional(),
  }),
  ledger: section('The ledger, which stores every order and fill.', {
    path: path('SQLite file of the ledger.'),
    backups: section(
      'Backups of the ledger, made at the times of schedule.ledger_backup. The newest 24 backups and the last backup of each of 30 UTC days are kept.',
      { max_mb: integer(1, 10_000_000, 'Disk space for backups, MB; the newest is always kept.').default(5000) },
    ).prefault({}),
  }),
  capital: amount('0.000001', '1000000000', 'Maximum currency that this trader may use.').meta({ live: 'limit' }),
  risk: riskLimitsSchema.prefault({}).meta({ description: 'Limits that no order may exceed.', live: 'limit' }),
  polling: section('Intervals of reads from the exchange, within the venue’s request budget.', {
    own_interval_ms: integer(
      200,
      60_000,
      'Shortest interval between reads of own trades, ms; own orders are read a fifth as often.',
    ).default(1000),
    own_longest_ms: integer(
      200,
      60_000,
      'Longest interval between reads of own trades while orders rest and fills are rare, ms; values below own_interval_ms count as own_interval_ms.',
    ).default(15_000),
    hot_interval_ms: integer(100, 60_000, 'Shortest interval between reads of one order book, ms.').default(500),
    quiet_interval_ms: integer(
      1000,
      600_000,
      'Age from which an order book is overdue, ms. The most overdue book gets every second book read with few markets, every tenth with many.',
    ).default(10_000),
    catalog_interval_ms: integer(5000, 3_600_000, 'Interval between reads of the list of markets, ms.').default(60_000),
    assets_interval_ms: integer(
      2000,
      3_600_000,
      'Interval between reconciliations of assets, orders, trades, merges, splits and redeems, ms. Each reconciliation costs nine signed requests; a small budget lengthens the interval.',
    ).default(60_000),
    candles_prior: flag(true, 'Whether a market’s first volatility estimate uses two days of price bars.'),
    marks: choice(
      ['auto', 'off'],
      'auto: once book reads have confirmed the venue’s share prices, these prices decide which books are read first.',
    ).default('auto'),
    cancel_all_within_s: integer(
      0,
      60,
      'Time within which the request budget must allow the cancel of every open order, s; 0: at once.',
    ).default(0),
  }).prefault({}),
  merge: section('Merges of complete sets (a YES and a NO share) into currency.', {
    enabled: flag(true, 'Whether the trader merges complete sets of YES and NO shares into currency.'),
    min_shares: amount(
      '0.01',
      '1000000',
      'Minimum number of complete sets in a merge. Default: the smallest number whose merge saves more than its requests cost, at the prices under `economics` (20 at the default prices).',
    ).optional(),
  })
    .prefault({})
    .meta({ live: 'free' }),
  economics: section('Costs of requests and locked currency. They decide which orders, merges and splits are made.', {
    request_price: amount('0', '1000', 'Cost of one signed request, in currency.').prefault('0.001'),
    currency_price_per_day: amount('0.000001', '1', 'Cost per day of one locked currency unit.').prefault('0.00864'),
  })
    .prefault({})
    .meta({ live: 'free' }),
  events: z
    .array(
      z.strictObject({
        event: id.describe('Condition id of the event.'),
        outcomes: choice(
          EVENT_OUTCOMES,
          'exclusive: at most one market of the event resolves YES; exhaustive: exactly one does; nested: each market resolves YES only if the market before it does.',
        ),
        markets: list(
          id,
          1000,
          'Condition ids of all markets of an exhaustive event, or of a nested event, widest first; none if exclusive.',
        ),
      }),
    )
    .max(1000)
    .describe('Relations between outcomes of an event’s markets, for risk.max_event_loss. Declare only sure ones.')
    .prefault([]),
  schedule: section('Schedules of the trader’s own jobs; null disables a job.', {
    reconcile: cron('Times at which the ledger is compared with the exchange.', '30 */5 * * * *'),
    ledger_backup: cron('Times at which a backup of the ledger is made.', '0 0 */6 * * *'),
    daily_summary: cron('Times at which the result of the last complete UTC day is reported.', '0 0 0 * * *'),
  }).prefault({}),
  log: section('The trader’s log.', {
    level: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace'], 'Minimum severity in the log.').default('info'),
    file: path('Log file.').nullable().default(null).describe('File of the log; null writes to standard error.'),
  }).prefault({}),
  recording: section('Recordings of markets, for backtests.', {
    enabled: flag(false, 'Whether the trader records the answers to its own reads, without additional requests.'),
    dir: path('Folder of recordings; `twinbook record` uses it too.').default('../data/recordings'),
  }).prefault({}),
  journal: section('The journal of each run’s observations and requests.', {
    enabled: flag(true, 'Whether the observations and requests of each run are kept, so that the run can be replayed.'),
    dir: path('Folder of the journals; default: `runs` beside the ledger.').optional(),
    max_mb: integer(10, 1_000_000, 'Disk space for journals, MB; the oldest are deleted first.').default(1000),
  }).prefault({}),
  guardian: section('The guardian, a process that cancels everything when the trader’s heartbeat stops.', {
    enabled: flag(true, 'Whether a guardian process cancels everything when the trader’s heartbeat stops.'),
    start: flag(true, 'Whether the trader starts and restarts the guardian; false if a service manager starts it.'),
    required: flag(false, 'Whether the trader refuses to start without a guardian that can cancel.'),
    timeout_ms: integer(2000, 10_000, 'Time without a trader’s heartbeat until the guardian acts, ms.').default(8000),
    resume_after_alarm: flag(false, 'Whether quoting resumes after a guardian’s alarm; if false, only after `unkill`.'),
    credentials: path(
      'API credentials of the guardian, mode 0600; default: guardian-credentials.json beside the key file.',
    ).optional(),
  }).prefault({}),
  fleet: section('The fleet of traders that share a database. Omit this section for a single trader.', {
    database: text(
      1000,
      'Fleet’s database, postgresql://USER@HOST:PORT/DATABASE; the password is in TWINBOOK_FLEET_PASSWORD(_FILE).',
    ),
    name: name(/^[a-z0-9][a-z0-9-]{0,39}$/).describe('Unique name of this trader in the fleet.'),
    lease_s: integer(3, 300, 'Lifetime of a wallet’s lease after its last renewal, s.').default(20),
    standby: flag(false, 'Whether this trader waits for a wallet that another trader uses, and takes it over.'),
  }).optional(),
  dashboard: section('The dashboard, a web page that shows the trader and can stop it.', {
    enabled: z.boolean().optional().describe('Whether the dashboard is served; default: only with the paper profile.'),
    port: integer(0, 65_535, 'Port of the dashboard on 127.0.0.1; a free port if this is 0 or in use.').default(8788),
    start: flag(true, 'Whether the trader starts the dashboard’s console; false if a service manager starts it.'),
    view_password_file: path('File of mode 0600 with a password that only permits reading the dashboard.').optional(),
    stop_password_file: path('File of mode 0600 with a password to read and to stop, but not to resume.').optional(),
  }).prefault({}),
  metrics: section('Metrics for Prometheus, at /metrics of the dashboard.', {
    open: flag(false, 'Whether every program on this machine may read the dashboard’s /metrics without a token.'),
    token_file: path('File of mode 0600 with a token that only permits reading the dashboard’s /metrics.').optional(),
  }).prefault({}),
  alerts: section('Alerts to people who do not watch the trader.', {
    channels: z
      .record(name(/^[a-z][a-z0-9-]{0,39}$/), channelSchema)
      .default({})
      .describe('Channels that get the alerts, by name; see docs/monitoring.md.'),
    heartbeat: section('An external monitor that raises an alarm when the trader stops calling it every minute.', {
      url_file: path('File of mode 0600 with the URL that a working trader calls every minute.'),
    }).optional(),
  }).prefault({}),
  control: section('Commands to the running trader.', {
    socket: path('Unix socket on which the running trader takes commands; default: beside the ledger.').optional(),
  }).prefault({}),
  feeds: z
    .record(name(FEED_NAME), feedSchema)
    .default({})
    .describe('Your own fair values, by name; see docs/feeds.md.'),
  strategies: z
    .array(path('Path of a strategy file.'))
    .max(100)
    // Adding a strategy to a running trader requires a reason; removing a strategy does not.
    .meta({ description: 'Strategy files; a relative path starts at the trader file’s folder.', live: 'limit' }),
});

const figure = (min: number, max: number, what: string) => z.number().min(min).max(max).optional().describe(what);

const words = (what: string) => list(z.string().trim().min(2).max(100), 100, what);

export const selectSchema = z.strictObject({
  state: z.enum(MARKET_STATES).default('open').describe('State that a market must have to be selected.'),
  kind: z.literal('orderbook').default('orderbook').describe('Only order-book markets can be quoted.'),
  categories: z.array(z.enum(CATEGORIES)).default([]).describe('Categories of the selected markets; empty: all.'),
  title_words: words('The market title must contain one of these words, in upper or lower case; empty: all.'),
  without_words: words('The market title must contain none of these words, in upper or lower case.'),
  except: list(id, 1000, 'Condition ids of markets that the strategy never quotes.'),
  min_spread: figure(0, 1, 'Minimum spread between the best ask and the best bid of other traders, in price.'),
  max_spread: figure(0, 1, 'Maximum spread between the best ask and the best bid of other traders, in price.'),
  min_volume_day: figure(0, 1e12, 'Minimum volume of public trades in a day, in currency.'),
  min_days_left: figure(0, 36_500, 'Minimum number of days until the market resolves.'),
  max_days_left: figure(0, 36_500, 'Maximum number of days until the market resolves.'),
});

const marketsSchema = section('Markets that the strategy quotes: listed ids, or a selection.', {
  ids: z
    .array(id)
    .min(1)
    .max(1000)
    .optional()
    .describe(
      'Condition ids of the markets to quote: at most `max`, or `candidates` if set; any number with `choose: value`.',
    ),
  select: selectSchema.optional().describe('Selects the venue’s markets that match every filter.'),
  max: integer(1, 1000, 'Maximum number of markets that the strategy quotes at once.').default(20),
  candidates: integer(1, 1000, 'Number of markets to poll; the best of them are quoted; default: `max`.').optional(),
  choose: choice(
    ['listed', 'value'],
    'Which polled markets are quoted. listed: first in the venue’s list; value: highest estimated profit.',
  ).default('listed'),
}).prefault({});

export const strategyFileSchema = z.strictObject({
  strategy: text(1000, 'Name of a shipped strategy, or the path of a .ts or .js module.').meta({ live: 'reason' }),
  markets: marketsSchema.meta({ live: 'free' }),
  params: z
    .record(z.string(), z.unknown())
    .default({})
    .meta({ description: 'Parameters of the strategy; `twinbook strategies` lists them.', live: 'free' }),
  schedule: section('Outside quote_hours the strategy’s orders are canceled.', {
    quote_hours: cron('Times at which the strategy quotes.', null, '*'),
  })
    .prefault({})
    .meta({ live: 'free' }),
  risk: z
    .record(z.string(), z.unknown())
    .default({})
    .meta({ description: 'Limits for this strategy that are tighter than the trader’s `risk`.', live: 'limit' }),
});

/** Returns what a change requires: nothing (`free`), a reason if looser (`limit`), a `reason`, or a `restart`. */
export const liveClass = ({ shape }: typeof traderSchema | typeof strategyFileSchema, setting: string): string => {
  const field = new Map(Object.entries(shape)).get(setting.split('.')[0] ?? '');
  return String((field && findMark(field, 'live')) ?? 'restart');
};

/** Returns the error of a cron expression; null if valid. An expression of five fields lacks the seconds. */
function cronProblem(expression: string, second: '*' | '0'): string | null {
  const texts = expression.split(/\s+/).filter((text) => text !== '');
  if (texts.length !== 6) {
    const hint = texts.length === 5 ? `; for a five-field expression write "${second} ${texts.join(' ')}"` : '';
    return `wants six cron fields (second minute hour day month weekday), got ${texts.length}${hint}`;
  }
  try {
    const { dayOfMonth, dayOfWeek } = parse(expression);
    const other = [...dayOfMonth, ...dayOfWeek].find((day) => !Number.isInteger(day));
    return other === undefined ? null : `wants days as numbers or names, not ${other}`;
  } catch (error) {
    return `is not a cron expression: ${messageOf(error)}`;
  }
}
