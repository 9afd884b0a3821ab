/** A person has seen alerts: they are not told again until they are over. What they say holds all the same. */

import { nowMs } from '../runtime/clock.js';
import type { AlertStore } from './store/alert-store.js';
import type { Watch } from './watch.js';

export interface Acknowledged {
  readonly isDone: boolean;
  /** For a person. */
  readonly text: string;
}

interface Told {
  readonly watch: Pick<Watch, 'open'>;
  readonly alerts: Pick<AlertStore, 'acknowledge'>;
}

/** @param about the kind of one; null for all that are open */
export function acknowledge({ watch, alerts }: Told, about: string | null): Acknowledged {
  const open = watch.open.filter(({ kind }) => about === null || kind === about);
  if (open.length === 0) return { isDone: false, text: about === null ? 'no alert is open' : 'no such alert is open' };
  const timeMs = nowMs();
  const kept = open.filter(({ kind, sinceMs }) => alerts.acknowledge({ kind, sinceMs, timeMs }));
  if (kept.length < open.length)
    return { isDone: false, text: 'it cannot be kept that they were seen; the log of the console says why' };
  return { isDone: true, text: `not told again until over: ${open.map(({ kind }) => kind).join(', ')}` };
}
