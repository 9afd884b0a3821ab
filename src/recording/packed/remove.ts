/** Removes folders of markets' days that a packed day holds whole. */

import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { conditionIdIn, parseDay } from '../store/day-folder.js';
import { dayFolders, isPackedDay, marketFolders } from '../store/folders.js';
import { NO_MARKET } from '../store/layout.js';
import { eventsFiles } from '../store/manifest.js';
import { sha256 } from '../store/sha256.js';
import { holdsAll } from './news.js';
import { findHindrance, readSourceDay, type SourceDay } from './plan.js';
import { openPackedDay, type PackedDay } from './read-day.js';

const DAY_MS = 86_400_000;
export const GONE = '.gone-';
/** An outcome that is learnt is written to the market's newest day; nobody waits longer for it. */
const OUTCOME_DAYS = 30;

/**
 * Removes from `from` what is packed in `out`; a market's newest day stays until the market has ended and its outcome is
 * known, or thirty days have passed. Throws TwinbookError `recording_invalid` for a packed file with another checksum; then
 * nothing of that day is removed.
 */
export async function removePacked(
  from: string,
  out: string,
  nowMs: number,
  report: { removed: number; readonly left: string[] },
): Promise<void> {
  const sound = new Map<string, PackedDay | null>();
  for (const market of marketFolders(from)) {
    removeRests(market);
    const days = dayFolders(market);
    for (const day of days) {
      const date = parseDay(day);
      if (!sound.has(date)) sound.set(date, await openSound(join(out, `date=${date}`)));
      const packed = sound.get(date)?.markets.get(conditionIdIn(day));
      if (packed === undefined || findHindrance(day) !== null) continue;
      const source = readSourceDay(day);
      if (!holdsAll(packed, source)) continue;
      if (day === days.at(-1) && mayGoOn(source, nowMs)) {
        report.left.push(`${day} is packed and stays until its market has ended and its outcome is known`);
        continue;
      }
      // In one step: half a day would be damage.
      const gone = join(market, `${GONE}${basename(day)}`);
      renameSync(day, gone);
      rmSync(gone, { recursive: true, force: true });
      report.removed += 1;
    }
    if (readdirSync(market).length === 0) rmSync(market, { recursive: true, force: true });
  }
}

/** Null where that day is not packed. */
async function openSound(folder: string): Promise<PackedDay | null> {
  if (!existsSync(folder) || !isPackedDay(folder)) return null;
  const day = await openPackedDay(folder);
  for (const file of day.manifest.files) {
    const sum = await sha256(join(folder, file.name));
    if (sum === file.sha256) continue;
    const message = `${join(folder, file.name)} has the checksum ${sum}, its manifest says ${file.sha256}`;
    throw new TwinbookError(
      'recording_invalid',
      message,
      'Nothing of that day was removed: remove the packed day and pack it again.',
    );
  }
  return day;
}

/** Whether more may be recorded of the market, or learnt of it. */
export function mayGoOn({ market, manifest, description }: SourceDay, nowMs: number): boolean {
  if (market === NO_MARKET) return false;
  const last = eventsFiles(manifest).at(-1);
  const hasEnded = last === undefined ? manifest.packed?.ended === true : (last.kinds.end ?? 0) > 0;
  const isOld = nowMs - Date.parse(manifest.date) > (OUTCOME_DAYS + 1) * DAY_MS;
  const isResolved = description !== null && JSON.parse(description).outcome !== null;
  return !hasEnded || !(isResolved || isOld);
}

/** Of a process that died between the two steps of removing a day. */
function removeRests(market: string): void {
  for (const name of readdirSync(market)) {
    if (name.startsWith(GONE)) rmSync(join(market, name), { recursive: true, force: true });
  }
}
