/** `twinbook markets --value`: what quoting each market is worth to the running trader. */

import { askTrader } from '../../shell/control/control-client.js';
import { type Answer, type Call, rowsAnswer } from '../command.js';
import { type Column, short } from '../output/table.js';
import { makeMarket, type StatusMarket, type StatusValue } from './status-rows.js';

const ANSWERS_WITHIN_MS = 5_000;

/** The most valuable first, those of unknown value last. Throws `not_running` without a trader: only it knows its budgets. */
export async function showMarketValues({ config, io }: Call, limit: number | undefined): Promise<Answer> {
  const { socket } = config.control;
  const { markets } = await askTrader({ command: 'status' }, { socket, timeoutMs: ANSWERS_WITHIN_MS });
  const rows = rankByValue(markets.map(makeMarket)).slice(0, limit ?? markets.length);
  if (rows.length > 0 && rows.every(({ value }) => value === null)) io.err(NOTHING_VALUED);
  return rowsAnswer(rows, COLUMNS, rows.map(valueRow));
}

const NOTHING_VALUED = 'no market is valued yet: a running trader does that once a minute\n';

export function rankByValue(markets: readonly StatusMarket[]): readonly StatusMarket[] {
  const net = ({ value }: StatusMarket) => value?.net ?? Number.NEGATIVE_INFINITY;
  return [...markets].sort((a, b) => (net(a) === net(b) ? 0 : net(b) - net(a)));
}

const valueRow = ({ market_condition_id: id, title, strategy, state, value }: StatusMarket) => ({
  market_condition_id: id,
  title,
  strategy,
  state,
  value,
});

const hourly = (pick: (value: StatusValue) => number) => ({
  cell: ({ value }: StatusMarket) => (value === null ? '' : pick(value).toFixed(3)),
  right: true,
});

/** Columns that end in /H are currency an hour; costs are below zero. */
const COLUMNS: readonly Column<StatusMarket>[] = [
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
