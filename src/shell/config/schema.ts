/**
 * The one schema of a trader's file and of a strategy file. It says what a person may write; `load.ts` turns that into
 * a `Config`. `twinbook config schema` prints it as JSON Schema, so every field carries its description.
 */

import { z } from 'zod';
import { FEE_SCHEDULES } from '../../shared/base/fees.js';
import { EVENT_OUTCOMES } from '../../trader/risk/event-rules.js';
import { riskLimitsSchema } from '../../trader/risk/limits.js';
import { FEED_NAME } from '../../trader/strategy/read-params.js';
import { ALERT_SEVERITIES, CHANNEL_KINDS, CHAT_COMMANDS } from './alert-kinds.js';
import { cronProblem } from './cron.js';
import { marketsSchema } from './markets-schema.js';
import { exchangeSchema } from './schema-exchange.js';
import { fleetSchema } from './schema-fleet.js';
import { amount, integer, path } from './schema-parts.js';
import { backupsSchema, journalSchema } from './schema-stores.js';
import { LOG_LEVELS } from './types.js';

/** A cron expression or null, which switches it off. */
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

const pollingSchema = z
  .strictObject({
    own_interval_ms: integer(200, 60_000, 'Own trades at the shortest, and a fifth as often own orders.').default(1000),
    own_longest_ms: integer(
      200,
      60_000,
      'Own trades at the longest while orders rest, where fills are rare; no longer than own_interval_ms keeps them at that.',
    ).default(15_000),
    hot_interval_ms: integer(100, 60_000, 'Shortest time between two looks at one book.').default(500),
    quiet_interval_ms: integer(
      1000,
      600_000,
      'A book that was not seen for so long has a look before others, every second to tenth look.',
    ).default(10_000),
    catalog_interval_ms: integer(5000, 3_600_000, 'The list of markets.').default(60_000),
    assets_interval_ms: integer(
      2000,
      3_600_000,
      'A round of reconciliation, nine signed requests: assets, orders, trades, merges, splits and redeems, compared with the ledger. Stretched where the request budget is short.',
    ).default(60_000),
    candles_prior: z
      .boolean()
      .default(true)
      .describe(
        'Whether price bars of two days are read, once a market, for its volatility and the start of its slow average.',
      ),
    marks: z
      .enum(['auto', 'off'])
      .default('auto')
      .describe(
        'What the venue says that holdings are worth: with auto it says which book to look at next, once looks have shown that it is right.',
      ),
    cancel_all_within_s: integer(
      0,
      60,
      'So many seconds after a kill at the latest the request budget has let every cancel leave; 0 for at once.',
    ).default(0),
  })
  .describe('How often the exchange is asked. All within the venue’s request budget, which comes first.');

const mergeSchema = z
  .strictObject({
    enabled: z.boolean().default(true).describe('Whether complete YES+NO sets are merged back into currency.'),
    min_shares: amount(
      '0.01',
      '1000000',
      'Fewest complete sets worth a merge; default the batch that the prices of economics make worth its requests, 20 as they are.',
    ).optional(),
  })
  .describe('When completed pairs are merged back into currency.');

const economicsSchema = z
  .strictObject({
    request_price: amount('0', '1000', 'What one signed request is worth, in currency.').prefault('0.001'),
    currency_price_per_day: amount('0.000001', '1', 'What a unit of currency costs that is bound for a day.').prefault(
      '0.00864',
    ),
  })
  .describe('What requests and currency are worth against each other: decides between legs and sizes batches of sets.');

const eventsSchema = z
  .array(
    z.strictObject({
      event: z.string().min(1).max(128).describe('Condition id of the event.'),
      outcomes: z
        .enum(EVENT_OUTCOMES)
        .describe(
          'At most one of its markets resolves YES (exclusive), or exactly one does (exhaustive), or each only if the one before it does (nested).',
        ),
      markets: z
        .array(z.string().min(1).max(128))
        .max(1000)
        .default([])
        .describe(
          'Condition ids of all markets of an exhaustive event, or of a nested one, the widest first; none for an exclusive one.',
        ),
    }),
  )
  .max(1000)
  .describe(
    'Events whose outcomes exclude each other, for risk.max_event_loss. The venue does not say it: declare only what you know.',
  );

const scheduleSchema = z
  .strictObject({
    reconcile: cron('Compares the ledger with the exchange.', '30 */5 * * * *'),
    ledger_backup: cron('Copies the ledger beside itself.', '0 0 */6 * * *'),
    daily_summary: cron('Reports the result of the UTC day that has ended.', '0 0 0 * * *'),
  })
  .describe('The trader’s own jobs; null switches one off.');

const logSchema = z
  .strictObject({
    level: z.enum(LOG_LEVELS).default('info').describe('The least severe message that is written.'),
    file: path('Log file.').nullable().default(null).describe('Log file; null writes to standard error.'),
    max_mb: integer(1, 100_000, 'A log file of this size, MB, gets the name FILE.1, and a new one begins.').default(
      100,
    ),
    keep: integer(1, 1000, 'Number of older log files that are kept: FILE.1 is the newest of them.').default(5),
  })
  .describe('Logs.');

