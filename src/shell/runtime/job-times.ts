/** Finds the scheduled times of a cron expression by reading the clock, without timers. */

import { createTask, parse } from 'node-cron';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOURS = 24;

/** Maximum age at which a missed job still runs after a pause of the program, ms; enough for a monthly job. */
const LONGEST_LOOK_BACK_MS = 32 * 24 * 60 * MINUTE_MS;
/** If the clock is set back by more than this time, ms, passed jobs run again; after a smaller step no job repeats. */
const SET_BACK_MS = MINUTE_MS;

/** Converts a time to this machine's local time, expressed as Unix ms as if it were UTC. */
const toMachineLocal = (timeMs: number): number => timeMs - new Date(timeMs).getTimezoneOffset() * MINUTE_MS;

/** Scheduled times: in real time if the cron expression names all hours, else in local time without repeated hours. */
export class JobTimes {
  readonly #fields: CronFields;
  /** Seconds within a minute that the cron expression names, in ms, in descending order. */
  readonly #secondsMs: readonly number[];
  readonly #isEveryHour: boolean;
  readonly #toLocal: (timeMs: number) => number;
  /** Wall clock at the last call of `findPassed`, ms. */
  #lookedMs: number;
  /** Time of the last call of `findPassed`, ms, in real or local time as the expression requires. */
  #position: number;

  /** Times up to `nowMs` count as passed. The configuration's schema has already checked the expression. */
  constructor(expression: string, nowMs: number, toLocal = toMachineLocal) {
    this.#toLocal = toLocal;
    this.#fields = parse(expression);
    this.#secondsMs = this.#fields.second.map((second) => second * SECOND_MS).sort((a, b) => b - a);
    this.#isEveryHour = this.#fields.hour.length === HOURS;
    this.#lookedMs = nowMs;
    this.#position = this.#toPosition(nowMs);
  }

  /** Returns the age of the newest scheduled time since the last call, ms; null if no scheduled time passed. */
  findPassed(nowMs: number): number | null {
    const sinceLookMs = nowMs - this.#lookedMs;
    this.#lookedMs = nowMs;
    const position = this.#toPosition(nowMs);
    // Real time is compared, because local time also falls back when summer time ends.
    if (sinceLookMs < -SET_BACK_MS) this.#position = position;
    if (position <= this.#position) return null;
    const found = this.#findNewest(Math.max(this.#position, position - LONGEST_LOOK_BACK_MS), position);
    this.#position = position;
    // When the clocks skip an hour, a time in that hour seems older than it is, so real time limits its age.
    return found === null ? null : Math.min(position - found, Math.max(0, sinceLookMs));
  }

  #toPosition(nowMs: number): number {
    return this.#isEveryHour ? nowMs : this.#toLocal(nowMs);
  }

  /** Returns the newest scheduled time after `fromMs` and up to `toMs`; null if there is none. */
  #findNewest(fromMs: number, toMs: number): number | null {
    for (let minuteMs = toMs - (toMs % MINUTE_MS); minuteMs + MINUTE_MS > fromMs; minuteMs -= MINUTE_MS) {
      const secondMs = this.#secondsMs.find((ms) => minuteMs + ms <= toMs);
      if (secondMs === undefined) continue;
      const timeMs = minuteMs + secondMs;
      if (timeMs <= fromMs) return null;
      if (isNamed(this.#fields, this.#isEveryHour ? this.#toLocal(timeMs) : timeMs)) return timeMs;
    }
    return null;
  }
}

type CronFields = ReturnType<typeof parse>;

/** Returns whether minute, hour and day of a local time match the cron expression; its seconds are not compared. */
function isNamed({ minute, hour, dayOfMonth, month, dayOfWeek }: CronFields, localMs: number): boolean {
  const at = new Date(localMs);
  return (
    minute.includes(at.getUTCMinutes()) &&
    hour.includes(at.getUTCHours()) &&
    dayOfMonth.includes(at.getUTCDate()) &&
    month.includes(at.getUTCMonth() + 1) &&
    dayOfWeek.includes(at.getUTCDay())
  );
}

/** Number of future times that are compared; enough to include nights and weekends of a working-hours schedule. */
const RUNS = 60;

/** Returns the longest pause between the next times of a cron expression, ms; null for fewer than two times. */
export function findLongestPauseMs(schedule: string): number | null {
  const task = createTask(schedule, () => undefined);
  const runsMs = task.getNextRuns(RUNS).map((run) => run.getTime());
  void task.destroy();
  const pausesMs = runsMs.slice(1).map((runMs, i) => runMs - (runsMs[i] ?? runMs));
  return pausesMs.length === 0 ? null : Math.max(...pausesMs);
}

export interface ScheduledStrategy {
  readonly name: string;
  /** Cron expression that matches the seconds in which the strategy quotes; null if it always quotes. */
  readonly quoteHours: string | null;
}

/** Times at which each strategy may quote. The daemon uses the real clock, a backtest a virtual clock. */
export class QuoteHours {
  readonly #watched: readonly { readonly name: string; readonly fields: CronFields; open: boolean | null }[];
  /** Second of the schedule's last read, ms; the schedule is constant within a second. */
  #secondMs = Number.NEGATIVE_INFINITY;

  constructor(strategies: readonly ScheduledStrategy[]) {
    this.#watched = strategies.flatMap(({ name, quoteHours }) =>
      quoteHours === null ? [] : [{ name, fields: parse(quoteHours), open: null }],
    );
  }

  /** Earliest time at which `changes` can find a change, ms, by the caller's clock; Infinity without a schedule. */
  get nextLookMs(): number {
    return this.#watched.length === 0 ? Number.POSITIVE_INFINITY : this.#secondMs + SECOND_MS;
  }

  /** Returns which strategies' quote hours began or ended since the last call, also after the clock was set back. */
  changes(nowMs: number): readonly { readonly strategy: string; readonly open: boolean }[] {
    const secondMs = Math.floor(nowMs / SECOND_MS) * SECOND_MS;
    if (this.#watched.length === 0 || secondMs === this.#secondMs) return [];
    this.#secondMs = secondMs;
    const localMs = toMachineLocal(nowMs);
    const second = new Date(localMs).getUTCSeconds();
    return this.#watched.flatMap((watched) => {
      const open = watched.fields.second.includes(second) && isNamed(watched.fields, localMs);
      if (open === watched.open) return [];
      watched.open = open;
      return [{ strategy: watched.name, open }];
    });
  }
}
