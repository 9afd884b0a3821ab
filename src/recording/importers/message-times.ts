/** Times of messages: seconds, ms, µs or ns since 1970, or ISO 8601. */

/** No recordings exist before 2000 or after 2100. */
export const EARLIEST_MS = 946_684_800_000;
export const LATEST_MS = 4_102_444_800_000;

/** Numbers below the first bound are seconds, below the second ms, below the third µs. */
const BOUNDS = [1e11, 1e14, 1e17] as const;

/** Unix ms as SQL, a double; null for a text without a time. `text` is a column, `number` its text as a double. */
export const timeSql = (text: string, number: string): string => `(CASE
    WHEN ${number} IS NULL THEN epoch_ms(try_cast(${text} AS TIMESTAMPTZ))::DOUBLE ELSE ${numberTimeSql(number)} END)`;

export const numberTimeSql = (number: string): string => `floor(CASE
    WHEN ${number} < ${BOUNDS[0]} THEN round(${number} * 1000) WHEN ${number} < ${BOUNDS[1]} THEN ${number}
    WHEN ${number} < ${BOUNDS[2]} THEN ${number} / 1000 ELSE round(${number} / 1000) / 1000 END)`;

/** Whether it is known only to the second, as SQL. */
export const isCoarseSql = (number: string): string =>
  `coalesce(${number} < ${BOUNDS[0]} AND ${number} % 1 = 0, false)`;

/** Unix ms; null for a value without a time between 2000 and 2100. */
export function parseTime(value: unknown): number | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const number = value === '' ? Number.NaN : Number(value);
  const ms = Math.floor(Number.isNaN(number) ? parseMoment(String(value)) : toMs(number));
  return ms >= EARLIEST_MS && ms <= LATEST_MS ? ms : null;
}

/** A time without a zone is UTC. */
const parseMoment = (text: string): number =>
  Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text.replace(' ', 'T')}Z`);

function toMs(number: number): number {
  if (number < BOUNDS[0]) return Math.round(number * 1000);
  if (number < BOUNDS[1]) return number;
  // A double holds nanoseconds to a quarter of a microsecond.
  return number < BOUNDS[2] ? number / 1000 : Math.round(number / 1000) / 1000;
}
