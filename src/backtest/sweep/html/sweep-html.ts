import type { SweepResult } from '../contract.js';
export const sweepHtml = (result: SweepResult): string => result.title;
