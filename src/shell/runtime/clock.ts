/** The daemon's only wall clock, Unix ms. */
export const nowMs = (): number => Date.now();

/** The daemon's only clock for intervals, ms from an arbitrary start, unaffected by changes of the wall clock. */
export const steadyMs = (): number => performance.now();

/** Formats a duration as hours, minutes and seconds: `01:02:03`. The duration is never shown as negative. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}
