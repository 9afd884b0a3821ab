/** The one schema of a trader's file and of a strategy file; `load.ts` makes the `Config`. */

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

/** A whole number within bounds. */
const integer = (min: number, max: number, help: string) => z.number().int().min(min).max(max).describe(help);

/** Schema of a setting with a fixed set of words. */
const choice = <const W extends readonly string[]>(words: W, help: string) => z.enum(words).describe(help);

/** A switch. */
const flag = (usual: boolean, help: string) => z.boolean().default(usual).describe(help);

/** Schema of a group of settings. */
const section = <S extends z.core.$ZodLooseShape>(help: string, shape: S) => z.strictObject(shape).describe(help);

/** Schema of a name that the operator chooses. */
const name = (form: RegExp) => z.string().regex(form, 'wants a name in lower case with dashes, at most 40 characters');

/** A condition id. */
const id = z.string().min(1).max(128);

/** The path of a file or folder. */
const path = (help: string) =>
  z
    .string()
    .min(1)
    .refine((text) => !text.includes('\0'), 'wants a path without NUL characters')
    .meta({ description: help, ...PATH });

/** A decimal string of currency or shares within bounds, read as Micros. */
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
      if ((low !== null && value < low) || (high !== null && value > high)) {
        context.addIssue({ code: 'custom', message: `wants a decimal string from "${min}" to "${max}"` });
      }
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

/** Severities of an alert, ascending. */
export const ALERT_SEVERITIES = ['info', 'warning', 'critical'] as const;
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number];

/** Commands by a message to a bot. */
export const CHAT_COMMANDS = ['status', 'ack', ...CHAT_NAMES] as const;
export type ChatCommand = (typeof CHAT_COMMANDS)[number];

export const channelSchema = z.strictObject({
  kind: z.enum(['webhook', 'slack', 'discord', 'ntfy', 'telegram', 'mail']).describe('Kind of service.'),
  address_file: path(
    'File of mode 0600 with its secret: its URL (smtp:// or smtps:// for mail), or a Telegram bot’s token.',
  ),
  to: z.string().min(1).max(1000).optional().describe('Chat, for telegram; recipients by commas, for mail.'),
  from: z.string().min(1).max(320).optional().describe('For mail: the sender.'),
  signing_file: path('Of webhook: file of mode 0600 with the key that messages are signed with.').optional(),
  min: choice(ALERT_SEVERITIES, 'Minimum severity of its alerts.').default('warning'),
  summary: flag(true, 'Whether it gets the daily summary, whatever its min.'),
  detail: choice(['full', 'bare'], 'bare: event and trader, no figure, title or reason.').default('full'),
  commands: z
    .array(z.enum(CHAT_COMMANDS))
    .max(20)
    .optional()
    .describe('For telegram: commands that `users` may send; default none.'),
  users: z
    .array(z.int().positive())
    .min(1)
    .max(20)
    .optional()
    .describe('For telegram with commands: ids of the allowed users, each in his own chat.'),
});

const CHANNEL_NAME = /^[a-z][a-z0-9-]{0,39}$/;

const address = z.url({ protocol: /^https?$/ });
const texts = (longest: number) => z.array(z.string().min(1).max(longest)).min(1).max(100);

export const feedSchema = z.strictObject({
  kind: z.enum(['file', 'child']).describe('Its source: a file, or your own program.'),
  path: path('For a file: CSV or JSONL.').optional(),
  command: texts(4096).optional().describe('For child: the program and its arguments.'),
  env: z
    .array(
      z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'wants a name of an environment variable')
        .regex(/^(?!TWINBOOK_)/i, 'names a variable of the trader, which no program gets'),
    )
    .max(100)
    .optional()
    .describe('For child: environment variables that it gets beside PATH, HOME, LANG, LC_*, TZ and TMPDIR.'),
  every_ms: integer(100, 3_600_000, 'For a file: interval between reads, ms.').default(1000),
  max_age_s: z.number().min(0.1).max(86_400).describe('Strategies never get values older than this, s.').default(60),
});

