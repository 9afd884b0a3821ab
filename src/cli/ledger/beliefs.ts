/** `twinbook beliefs`: estimates and learned state of strategies by market, as last saved. */

import { utcText } from '../../shared/base/utc-text.js';
import type { StrategyStateRow } from '../../trader/ledger/contract.js';
import { command } from '../command.js';
import { marketMeant } from '../market-meant.js';
import { type Cell, record } from '../output/table.js';
import { readLedger } from './ledger-reading.js';

export const beliefsCommand = command({
  name: 'beliefs',
  help: 'what strategies believe of markets and have learned there, as they saved it last',
  args: [['[market]', 'only this market: the beginning of its id, or words of its title']],
  config: 'trader',
  answer: async ({ config, args: [market], isJson, io }) => {
    const rows = await readLedger(config, io, (ledger) => {
      const meant = marketMeant(market, ledger, isJson ? null : io);
      const states = ledger.strategyStates().filter(({ marketConditionId: id }) => meant === undefined || id === meant);
      return states.map((state) => beliefRow(state, ledger.market(state.marketConditionId)?.title ?? ''));
    });
    return { data: rows, text: (width) => rows.map((row) => formatBlock(row, width)).join('\n') || '(none)\n' };
  },
});

/** The rows of `--json` are part of the public interface. */
const beliefRow = ({ strategy, marketConditionId, version, text, savedMs }: StrategyStateRow, title: string) => ({
  market_condition_id: marketConditionId,
  title,
  strategy,
  version,
  saved: savedMs,
  shown: shownIn(text),
});

/** Figures and texts under `shown`; the rest of the state is private. */
function shownIn(text: string): Readonly<Record<string, Cell>> {
  const shown: Record<string, Cell> = {};
  for (const [name, value] of Object.entries(Object(Object(parseJson(text)).shown)))
    if (value === null || typeof value === 'number' || typeof value === 'string') shown[name] = value;
  return shown;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function formatBlock(row: ReturnType<typeof beliefRow>, width: number | undefined): string {
  const { title, market_condition_id: id, strategy, saved, shown } = row;
  const figures = Object.entries(shown).map(([name, value]) => [name, roundCell(value)] as const);
  const head: readonly (readonly [string, Cell])[] = [
    ['market', title === '' ? id : title],
    ['strategy', strategy],
    ['saved', utcText(saved)],
  ];
  return record([...head, ...figures], width);
}

/** Six digits are enough for a person. */
const roundCell = (value: Cell): Cell => (typeof value === 'number' ? Number(value.toPrecision(6)) : value);
