/**
 * `twinbook top`: markets by result, refreshed every second. It reads the running trader's reports from its control
 * socket, like the console, and the ledger on a read-only connection; the trader never waits for it.
 */

import { existsSync } from 'node:fs';
import { formatDecimal } from '../../shared/base/decimal.js';
import { micros, ZERO } from '../../shared/base/micros.js';
import type { TraderConfig } from '../../shell/config/load.js';
import { TraderState } from '../../shell/console/trader-state.js';
import { ResultBook } from '../../shell/console/views/result-book.js';
import { Subscription } from '../../shell/control/telemetry/subscription.js';
import { choice, command, flag, numberBetween, usual, type Values } from '../command.js';
import type { CliIo, CliTerminal } from '../output/io.js';
import { json } from '../output/table.js';
import {
  drawHead,
  drawScreen,
  drawTable,
  type LedgerFacts,
  makeRows,
  measureSpread,
  paintColours,
  paintNothing,
  pressKey,
  readFacts,
  SORTS,
  type SortBy,
  sortRows,
  type TopHead,
  type TopLook,
  type TopRow,
} from './top-screen.js';

const OPTIONS = {
  sort: choice('--sort <by>', 'sort by this column, largest first', Object.keys(SORTS) as SortBy[], 'result'),
  every: usual('--every <seconds>', 'between two pictures', 1, numberBetween(0.2, 3600)),
  once: flag('--once', 'print one table and exit, as always without a terminal'),
};

type TopOptions = Values<typeof OPTIONS>;

const FILE_COLUMNS = 160;
/** A trader reports everything twice a second; one silent for this long is not there, ms. */
const HEAR_WITHIN_MS = 3_000;

export const addTopCommand = command({
  name: 'top',
  help: 'a live table of markets by profit, from the running trader or from its ledger',
  config: 'trader',
  options: OPTIONS,
  hasJson: true,
  run: async ({ options, config, isJson, io }) => {
    const terminal = options.once === true || isJson ? null : (io.terminal ?? null);
    const source = new TopSource(config);
    try {
      await source.begin();
      if (terminal === null) writeOnce(source, options.sort, isJson, io);
      else await watch(source, options, io, terminal);
    } finally {
      source.close();
    }
  },
});

class TopSource {
  readonly #path: string;
  readonly #book = new ResultBook();
  readonly #trader = new TraderState();
  readonly #subscription: Subscription;
  #facts: LedgerFacts = NO_LEDGER;
  #sweeps = 0;
  #hear: () => void = () => undefined;

  constructor({ control, ledger }: TraderConfig) {
    this.#path = ledger.path;
    this.#subscription = new Subscription(control.socket, {
      line: (line) => {
        this.#trader.onLine(line);
        // A sweep over all markets begins with the account, so the second one ends the first.
        if (line.type === 'frame' && line.account !== undefined) this.#sweeps++;
        if (this.#sweeps > 1) this.#hear();
      },
      onLost: (why) => {
        this.#trader.onLost(why);
        this.#hear();
      },
    });
  }

  /** Resolves when the trader has reported all its markets, or none runs, and the ledger was read. */
  async begin(): Promise<void> {
    const heard = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, HEAR_WITHIN_MS);
      this.#hear = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    await Promise.all([heard, this.look()]);
    while (this.#book.read < 1) await this.look();
  }

  /** Continues reading the ledger for some milliseconds. */
  async look(): Promise<void> {
    if (!existsSync(this.#path)) return;
    const { openReadOnly } = await import('../../trader/ledger/ledger.js');
    const ledger = openReadOnly(this.#path);
    try {
      this.#book.readOn(ledger, 1);
      this.#facts = readFacts(ledger);
    } finally {
      ledger.close();
    }
  }

  get head(): TopHead {
    const rows = makeRows(this.#trader, this.#facts, this.#book);
    const cashMicros = this.#trader.isCurrent
      ? (this.#trader.account?.cashMicros ?? this.#facts.cashMicros)
      : this.#facts.cashMicros;
    return { trader: this.#trader, cashMicros, rows, read: this.#book.read };
  }

  close(): void {
    this.#subscription.close();
  }
}

const NO_LEDGER: LedgerFacts = {
  titles: new Map(),
  holdings: new Map(),
  openOrders: new Map(),
  marks: new Map(),
  cashMicros: ZERO,
};

function writeOnce(source: TopSource, sort: SortBy, isJson: boolean, io: CliIo): void {
  const { head } = source;
  const look: TopLook = { sort, isReversed: false, from: 0 };
  if (isJson) return io.out(json(sortRows(head.rows, look).map(formatRow)));
  const { columns = FILE_COLUMNS } = io;
  const lines = [...drawHead(head, columns), '', ...drawTable(head.rows, look, columns, paintNothing)];
  io.out(`${lines.join('\n')}\n`);
}

const text = (value: number | null): string | null => (value === null ? null : formatDecimal(micros(value)));

/** The rows of `--json` are part of the public interface; null is unknown. */
const formatRow = (row: TopRow) => ({
  market: row.id,
  title: row.title,
  result: text(row.resultMicros),
  net: text(row.netMicros),
  orders: row.orders,
  spread: text(measureSpread(row)),
  bid: text(row.bidMicros),
  ask: text(row.askMicros),
  our_bid: text(row.ourBidMicros),
  our_ask: text(row.ourAskMicros),
  fills: row.fills,
  age_ms: row.ageMs === null ? null : Math.round(row.ageMs),
  state: row.state,
});

const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';

async function watch(source: TopSource, options: TopOptions, io: CliIo, terminal: CliTerminal): Promise<void> {
  let look: TopLook = { sort: options.sort, isReversed: false, from: 0 };
  // By https://no-color.org: set to any value.
  const paint = (io.env['NO_COLOR'] ?? '') === '' ? paintColours : paintNothing;
  const draw = () => {
    const lines = drawScreen(source.head, look, terminal.size(), paint);
    io.raw.out(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\r\n')}\u001b[J`);
  };
  io.raw.out(ENTER);
  try {
    await new Promise<void>((resolve, reject) => {
      const end = (error?: unknown) => {
        clearInterval(timer);
        close();
        if (error === undefined) resolve();
        else reject(error);
      };
      const attempt = (work: () => void) => {
        try {
          work();
        } catch (error) {
          end(error);
        }
      };
      const press = (key: string) => {
        const next = pressKey(look, key, source.head.rows.length);
        if (next === null) return end();
        look = next;
        draw();
      };
      const close = terminal.listen({ key: (key) => attempt(() => press(key)), resize: () => attempt(draw) });
      const timer = setInterval(() => source.look().then(draw).catch(end), options.every * 1000);
      void io.stopAsked().then(() => end());
      attempt(draw);
    });
  } finally {
    io.raw.out(LEAVE);
  }
}