export const traderSchema = z.strictObject({
  venue: section('Where to trade.', {
    profile: path('Name of a shipped venue profile (paper, worm), or the path of a profile file.'),
    base_url: address.optional().describe('Overrides the profile’s address.'),
    draft_message: z.enum(['utf8', 'solana_tx', 'opaque']).optional().describe('Overrides the profile’s.'),
    fee_schedule: z.enum(FEE_SCHEDULES).optional().describe('Overrides the profile’s: the base of fee rates.'),
    allow_blind_signing: flag(false, 'Allows signing unreadable drafts: opaque ones, and those of solana_programs.'),
  }),
  exchange: section('The embedded paper exchange. Leave it out to trade on another exchange.', {
    embedded: flag(true, 'Runs the paper exchange inside the trader, and trades on it.'),
    data_dir: path('Folder of the exchange state.').default('../data/exchange'),
    port: integer(0, 65_535, 'Port on the loopback address; 0 picks a free one.').default(0),
    seed: integer(0, Number.MAX_SAFE_INTEGER, 'Seed of the simulated crowd.').default(1),
    market_data: z.array(path('A recording.')).max(1000).default([]).describe('Recordings that drive markets.'),
    speed: z.number().min(0.01).max(10_000).default(1).describe('Time scale of recordings; 1 is real time.'),
    crowd: flag(true, 'Whether simulated traders trade.'),
    crowd_markets: integer(1, 1000, 'Markets in which the simulated crowd trades.').default(4),
    controls: flag(false, 'Whether the /paper/ controls answer.'),
    rate_limits: flag(true, 'Whether the venue profile’s request limits are enforced.'),
    starting_funds: amount('0', '1000000000', 'Currency of a new account.').prefault('10000'),
    landing_ms: integer(0, 600_000, 'How long merges and splits stay in_process, ms.').default(400),
    draft_lifetime_s: integer(5, 3600, 'How long a draft can be signed, s; default the venue profile’s.').optional(),
  }).optional(),
  wallet: section('Whose orders these are.', {
    file: path('Key file, mode 0600.'),
    credentials: path('API credentials, mode 0600; default credentials.json beside the key file.').optional(),
  }),
  ledger: section('Where every order and fill is written.', {
    path: path('SQLite file.'),
    backups: section(
      'Backups of the ledger, by schedule.ledger_backup: the newest 24 and the last of each of 30 UTC days stay.',
      {
        max_mb: integer(1, 10_000_000, 'Room for all backups, MB; the newest always stays.').default(5000),
      },
    ).prefault({}),
  }),
  capital: amount('0.000001', '1000000000', 'Currency that this trader may use.').meta({ live: 'limit' }),
  risk: riskLimitsSchema.prefault({}).meta({ description: 'Limits no order may break.', live: 'limit' }),
  polling: section('How often the exchange is asked, within the venue’s request budget.', {
    own_interval_ms: integer(200, 60_000, 'Own trades at the shortest, and a fifth as often own orders.').default(1000),
    own_longest_ms: integer(
      200,
      60_000,
      'Longest interval of own trades while orders rest and fills are rare; a value up to own_interval_ms disables it.',
    ).default(15_000),
    hot_interval_ms: integer(100, 60_000, 'Shortest time between two polls of one book.').default(500),
    quiet_interval_ms: integer(
      1000,
      600_000,
      'A book unseen for this time, ms, is polled before others, by every second to tenth poll.',
    ).default(10_000),
    catalog_interval_ms: integer(5000, 3_600_000, 'The list of markets.').default(60_000),
    assets_interval_ms: integer(
      2000,
      3_600_000,
      'A round of reconciliation: assets, orders, trades, merges, splits and redeems. Nine signed requests, stretched where the budget is short.',
    ).default(60_000),
    candles_prior: flag(true, 'Whether price bars of two days are read, once a market, for its volatility.'),
    marks: choice(
      ['auto', 'off'],
      'Use of the venue’s value of holdings: auto lets it order polls of books, once polls have confirmed it.',
    ).default('auto'),
    cancel_all_within_s: integer(
      0,
      60,
      'Seconds after a kill within which the request budget can send every cancel; 0 for at once.',
    ).default(0),
  }).prefault({}),
  merge: section('When completed pairs are merged back into currency.', {
    enabled: flag(true, 'Whether complete YES+NO sets are merged back into currency.'),
    min_shares: amount(
      '0.01',
      '1000000',
      'Minimum complete sets of a merge; default: the batch worth its requests at the prices of economics, 20 with their defaults.',
    ).optional(),
  })
    .prefault({})
    .meta({ live: 'free' }),
  economics: section('Prices of requests and currency: they decide between legs and size batches of sets.', {
    request_price: amount('0', '1000', 'Value of one signed request, in currency.').prefault('0.001'),
    currency_price_per_day: amount('0.000001', '1', 'Cost of a unit of currency locked for a day.').prefault('0.00864'),
  })
    .prefault({})
    .meta({ live: 'free' }),
  events: z
    .array(
      z.strictObject({
        event: id.describe('Condition id of the event.'),
        outcomes: choice(
          EVENT_OUTCOMES,
          'At most one of its markets resolves YES (exclusive), exactly one does (exhaustive), or each only if the one before it does (nested).',
        ),
        markets: z
          .array(id)
          .max(1000)
          .default([])
          .describe(
            'Condition ids of all markets of an exhaustive event, or of a nested one, the widest first; none for an exclusive one.',
          ),
      }),
    )
    .max(1000)
    .describe('Events whose outcomes exclude each other, for risk.max_event_loss. Declare only what you know.')
    .prefault([]),
  schedule: section('The trader’s own jobs; null switches one off.', {
    reconcile: cron('Compares the ledger with the exchange.', '30 */5 * * * *'),
    ledger_backup: cron('Copies the ledger beside itself.', '0 0 */6 * * *'),
    daily_summary: cron('Reports the result of the UTC day that has ended.', '0 0 0 * * *'),
  }).prefault({}),
  log: section('Logs.', {
    level: choice(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace'],
      'Least severe message that is written.',
    ).default('info'),
    file: path('Log file.').nullable().default(null).describe('Log file; null writes to standard error.'),
  }).prefault({}),
  recording: section('Recordings of markets, for backtests.', {
    enabled: flag(false, 'Records the answers to the trader’s own polls, without additional requests.'),
    dir: path('Folder of recordings, also of `twinbook record`.').default('../data/recordings'),
  }).prefault({}),
  journal: section('The journal of observations.', {
    enabled: flag(true, 'Keeps all that each run of the trader saw and asked, for replays.'),
    dir: path('Folder of runs; default runs beside the ledger.').optional(),
    max_mb: integer(10, 1_000_000, 'Room for the runs of this ledger, MB; the oldest go first.').default(1000),
  }).prefault({}),
  guardian: section('The guardian.', {
    enabled: flag(true, 'Whether a separate process cancels everything when the trader’s heartbeat stops.'),
    start: flag(true, 'Whether the trader starts it, and restarts it when it ends; false if a separate unit does.'),
    required: flag(false, 'Refuses to start the trader without a guardian that can cancel.'),
    timeout_ms: integer(2000, 10_000, 'Silence of the trader that raises the alarm, ms.').default(8000),
    resume_after_alarm: flag(false, 'Whether the trader quotes again after an alarm; else killed until `unkill`.'),
    credentials: path('Own API credentials, mode 0600; default guardian-credentials.json beside the key.').optional(),
  }).prefault({}),
  fleet: section('The fleet of traders that shares a database; leave it out for a single trader.', {
    database: z
      .string()
      .min(1)
      .max(1000)
      .describe(
        'Its database, postgresql://USER@HOST:PORT/DATABASE; the password is in TWINBOOK_FLEET_PASSWORD or its _FILE.',
      ),
    name: name(/^[a-z0-9][a-z0-9-]{0,39}$/).describe('Unique name of this trader in the fleet.'),
    lease_s: integer(3, 300, 'Time after its last renewal until the wallet may be taken over, s.').default(20),
    standby: flag(false, 'Whether it waits for a wallet that another trader has, and takes it over.'),
  }).optional(),
  dashboard: section('The page with the buttons that stop the trader.', {
    enabled: z.boolean().optional().describe('Whether there is a page; default only with the paper profile.'),
    port: integer(0, 65_535, 'Its port on 127.0.0.1; a free one if it is 0 or taken.').default(8788),
    start: flag(true, 'Start `twinbook console` with the trader; false: it is started separately.'),
    view_password_file: path('File of mode 0600 with a password that opens the page to look, and no more.').optional(),
    stop_password_file: path('The same for one who may also stop the trader, and not start it again.').optional(),
  }).prefault({}),
  metrics: section('Figures for Prometheus, at /metrics of the dashboard.', {
    open: flag(false, 'Whether every program of this machine may read /metrics of the dashboard without a token.'),
    token_file: path('File of mode 0600 with the token that opens /metrics and nothing else.').optional(),
  }).prefault({}),
  alerts: section('Alerts to people who do not look.', {
    channels: z
      .record(name(CHANNEL_NAME), channelSchema)
      .default({})
      .describe('Where alerts go, by name; see docs/monitoring.md.'),
    quiet_hours: cron(
      'Seconds in which only critical alerts are sent, in the form of a strategy’s quote_hours.',
      null,
      '*',
    ),
    heartbeat: section('A watcher elsewhere that alarms when it is not called every minute, after useful work.', {
      url_file: path('File of mode 0600 with the address to call.'),
    }).optional(),
  }).prefault({}),
  control: section('How commands reach the running trader.', {
    socket: path('Control socket; default beside the ledger.').optional(),
  }).prefault({}),
  feeds: z.record(name(FEED_NAME), feedSchema).default({}).describe('Own fair values, by name; see docs/feeds.md.'),
  strategies: z
    .array(path('A strategy file.'))
    .max(100)
    // An added strategy requires a reason, a removed strategy does not.
    .meta({ description: 'Strategy files, relative to this file.', live: 'limit' }),
});

