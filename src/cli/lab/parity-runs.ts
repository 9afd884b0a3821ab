/** The table of `twinbook parity` for several runs. */

import type { ErrorBand, RunsParity } from '../../lab/parity/over-runs.js';
import { formatGain, formatPercent, formatQuantity } from '../../lab/report/figures.js';
import { type Column, prose, table } from '../output/table.js';

const share = (value: number | null): string => `${value !== null && value > 0 ? '+' : ''}${formatPercent(value)}`;

const formatFigure = ({ unit }: ErrorBand, value: number | null): string =>
  unit === 'share' ? share(value) : formatGain(value);

const formatUnsigned = (band: ErrorBand, value: number | null): string => formatFigure(band, value).replace('+', '');

/**
 * How far each model is off, over all runs.
 * @param width of the terminal; left out for a file
 */
export function runsText({ runs, filledRuns, heldRuns, bands }: RunsParity, width?: number): string {
  const columns: readonly Column<ErrorBand>[] = [
    { title: 'BACKTEST MINUS LIVE', cell: ({ figure }) => figure, gives: 'cut' },
    { title: 'MODEL', cell: ({ model }) => model },
    { title: 'RUNS', cell: (band) => band.runs, right: true, keep: 40 },
    { title: 'MEAN', cell: (band) => formatFigure(band, band.mean), right: true },
    { title: 'DEVIATION', cell: (band) => formatUnsigned(band, band.deviation), right: true, keep: 70 },
    { title: 'LOWEST', cell: (band) => formatFigure(band, band.lowest), right: true, keep: 60 },
    { title: 'HIGHEST', cell: (band) => formatFigure(band, band.highest), right: true, keep: 60 },
    { title: 'ALL RUNS AS ONE', cell: (band) => formatFigure(band, band.pooled), right: true, keep: 80 },
  ];
  const held =
    filledRuns === 0
      ? 'Nothing was filled live in any of them, so there is nothing to be off from.'
      : `In ${heldRuns} of the ${formatQuantity(filledRuns, 'run')} with fills the live ones lie within the band of the models.`;
  return `\n${formatQuantity(runs, 'run')} together\n${table(bands, columns, width)}${prose(held, width)}\n`;
}
