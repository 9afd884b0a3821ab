/** `twinbook doctor --fees MARKET`: finds the base of the fees in a market's public trades. */

import type { FeeSchedule } from '../../shared/base/fees.js';
import type { Config } from '../../shell/config/types.js';
import { FEE_ROWS, type FeeReading, feeContradiction, readFees } from '../../trader/market/fee-fit.js';
import { EXIT, type ExitCode } from '../output/exit.js';
import type { CliIo } from '../output/io.js';
import { type Column, json, prose, table } from '../output/table.js';
import { requireAnswer, withClient } from '../venue-session.js';

/** Fails when the trades contradict the declared schedule. Needs no key. */
export async function showFees(market: string, config: Config, asJson: boolean, io: CliIo): Promise<ExitCode> {
  const declared = config.venue.profile.fee_schedule ?? 'notional';
  const input = { params: { condition_id: market }, query: { limit: FEE_ROWS } };
  const answer = await withClient(config, { controls: true }, (client) => client.call('markets.trades', input));
  const reading = readFees(requireAnswer(answer, `the trades of ${market}`));
  const contradiction = feeContradiction(reading, declared);
  io.out(
    asJson ? json({ declared, ...reading, contradiction }) : reportText(reading, declared, contradiction, io.columns),
  );
  return contradiction === null ? EXIT.ok : EXIT.failed;
}

function reportText(
  { trades, fits, verdict }: FeeReading,
  declared: FeeSchedule,
  contradiction: string | null,
  width?: number,
): string {
  const rate = (value: number | null) => (value === null ? 'none' : value.toFixed(6));
  const said = {
    free: 'nobody paid a fee: any schedule fits',
    seen: `the fees are ${verdict.kind === 'seen' ? verdict.schedule : ''}`,
    undecided: `undecided: ${verdict.kind === 'undecided' ? verdict.reason : ''}`,
  }[verdict.kind];
  const end = contradiction === null ? `fee_schedule: ${declared} is not contradicted` : `wrong: ${contradiction}`;
  const columns: readonly Column<FeeReading['fits'][number]>[] = [
    { title: 'schedule', cell: ({ schedule }) => schedule },
    { title: 'taker', cell: ({ takerRate }) => rate(takerRate) },
    { title: 'maker', cell: ({ makerRate }) => rate(makerRate) },
    { title: 'furthest', cell: ({ residual }) => residual.toFixed(6) },
    { title: 'possible', cell: ({ isPossible }) => (isPossible ? 'yes' : 'no') },
  ];
  return `${trades} settled trades\n${table(fits, columns, width)}${prose(`${said}\n${end}`, width, '  ')}\n`;
}
