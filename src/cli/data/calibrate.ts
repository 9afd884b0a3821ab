/** `twinbook data calibrate`: finds the fill model closest to the fills of real orders. */

import { resolve } from 'node:path';
import type { Calibration } from '../../lab/calibrate/calibration.js';
import { CALIBRATION_FILE, calibrationText } from '../../lab/calibrate/calibration-file.js';
import { count, decimal, formatPercent, formatQuantity, formatShares } from '../../lab/report/figures.js';
import { resolveData } from '../arguments.js';
import { command, usual } from '../command.js';
import { ProgressLine } from '../lab/progress.js';
import { type Column, prose, table } from '../output/table.js';
import { requireWritable, writeWhole } from '../output/whole-file.js';

export const calibrateCommand = command({
  name: 'calibrate',
  help: 'follows real orders by their sizes and says which fill model fills as they were filled',
  args: [['<paths...>', 'recordings that hold every change of every level, such as those of Kalshi']],
  options: { out: usual('--out <file>', 'what backtest --fill-model calibrated reads', CALIBRATION_FILE, String) },
  answer: async ({ options: { out }, args: paths, isJson, io }) => {
    requireWritable(resolve(io.cwd, out));
    const { openRecordings } = await import('../../recording/recording.js');
    const { calibrate } = await import('../../lab/calibrate/calibration.js');
    const recordings = await openRecordings(resolveData(paths, io));
    const line = new ProgressLine(io, isJson);
    const progress = (done: number, ticker: string) => line.show(done / recordings.length, ticker);
    const found = await calibrate(recordings, progress).finally(() => line.end());
    writeWhole(resolve(io.cwd, out), calibrationText(found));
    return { data: found, text: (width) => calibrationTable(found, out, width) };
  },
});

function calibrationTable(found: Calibration, out: string, width?: number): string {
  const { filledOrders, filledMicros, cancelledOrders, cancelledMicros, leftOut, priority, fits, best } = found;
  const columns: readonly Column<Calibration['fits'][number]>[] = [
    { title: 'MODEL', cell: ({ model }) => model },
    { title: 'OF FILLED', cell: ({ filledShare }) => formatPercent(filledShare), right: true },
    { title: 'OF CANCELLED', cell: ({ cancelledShare }) => formatPercent(cancelledShare, 2), right: true },
    { title: 'MODEL / REALLY', cell: ({ ratio }) => decimal(ratio, 2), right: true },
  ];
  const followed = `${formatQuantity(filledOrders, 'order')} really filled (${formatShares(filledMicros)} shares), ${formatQuantity(cancelledOrders, 'order')} cancelled (${formatShares(cancelledMicros)})`;
  const left = leftOut === 0 ? '' : `; ${leftOut} taken for cancelled were none and are left out`;
  const said =
    best === null
      ? 'Too few were filled to choose a model.'
      : `Nearest to what really happened: ${best}. Written to ${out}: --fill-model calibrated takes it from there.`;
  const trust = `Of ${formatQuantity(priority.orders, 'filled order')} behind another that is followed, ${count(priority.broken)} were filled before it had gone, which no exchange does: so many are not what they seem.`;
  const say = (text: string) => `${prose(text, width, '  ')}\n`;
  return `${say(`${followed}${left}`)}${table(fits, columns, width)}${say(trust)}${say(said)}`;
}