const figure = (min: number, max: number, what: string) => z.number().min(min).max(max).optional().describe(what);

const words = (what: string) => z.array(z.string().trim().min(2).max(100)).max(100).default([]).describe(what);

export const selectSchema = z.strictObject({
  state: z.enum(MARKET_STATES).default('open').describe('State of the markets.'),
  kind: z.literal('orderbook').default('orderbook').describe('Only order-book markets can be quoted.'),
  categories: z.array(z.enum(CATEGORIES)).default([]).describe('Empty for all.'),
  title_words: words('Only titles that contain one of them, in upper or lower case; empty for all.'),
  without_words: words('No title that contains one of them, in upper or lower case.'),
  except: z.array(id).max(1000).default([]).describe('Condition ids that it never quotes.'),
  min_spread: figure(0, 1, 'Others’ best ask less their best bid is at least this, price.'),
  max_spread: figure(0, 1, 'The same is at most this.'),
  min_volume_day: figure(0, 1e12, 'Minimum volume of public trades in a day, currency.'),
  min_days_left: figure(0, 36_500, 'Minimum days until it resolves.'),
  max_days_left: figure(0, 36_500, 'Maximum days until it resolves.'),
});

const marketsSchema = section('Which markets it quotes: named ids, or a selection.', {
  ids: z.array(id).min(1).max(1000).optional().describe('Condition ids to quote.'),
  select: selectSchema.optional().describe('Markets of the catalog that match every filter.'),
  max: integer(1, 1000, 'Maximum number of quoted markets.').default(20),
  candidates: integer(1, 1000, 'Number of candidate markets, of which it quotes the best; default max.').optional(),
  choose: choice(['listed', 'value'], 'listed: the first that match; value: the most valuable.').default('listed'),
}).prefault({});

