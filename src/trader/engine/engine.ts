/**
 * One step of the trader: what was seen goes to the room that asked, and then, of its own accord, the trader quotes,
 * converts, proves and polls. Strategies wish in YES space; the engine finds the fewest changes, picks the leg, has risk
 * judge each intent and the executor write it.
 *
 * It reads no clock and performs no request; it has no branch for live, paper or replay. It never makes a cancel wait
 * for anything but the request budget, and it never places while something of ours has not been read complete.
 */
export { Trader } from './trader.js';
