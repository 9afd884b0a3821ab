/** Formats figures for people, in the same way on the page, in warnings and in the terminal; not for computations. */

const ONE = 1_000_000;

export const UNKNOWN = '–';

const MINUS = '−';

/** Formats `1234567.5` as `1,234,567.50`: rounded half away from zero to the given places, with a real minus sign. */
export function decimal(value: number, places: number): string {
  const size = Math.abs(value).toFixed(places);
  const [whole = '', fraction] = size.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  const isZero = Number(size) === 0;
  return `${value < 0 && !isZero ? MINUS : ''}${grouped}${fraction === undefined ? '' : `.${fraction}`}`;
}

const orUnknown = <T>(value: T | null, text: (known: T) => string): string => (value === null ? UNKNOWN : text(value));

export const formatMoney = (micros: number | null): string => orUnknown(micros, (known) => decimal(known / ONE, 2));

/** Formats currency with a plus sign for a gain, for example `+12.30`. */
export const formatGain = (micros: number | null): string =>
  orUnknown(micros, (known) => `${known >= ONE / 200 ? '+' : ''}${formatMoney(known)}`);

export const formatInterval = (interval: readonly [low: number, high: number] | null): string =>
  orUnknown(interval, ([low, high]) => `${formatGain(low)} … ${formatGain(high)}`);

/** Formats currency with all six places (like `+12.345678`), for figures that readers may add up. */
export function exactGain(micros: number): string {
  const size = Math.abs(micros);
  const whole = Math.floor(size / ONE);
  const sign = micros > 0 ? '+' : micros < 0 ? MINUS : '';
  return `${sign}${decimal(whole, 0)}.${String(size - whole * ONE).padStart(6, '0')}`;
}

/** Formats shares: as a whole number from 100 on, else with two places. */
export const formatShares = (micros: number | null): string =>
  orUnknown(micros, (known) => decimal(known / ONE, Math.abs(known) >= 100 * ONE || known % ONE === 0 ? 0 : 2));

/** Formats a price per share in cents of the currency, for example `0.42`. */
export const cents = (micros: number | null): string => orUnknown(micros, (known) => decimal(known / 10_000, 2));

export const signedCents = (micros: number | null): string =>
  orUnknown(micros, (known) => `${known >= 50 ? '+' : ''}${cents(known)}`);

export const formatPercent = (part: number | null, places = 1): string =>
  orUnknown(part, (known) => `${decimal(known * 100, places)} %`);

export const count = (value: number | null): string => orUnknown(value, (known) => decimal(known, 0));

export const ratio = (value: number | null): string => orUnknown(value, (known) => decimal(known, 2));

const UNITS = Object.entries({ d: 86_400_000, h: 3_600_000, min: 60_000, s: 1_000 });

/** Formats a duration with at most two units, for example `2 d 3 h`, `4 min 12 s`, `1.5 s` or `250 ms`. */
export const formatDuration = (ms: number | null): string =>
  orUnknown(ms, (known) => {
    if (known < 1_000) return `${decimal(known, 0)} ms`;
    if (known < 10_000) return `${decimal(known / 1_000, 1)} s`;
    const rounded = Math.round(known / 1_000) * 1_000;
    const first = UNITS.findIndex(([, size]) => rounded >= size);
    let left = rounded;
    const parts: string[] = [];
    for (const [name, size] of UNITS.slice(first, first + 2)) {
      const whole = Math.floor(left / size);
      left -= whole * size;
      if (whole > 0) parts.push(`${whole} ${name}`);
    }
    return parts.join(' ');
  });

/** Formats a number with its noun, for example `1 market` or `2 markets`. */
export const formatQuantity = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;
