/** Somebody who only wants to ask now and then while others overload the service. Lives in an idle process. */

import { passed } from './jobs.js';
import { plain } from './trader.js';
import { Wire } from './wire.js';

/** What a call may take once all is well, ms. */
const CALM_MS = 25;
/** Calls in a row that make a recovery. */
const CALM_CALLS = 3;

export class Bystander {
  readonly #wire: Wire;

  private constructor(wire: Wire) {
    this.#wire = wire;
  }

  static async of(port: number): Promise<Bystander> {
    return new Bystander(await Wire.open(port));
  }

  /** What his calls take, one after the other and 20 ms apart, until told to stop: ms, sorted. */
  async watch(isOver: () => boolean): Promise<readonly number[]> {
    const times: number[] = [];
    while (!isOver()) {
      times.push(await this.#call());
      await passed(20);
    }
    return times.sort((a, b) => a - b);
  }

  /** From now to the first of three calls in a row that are quick, ms. */
  async untilCalm(): Promise<number> {
    const startMs = performance.now();
    let calmSinceMs = startMs;
    for (let calm = 0; calm < CALM_CALLS; ) {
      const beganMs = performance.now();
      const isCalm = (await this.#call()) < CALM_MS;
      if (calm === 0) calmSinceMs = beganMs;
      calm = isCalm ? calm + 1 : 0;
    }
    return calmSinceMs - startMs;
  }

  leave(): void {
    this.#wire.close();
  }

  /** Not counted by the rate limits, so that the answer says how busy the service is and nothing else. */
  #call(): Promise<number> {
    const beganMs = performance.now();
    return new Promise((resolve) => {
      this.#wire.ask(plain('GET', '/paper/accounts/nobody/'), () => resolve(performance.now() - beganMs));
    });
  }
}
