/** The two files that trader and guardian write for each other, and what must stand in them. */

import { z } from 'zod';
import type { GuardianReport, Heartbeat } from './contract.js';

export const locateHeartbeatFile = (ledgerPath: string): string => `${ledgerPath}.heartbeat`;
export const locateReportFile = (ledgerPath: string): string => `${ledgerPath}.guardian`;

const processMark = z.object({ pid: z.number().int().positive(), born: z.string().nullable() });

export const heartbeatSchema: z.ZodType<Heartbeat> = z.object({
  run: z.string().min(1),
  process: processMark,
  count: z.number().int().nonnegative(),
  phase: z.enum(['starting', 'trading', 'ended']),
  mayRest: z.boolean(),
  // An older version's trader does not say it.
  nothingMayRest: z.boolean().default(false),
  oursForMs: z.number().nullable().default(null),
});

export const reportSchema: z.ZodType<GuardianReport> = z.object({
  run: z.string().min(1),
  process: processMark,
  count: z.number().int().nonnegative(),
  stays: z.boolean(),
  state: z.enum(['opening', 'watching', 'canceling', 'secured', 'ended', 'failed']),
  text: z.string(),
});

/** In a few words, for status lines. */
export const describeReport = ({ process, state, text }: GuardianReport): string =>
  `${state}, process ${process.pid}${text === '' ? '' : `: ${text}`}`;