export const strategyFileSchema = z.strictObject({
  strategy: z.string().min(1).max(1000).meta({
    description: 'Name of a shipped strategy, or the path of a .ts or .js module.',
    live: 'reason',
  }),
  markets: marketsSchema.meta({ live: 'free' }),
  params: z
    .record(z.string(), z.unknown())
    .default({})
    .meta({ description: 'The strategy’s parameters; see `twinbook strategies`.', live: 'free' }),
  schedule: z
    .strictObject({ quote_hours: cron('When it quotes.', null, '*') })
    .prefault({})
    .meta({ description: 'Outside quote_hours its orders are pulled.', live: 'free' }),
  risk: z
    .record(z.string(), z.unknown())
    .default({})
    .meta({ description: 'Limits tighter than the trader’s, for this strategy alone.', live: 'limit' }),
});

export type TraderFile = z.output<typeof traderSchema>;
export type StrategyFile = z.output<typeof strategyFileSchema>;

/**
 * How a running trader applies a setting, by the section's `live` mark. `free`: with `config apply`. `limit`: a looser
 * or higher value needs a reason. `reason`: every value needs a reason. `restart`, or no mark: by a restart.
 */
export const liveClass = ({ shape }: typeof traderSchema | typeof strategyFileSchema, setting: string): string => {
  const field = new Map(Object.entries(shape)).get(setting.split('.')[0] ?? '');
  return String((field && findMark(field, 'live')) ?? 'restart');
};

const CRON_FIELDS = 6;

/** Returns the fault of an expression; null if valid. With five fields the seconds would be a guess. */
function cronProblem(expression: string, second: '*' | '0'): string | null {
  const texts = expression.split(/\s+/).filter((text) => text !== '');
  if (texts.length !== CRON_FIELDS) {
    const hint = texts.length === 5 ? `; for a five-field expression write "${second} ${texts.join(' ')}"` : '';
    return `wants six cron fields (second minute hour day month weekday), got ${texts.length}${hint}`;
  }
  try {
    const { dayOfMonth, dayOfWeek } = parse(expression);
    const other = [...dayOfMonth, ...dayOfWeek].find((day) => !Number.isInteger(day));
    return other === undefined ? null : `wants numbers and names of days, not ${other}`;
  } catch (error) {
    return `cannot be a cron expression: ${messageOf(error)}`;
  }
}
