/**
 * Allowed imports: wings, the rooms in them, and external modules. src/README.md shows the same table. When a
 * wall is wrong, table and docs change in one commit with the reason.
 */

/** The wings below the shells. */
const SIDES = ['shared', 'recording', 'trader', 'exchange'] as const;

/** Folders of `src`, from the lowest layer up, and `strategies`, with the others that each may import. */
export const WINGS: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  recording: ['shared'],
  trader: ['shared'],
  exchange: ['shared', 'recording'],
  shell: SIDES,
  lab: [...SIDES, 'shell'],
  cli: [...SIDES, 'shell', 'lab'],
  strategies: ['shared', 'trader'],
};

/** Other rooms, or whole wings, that each room may import. A missing room is an error. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'shared/base': [],
  'shared/protocol': ['shared/base'],
  'shared/statistics': ['shared/base'],

  recording: ['shared'],

  'trader/market': ['shared/base', 'shared/protocol'],
  'trader/strategy': ['shared/base', 'trader/market'],
  'trader/risk': ['shared/base', 'trader/market', 'trader/strategy'],
  'trader/ledger': ['shared/base', 'shared/protocol'],
  'trader/executor': ['shared/base', 'shared/protocol', 'trader/ledger', 'trader/risk'],
  'trader/scheduler': ['shared/base', 'shared/protocol', 'trader/market'],
  'trader/reconcile': ['shared/base', 'shared/protocol', 'trader/ledger', 'trader/executor', 'trader/scheduler'],
  'trader/engine': ['shared/base', 'shared/protocol', 'trader'],

  exchange: ['exchange', 'recording', 'shared'],
  'exchange/core': ['shared/base', 'shared/protocol', 'recording'],
  'exchange/store': ['exchange/core', 'shared'],
  'exchange/crowd': ['exchange/core', 'recording', 'shared'],
  'exchange/service': ['exchange/core', 'shared'],
  'exchange/http': ['exchange', 'recording', 'shared'],

  'shell/wallet': ['shared/base', 'shared/protocol'],
  'shell/client': ['shared/base', 'shared/protocol', 'shell/wallet'],
  'shell/config': ['shared/base', 'shared/protocol', 'trader/strategy', 'trader/risk', 'trader/engine'],
  'shell/guardian': ['shared/base', 'shared/protocol', 'shell/wallet', 'shell/client'],
  'shell/runtime': ['shared', 'trader/engine'],
  'shell/control': ['shared', 'trader'],
  'shell/journal': ['shared', 'trader', 'shell/config', 'shell/runtime'],
  'shell/backup': ['shared', 'trader/ledger', 'shell/runtime'],
  'shell/recorder': ['shared', 'trader', 'recording', 'shell/client', 'shell/runtime', 'shell/wallet'],
  'shell/queue': ['shared/base'],
  'shell/fleet': ['shared/base', 'shell/config', 'shell/wallet'],
  'shell/feeds': ['shared', 'recording', 'shell/config', 'shell/runtime'],
  'shell/web-kit': [],
  'shell/dashboard': ['shared/protocol', 'shell/web-kit'],
  'shell/alerts': ['shared/base', 'shared/protocol', 'shell/config', 'shell/wallet'],
  'shell/console': [
    ...['shared', 'trader/ledger', 'trader/reconcile', 'shell/alerts', 'shell/config', 'shell/control'],
    ...['shell/dashboard', 'shell/runtime', 'shell/wallet'],
  ],
  'shell/daemon': [...SIDES, 'shell'],

  'lab/session': ['shared', 'recording', 'trader/ledger'],
  'lab/report': ['shared', 'trader/ledger', 'trader/market', 'shell/web-kit', 'lab/session'],
  'lab/backtest': [...SIDES, 'shell/config', 'shell/feeds', 'shell/runtime', 'lab/session', 'lab/report'],
  'lab/replay': ['shared', 'recording', 'trader', 'shell/config', 'shell/journal', 'lab/backtest'],
  'lab/sweep': [
    ...SIDES,
    ...['shell/config', 'shell/queue', 'shell/runtime', 'lab/backtest', 'lab/report', 'lab/session'],
  ],
  'lab/strategy-checks': ['shared', 'trader/market', 'trader/strategy', 'shell/config'],
  'lab/arena': [
    ...SIDES,
    ...['shell/config', 'shell/runtime', 'lab/backtest', 'lab/report', 'lab/session'],
    ...['lab/strategy-checks', 'lab/sweep'],
  ],
  'lab/parity': ['shared', 'recording', 'trader', 'shell/config', 'shell/journal', 'shell/recorder', 'lab'],

  cli: [...SIDES, 'shell', 'lab'],
  strategies: ['shared/base', 'trader/market', 'trader/strategy'],
};

/** Reasons why some rooms may import little. */
export const REASONS: Readonly<Record<string, string>> = {
  trader: 'The trader knows neither the exchange nor a shell: it gets observations and returns requests.',
  exchange: 'The exchange knows nothing of the trader: it is the other side of the wire.',
  'exchange/core': 'The core matches and keeps accounts without a network, a disk or a clock.',
  'shell/guardian': 'What fails in the trader must not fail in the guardian.',
  'shell/console': 'The console has neither a key nor a way to the exchange.',
  'shell/dashboard': 'The page shows what its host hands over and asks nothing itself.',
  strategies: 'A strategy sees what `twinbook/strategy` exports, as a module of a user does.',
};

