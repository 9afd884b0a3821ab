/** `twinbook data calibrate`: which fill model fills as real orders were filled. */

import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Calibration } from '../../lab/calibrate/calibration.js';
import { CALIBRATION_FILE, calibrationText } from '../../lab/calibrate/calibration-file.js';
import { count, decimal, formatPercent, formatQuantity, formatShares } from '../../lab/report/figures.js';
import { ProgressLine } from '../lab/progress.js';
import { EXIT } from '../output/exit.js';
import { addAction, addJsonOption, type Session } from '../output/io.js';
import { type Column, json, prose, table } from '../output/table.js';
import { requireWritable, writeWhole } from '../output/whole-file.js';
import { resolveData } from './paths.js';

interface CalibrateFlags {
  readonly out: string;
  readonly json?: true;
}

export function addCalibrate(data: Command, session: Session): void {
  const command = data
    .command('calibrate')
    .description('follows real orders by their sizes and says which fill model fills as they were filled')
    .argument('<paths...>', 'recordings that hold every change of every level, such as those of Kalshi')
    .option('--out <file>', 'what backtest --fill-model calibrated reads', CALIBRATION_FILE);
  addJsonOption(command);
  addAction<CalibrateFlags>(command, session, async (flags, paths) => {
    const { io } = session;
    requireWritable(resolve(io.cwd, flags.out));
    const { openRecordings } = await import('../../recording/recording.js');
    const { calibrate } = await import('../../lab/calibrate/calibration.js');
    const recordings = await openRecordings(resolveData(paths, io));
    const line = new ProgressLine(io, flags.json === true);
    const found = await calibrate(recordings, (done, ticker) => line.show(done / recordings.length, ticker)).finally(
      () => line.end(),
    );
    writeWhole(resolve(io.cwd, flags.out), calibrationText(found));
    io.out(flags.json === true ? json(found) : calibrationTable(found, flags.out, io.columns));
    return EXIT.ok;
  });
}

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