const recordingSchema = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Records what the trader’s own polls see, at no request more.'),
    dir: path('Folder of recordings.')
      .default('../data/recordings')
      .describe('Folder of recordings, also of `twinbook record`.'),
  })
  .describe('Recordings of markets, for backtests.');

const guardianSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe('Whether a process of its own cancels everything when the heart of the trader stops.'),
    start: z
      .boolean()
      .default(true)
      .describe('Whether the trader starts it, and again when it dies; false where a unit of its own does.'),
    required: z.boolean().default(false).describe('Refuses to start the trader without a guardian that can cancel.'),
    timeout_ms: integer(2000, 10_000, 'Silence of the trader that raises the alarm, ms.').default(8000),
    resume_after_alarm: z
      .boolean()
      .default(false)
      .describe('Whether the trader quotes again by itself after an alarm; false keeps it killed until `unkill`.'),
    credentials: path(
      'Its own API credentials, mode 0600; default guardian-credentials.json beside the key file.',
    ).optional(),
    log: path('Its log; default beside the ledger.').optional(),
  })
  .describe('The guardian.');

const dashboardSchema = z
  .strictObject({
    enabled: z.boolean().optional().describe('Whether there is a page; default only with the paper profile.'),
    host: z.enum(['127.0.0.1', '::1']).default('127.0.0.1').describe('The loopback address it listens on.'),
    port: integer(0, 65_535, 'Its port; 0 picks a free one, and so does a port that is taken.').default(8788),
    start: z.boolean().default(true).describe('Start `twinbook console` with the trader; false: it runs by itself.'),
    view_password_file: path('File of mode 0600 with a password that opens the page to look, and no more.').optional(),
    stop_password_file: path('The same for one who may also stop the trader, and not start it again.').optional(),
  })
  .describe('The page with the buttons that stop the trader.');

const metricsSchema = z
  .strictObject({
    open: z
      .boolean()
      .default(false)
      .describe('Whether every program of this machine may read /metrics of the dashboard without a token.'),
    token_file: path('File of mode 0600 with the token that opens /metrics and nothing else.').optional(),
    max_markets: integer(1, 1000, 'Markets that have series of their own.').default(100),
  })
  .describe('Figures for Prometheus, at /metrics of the dashboard.');

const CHANNEL_NAME = /^[a-z][a-z0-9-]{0,39}$/;

const chatCommands = z.array(z.enum(CHAT_COMMANDS)).max(CHAT_COMMANDS.length);
const chatUsers = z.array(z.int().positive()).min(1).max(20);

const channelSchema = z.strictObject({
  kind: z.enum(CHANNEL_KINDS).describe('How it is spoken to.'),
  address_file: path(
    'File of mode 0600 with what is secret of it: its URL (smtp:// or smtps:// for mail), or a Telegram bot’s token.',
  ),
  to: z.string().min(1).max(1000).optional().describe('Of telegram: the chat. Of mail: recipients, by commas.'),
  from: z.string().min(1).max(320).optional().describe('Of mail: the sender.'),
  signing_file: path('Of webhook: file of mode 0600 with the key that messages are signed with.').optional(),
  min: z.enum(ALERT_SEVERITIES).default('warning').describe('The least urgent alerts that it gets.'),
  summary: z.boolean().default(true).describe('Whether it gets the daily summary, whatever its min.'),
  detail: z
    .enum(['full', 'bare'])
    .default('full')
    .describe('bare: what happened to which trader, without a figure, title or reason.'),
  commands: chatCommands.optional().describe('Of telegram: what `users` may ask for by a message; none when left out.'),
  users: chatUsers
    .optional()
    .describe('Of telegram with commands: numbers of who may, each in the own chat with the bot.'),
});

const alertsSchema = z
  .strictObject({
    channels: z
      .record(
        z.string().regex(CHANNEL_NAME, 'wants a name in lower case with dashes, at most 40 characters'),
        channelSchema,
      )
      .default({})
      .describe('Where alerts go, by name; see docs/monitoring.md.'),
    escalation: z
      .array(z.string())
      .max(20)
      .default([])
      .describe('Names of channels: a critical alert that one cannot deliver goes to the next.'),
    quiet_hours: cron(
      'Seconds in which only what is critical is told, as quote_hours of a strategy names them.',
      null,
      '*',
    ),
    heartbeat: z
      .strictObject({
        url_file: path('File of mode 0600 with the address that expects to be called.'),
        every_s: integer(10, 3600, 'Between two calls, s.').default(60),
      })
      .optional()
      .describe('A watcher elsewhere that alarms when it hears nothing: called only after useful work.'),
  })
  .describe('Alerts to people who do not look.');

export const FEED_KINDS = ['file', 'http', 'child', 'polymarket', 'kalshi'] as const;

