/** `twinbook beliefs`: what strategies believe of markets and have learned there, as they saved it last. */

import type { Command } from 'commander';
import { utcText } from '../../shared/base/utc-text.js';
import type { StrategyStateRow } from '../../trader/ledger/contract.js';
import { addAnswer } from '../answer.js';
import { marketMeant } from '../market-meant.js';
import type { Session } from '../output/io.js';
import { type Cell, record } from '../output/table.js';
import { readLedger } from './ledger-reading.js';

export function addBeliefsCommand(program: Command, session: Session): void {
  const command = program
    .command('beliefs')
    .description('what strategies believe of markets and have learned there, as they saved it last')
    .argument('[market]', 'only this market: the beginning of its id, or words of its title');
  addAnswer(command, session, async ({ json: asJson }, config, [market]) => {
    const rows = await readLedger(config, session.io, (ledger) => {
      const meant = marketMeant(market, ledger, asJson === true ? null : session.io);
      const states = ledger.strategyStates().filter(({ marketConditionId: id }) => meant === undefined || id === meant);
      return states.map((state) => beliefRow(state, ledger.market(state.marketConditionId)?.title ?? ''));
    });
    const blocks = rows.map((row) => formatBlock(row, session.io.columns));
    return { data: rows, text: blocks.join('\n') || '(none)\n' };
  });
}

/** The rows of `--json` are part of the program's surface. */
const beliefRow = ({ strategy, marketConditionId, version, text, savedMs }: StrategyStateRow, title: string) => ({
  market_condition_id: marketConditionId,
  title,
  strategy,
  version,
  saved: savedMs,
  shown: shownIn(text),
});

/** Figures and texts under `shown`; what else a strategy keeps is its own business. */
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

/** Six digits tell a person enough. */
const roundCell = (value: Cell): Cell => (typeof value === 'number' ? Number(value.toPrecision(6)) : value);
