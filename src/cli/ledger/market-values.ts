/** `twinbook markets --value`: what quoting each market is worth to the running trader. */

import type { TraderConfig } from '../../shell/config/load.js';
import { askTrader } from '../../shell/control/control-client.js';
import type { StatusMarket, StatusValue } from '../../shell/control/control-protocol.js';
import type { Answer } from '../answer.js';
import type { CliIo } from '../output/io.js';
import { type Column, short, table } from '../output/table.js';

const ANSWERS_WITHIN_MS = 5_000;

type ValuedMarket = StatusMarket & { readonly value: StatusValue | null };

/** The most valuable first, those of unknown value last. Throws `not_running` without a trader: only it knows its budgets. */
export async function showMarketValues(
  { control: { socket } }: TraderConfig,
  limit: number | undefined,
  io: CliIo,
): Promise<Answer> {
  const { markets } = await askTrader({ command: 'status' }, { socket, timeoutMs: ANSWERS_WITHIN_MS });
  const rows = rankByValue(markets).slice(0, limit ?? markets.length);
  if (rows.length > 0 && rows.every(({ value }) => value === null)) io.err(NOTHING_VALUED);
  return { data: rows.map(valueRow), text: table(rows, COLUMNS, io.columns) };
}

const NOTHING_VALUED = 'no market is valued yet: a running trader does that once a minute\n';

export function rankByValue(markets: readonly StatusMarket[]): readonly ValuedMarket[] {
  const net = ({ value }: ValuedMarket) => value?.net ?? Number.NEGATIVE_INFINITY;
  const valued = markets.map((market) => ({ ...market, value: market.value ?? null }));
  return valued.sort((a, b) => (net(a) === net(b) ? 0 : net(b) - net(a)));
}

const valueRow = ({ market_condition_id: id, title, strategy, state, value }: ValuedMarket) => ({
  market_condition_id: id,
  title,
  strategy,
  state,
  value,
});

const hourly = (pick: (value: StatusValue) => number) => ({
  cell: ({ value }: ValuedMarket) => (value === null ? '' : pick(value).toFixed(3)),
  right: true,
});

/** Columns that end in /H are currency an hour; costs are below zero. */
const COLUMNS: readonly Column<ValuedMarket>[] = [
  { title: 'MARKET', cell: (row) => short(row.market_condition_id), keep: 2 },
  { title: 'NET/H', ...hourly(({ net }) => net) },
  { title: 'FILLS/H', ...hourly(({ edge }) => edge) },
  { title: 'STALE/H', ...hourly(({ stale }) => -stale), keep: 7 },
  { title: 'LOOKS/H', ...hourly(({ looks }) => -looks), keep: 6 },
  { title: 'REQUESTS/H', ...hourly(({ moves, fills, reserve }) => -(moves + fills + reserve)), keep: 8 },
  { title: 'CURRENCY/H', ...hourly(({ currency }) => -currency), keep: 5 },
  {
    title: 'LOOK EVERY',
    cell: ({ value }) => (value === null ? '' : `${value.look_every_s.toFixed(0)} s`),
    right: true,
    keep: 4,
  },
  { title: 'TITLE', cell: (row) => row.title, gives: 'cut' },
  { title: 'STATE', cell: (row) => row.state, gives: 'cut', keep: 3 },
];