/** Modules of npm and of Node that only some rooms may load, and the alternative for the others. */
export const MODULES: Readonly<Record<string, { readonly rooms: readonly string[]; readonly instead: string }>> = {
  axios: { rooms: ['shell/client'], instead: 'call the venue through `shell/client`' },
  bottleneck: { rooms: ['shell/client'], instead: 'the client keeps the limits of the venue' },
  'p-queue': { rooms: ['shell/client'], instead: 'the client bounds what is under way' },
  fastify: { rooms: ['exchange', 'shell/dashboard'], instead: 'serve through `exchange/http` or `shell/dashboard`' },
  '@fastify/swagger-ui': { rooms: ['exchange/http'], instead: 'the exchange serves its own page' },
  'better-sqlite3': {
    // `shared/base` chooses the version that fits Node.
    rooms: ['shared/base', 'trader/ledger', 'exchange/store', 'lab/sweep', 'shell/journal', 'shell/console'],
    instead: 'read and write through the room whose file it is',
  },
  '@duckdb/node-api': { rooms: ['recording'], instead: 'read recordings through `recording`' },
  '@noble/ed25519': { rooms: ['shell/wallet'], instead: 'sign through `shell/wallet`: no other room holds a key' },
  '@scure/base': {
    rooms: ['shared/protocol', 'shell/wallet', 'exchange', 'recording'],
    instead: 'keys and ids are texts everywhere else',
  },
  '@solana/addresses': { rooms: ['shared/protocol', 'shell/wallet', 'exchange'], instead: 'use `shared/protocol`' },
  '@solana/transaction-messages': { rooms: ['shared/protocol'], instead: 'use `shared/protocol`' },
  '@solana/transactions': { rooms: ['shared/protocol'], instead: 'use `shared/protocol`' },
  nodemailer: { rooms: ['shell/alerts'], instead: 'tell people through `shell/alerts`' },
  pino: { rooms: ['shell/daemon'], instead: 'report through the notices that the room is given' },
  'node-cron': { rooms: ['shell/config', 'shell/runtime'], instead: 'jobs belong to a shell' },
  '@modelcontextprotocol/sdk': { rooms: ['cli'], instead: 'tools for agents are declared with the commands' },
  commander: { rooms: ['cli'], instead: 'arguments are read in `cli`' },
  jiti: { rooms: ['shell/config'], instead: 'modules of users are loaded by `shell/config`' },
  yaml: { rooms: ['shared/base', 'shell/config', 'shell/client'], instead: 'configuration is read by `shell/config`' },
  bullmq: {
    rooms: ['shell/queue'],
    instead: 'hand out work through `shell/queue`, which is loaded when it is asked for',
  },
  pg: { rooms: ['shell/fleet'], instead: 'the database of a fleet is spoken to through `shell/fleet`' },
  ioredis: { rooms: ['shell/queue'], instead: 'only a queue has such a server' },
  zod: {
    // In the lab only sweeps may: outcomes arrive from other machines. Strategies read back their saved state.
    rooms: [
      ...['cli', 'exchange', 'lab/sweep', 'recording', 'shared/base', 'shared/protocol', 'shell'],
      ...['strategies', 'trader/risk', 'trader/strategy'],
    ],
    instead: 'what crosses a border is validated there, once',
  },
  'node:http': { rooms: ['exchange/http', 'shell/client'], instead: 'use the client or the server' },
  'node:https': { rooms: ['shell/client'], instead: 'use the client' },
  'node:net': { rooms: ['cli', 'shell/control'], instead: 'only the control socket is a bare socket' },
  'node:child_process': {
    rooms: ['shell/daemon', 'shell/feeds', 'shell/console', 'lab/strategy-checks'],
    instead:
      'processes are started by the daemon, programs of users by `shell/feeds`, our own command for the configuration by `shell/console`, a compiler by `lab/strategy-checks`',
  },
  'node:vm': { rooms: ['shell/runtime'], instead: 'code of users runs under the time limit of `shell/runtime`' },
};

/** Rooms without access to the outside: no async, clock, timer, randomness or environment. */
export const CORE = ['src/shared/', 'src/trader/', 'src/exchange/core/', 'src/shell/guardian/decide.ts', 'strategies/'];

/** Folders and files that must access the outside. */
export const WORLDLY = [
  'src/shell/',
  'src/exchange/http/',
  // This file makes keys, secrets and nonces.
  'src/exchange/service/handlers.ts',
  'src/exchange/store/',
  'src/exchange/exchange.ts',
  'src/recording/',
  'src/cli/',
] as const;

/** Rooms of the shells without access to the outside. */
export const SECLUDED = ['src/shell/recorder/capture/'] as const;

/** Folders with more files than MANY_FILES, each with its reason. */
export const LARGE_FOLDERS: Readonly<Record<string, string>> = {};