const feedSchema = z.strictObject({
  kind: z
    .enum(FEED_KINDS)
    .describe('Where it comes from: a file, an address, a program of your own, or the public books of another venue.'),
  path: path('Of a file: CSV or JSONL.').optional(),
  url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Of http: the address that answers with JSON; of polymarket and kalshi: another than the venue’s own.'),
  hosts: z
    .array(z.string().min(1).max(255))
    .min(1)
    .max(100)
    .optional()
    .describe('Of what asks addresses: hosts it may ask; default that of url.'),
  timeout_ms: integer(100, 60_000, 'Of what asks addresses: the longest that one answer may take, ms.').default(5000),
  command: z
    .array(z.string().min(1).max(4096))
    .min(1)
    .max(100)
    .optional()
    .describe('Of child: the program and its arguments.'),
  env: z
    .array(
      z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'wants a name of an environment variable')
        .regex(/^(?!TWINBOOK_)/i, 'names a variable of the trader, which no program gets'),
    )
    .max(100)
    .optional()
    .describe('Of child: environment variables that it gets beside PATH, HOME, LANG, LC_*, TZ and TMPDIR.'),
  markets: z
    .record(z.string().min(1).max(128), z.string().min(1).max(128))
    .optional()
    .describe(
      'Of polymarket and kalshi: the name there (token id of YES, or ticker) of each market, by its condition id here.',
    ),
  every_ms: integer(100, 3_600_000, 'Of all but child: how often it is looked at, ms.').default(1000),
  max_age_s: z
    .number()
    .min(0.1)
    .max(86_400)
    .describe('Values older than this are shown to no strategy, s.')
    .default(60),
});

const watch = z.boolean().default(false).describe('Takes up changed files where nothing in them wants more.');

export const traderSchema = z.strictObject({
  venue: z
    .strictObject({
      profile: path('Name of a shipped venue profile (paper, worm), or the path of a profile file.'),
      base_url: z
        .url({ protocol: /^https?$/ })
        .optional()
        .describe('Overrides the profile’s address.'),
      draft_message: z.enum(['utf8', 'solana_tx', 'opaque']).optional().describe('Overrides the profile’s.'),
      fee_schedule: z.enum(FEE_SCHEDULES).optional().describe('Overrides the profile’s: what fee rates are taken of.'),
      allow_blind_signing: z
        .boolean()
        .default(false)
        .describe(
          'Lets drafts be signed that nobody can read (draft_message: opaque, or solana_programs of the profile).',
        ),
    })
    .describe('Where to trade.'),
  exchange: exchangeSchema.optional(),
  wallet: z
    .strictObject({
      file: path('Key file, mode 0600.'),
      credentials: path('API credentials, mode 0600; default credentials.json beside the key file.').optional(),
    })
    .describe('Whose orders these are.'),
  ledger: z
    .strictObject({
      path: path('SQLite file.'),
      backups: backupsSchema.prefault({}),
    })
    .describe('Where every order and fill is written.'),
  capital: amount('0.000001', '1000000000', 'Currency that this trader may use.'),
  risk: riskLimitsSchema.prefault({}).describe('Limits no order may break.'),
  polling: pollingSchema.prefault({}),
  merge: mergeSchema.prefault({}),
  economics: economicsSchema.prefault({}),
  events: eventsSchema.prefault([]),
  schedule: scheduleSchema.prefault({}),
  log: logSchema.prefault({}),
  recording: recordingSchema.prefault({}),
  journal: journalSchema.prefault({}),
  guardian: guardianSchema.prefault({}),
  fleet: fleetSchema.optional(),
  dashboard: dashboardSchema.prefault({}),
  metrics: metricsSchema.prefault({}),
  alerts: alertsSchema.prefault({}),
  reload: z
    .strictObject({ watch })
    .prefault({})
    .describe('How changed files are taken up; else by `config apply` alone.'),
  control: z
    .strictObject({ socket: path('Control socket; default beside the ledger.').optional() })
    .prefault({})
    .describe('How commands reach the running trader.'),
  feeds: z
    .record(z.string().regex(FEED_NAME, 'wants a name in lower case with dashes, at most 40 characters'), feedSchema)
    .default({})
    .describe('Fair values of your own, by name; see docs/feeds.md.'),
  strategies: z.array(path('A strategy file.')).max(100).describe('Strategy files, relative to this file.'),
});

export const strategyFileSchema = z.strictObject({
  strategy: z.string().min(1).max(1000).describe('Name of a shipped strategy, or the path of a .ts or .js module.'),
  markets: marketsSchema,
  params: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('The strategy’s parameters; see `twinbook strategies`.'),
  schedule: z
    .strictObject({ quote_hours: cron('When it quotes.', null, '*') })
    .prefault({})
    .describe('Outside quote_hours its orders are pulled.'),
  risk: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('Limits tighter than the trader’s, for this strategy alone.'),
});

export type TraderFile = z.output<typeof traderSchema>;
export type StrategyFile = z.output<typeof strategyFileSchema>;
