/** The one wall clock of the daemon, ms since 1970. */
export const nowMs = (): number => Date.now();

/** The one clock for intervals, ms from an arbitrary start: setting the wall clock does not move it. */
export const steadyMs = (): number => performance.now();

/** A duration in hours, minutes and seconds: `01:02:03`. Never negative. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}
