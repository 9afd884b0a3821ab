/** Spreads mass on a grid by a normal kernel. Mass stays within the grid. Only the constructor allocates memory. */

/** Kernels with a deviation above this many steps are approximated by three running means. */
const WIDE_STEPS = 12;
const KERNEL_SIGMAS = 4;
const KERNEL_REACH = KERNEL_SIGMAS * WIDE_STEPS + 10;
/** A kernel with a deviation of at most this many steps has only three points. */
const NARROW_STEPS = 0.8;
/** A kernel with a standard deviation below this many grid steps is not applied. */
const STILL_STEPS = 0.05;
/** The mass of a grid point below this value is dropped. */
const TINY = 1e-15;

export class Blur {
  readonly #last: number;
  readonly #scratch: Float64Array;
  readonly #kernel = new Float64Array(2 * KERNEL_REACH + 1);
  /** First grid point that may have mass after the newest call; `high` is the last one. */
  low = 0;
  high = 0;

  constructor(points: number) {
    this.#last = points - 1;
    this.#scratch = new Float64Array(points);
  }

  /** Spreads the mass from `low` to `high`. `steps`: the kernel's deviation, `drift`: its mean, in grid steps. */
  apply(values: Float64Array, low: number, high: number, steps: number, drift: number): void {
    [this.low, this.high] = [low, high];
    if (steps < STILL_STEPS) return;
    if (steps > WIDE_STEPS) {
      // Three running means of width w have the variance (w^2 - 1) / 4.
      const half = Math.min((this.#last + 1) >> 1, Math.max(1, Math.round((Math.sqrt(4 * steps * steps + 1) - 1) / 2)));
      for (let pass = 0; pass < 3; pass++) {
        this.low = Math.max(0, this.low - half);
        this.high = Math.min(this.#last, this.high + half);
        this.#runningMean(values, half);
      }
      this.#shift(values, Math.round(drift));
      return;
    }
    const reach =
      steps <= NARROW_STEPS
        ? this.#fillNarrowKernel(steps, drift)
        : this.#fillKernel(steps, drift, Math.min(KERNEL_REACH, Math.ceil(KERNEL_SIGMAS * steps + Math.abs(drift))));
    this.low = Math.max(0, low - reach);
    this.high = Math.min(this.#last, high + reach);
    const scratch = this.#scratch.fill(0, this.low, this.high + 1);
    for (let i = low; i <= high; i++) {
      const mass = values[i] ?? 0;
      if (mass < TINY) continue;
      if (i >= reach && i + reach <= this.#last) this.#spread(mass, i - reach, 2 * reach);
      else this.#spreadWithin(mass, i, reach);
    }
    for (let i = this.low; i <= this.high; i++) values[i] = scratch[i] ?? 0;
  }

  /** Adds a mass, weighted by the kernel's entries 0 to `last`, to the points from `from` on, all within the grid. */
  #spread(mass: number, from: number, last: number): void {
    const scratch = this.#scratch;
    const kernel = this.#kernel;
    for (let k = 0; k <= last; k++) scratch[from + k] = (scratch[from + k] ?? 0) + mass * (kernel[k] ?? 0);
  }

  /** Adds a mass around a point near an end of the grid. Mass that would leave the grid stays at its end. */
  #spreadWithin(mass: number, at: number, reach: number): void {
    const scratch = this.#scratch;
    for (let j = -reach; j <= reach; j++) {
      const to = Math.min(this.#last, Math.max(0, at + j));
      scratch[to] = (scratch[to] ?? 0) + mass * (this.#kernel[reach + j] ?? 0);
    }
  }

  /** Moves all mass by whole steps. */
  #shift(values: Float64Array, steps: number): void {
    if (steps === 0) return;
    const scratch = this.#scratch;
    const last = this.#last;
    scratch.fill(0);
    for (let i = this.low; i <= this.high; i++) {
      const to = Math.min(last, Math.max(0, i + steps));
      scratch[to] = (scratch[to] ?? 0) + (values[i] ?? 0);
    }
    values.set(scratch);
    this.low = Math.min(last, Math.max(0, this.low + steps));
    this.high = Math.min(last, Math.max(0, this.high + steps));
  }

  /** Fills a kernel of three points with sum 1 and exactly the required variance. Returns its half-width in steps. */
  #fillNarrowKernel(steps: number, drift: number): number {
    const side = (steps * steps) / 2;
    this.#kernel[0] = Math.max(0, side - drift / 2);
    this.#kernel[1] = 1 - 2 * side;
    this.#kernel[2] = Math.max(0, side + drift / 2);
    return 1;
  }

  #fillKernel(steps: number, drift: number, reach: number): number {
    const kernel = this.#kernel;
    let sum = 0;
    for (let j = -reach; j <= reach; j++) {
      const z = (j - drift) / steps;
      const value = Math.exp(-0.5 * z * z);
      kernel[reach + j] = value;
      sum += value;
    }
    for (let j = 0; j <= 2 * reach; j++) kernel[j] = (kernel[j] ?? 0) / sum;
    return reach;
  }

  /** Replaces values from `low` to `high` by their running means. Values outside the grid count as 0. */
  #runningMean(values: Float64Array, half: number): void {
    const scratch = this.#scratch;
    const [from, to, last] = [this.low, this.high, this.#last];
    const width = 2 * half + 1;
    let sum = 0;
    for (let i = Math.max(0, from - half); i < from + half && i <= last; i++) sum += values[i] ?? 0;
    for (let i = from; i <= to; i++) {
      if (i + half <= last) sum += values[i + half] ?? 0;
      scratch[i] = sum / width;
      if (i >= half) sum -= values[i - half] ?? 0;
    }
    for (let i = from; i <= to; i++) values[i] = scratch[i] ?? 0;
  }
}
