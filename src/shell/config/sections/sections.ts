/** Sections of the trader's file, each as the trader takes it. */

import { dirname, join } from 'node:path';
import { type Micros, micros, ONE } from '../../../shared/base/micros.js';
import { batchOf, type Economics, SECONDS_PER_DAY, USUAL_PAIRS_PER_S } from '../../../trader/strategy/economics.js';
import type { TraderFile } from '../schema.js';
import type { GuardianConfig, PollingConfig } from '../types.js';

export const makeEconomics = (file: TraderFile['economics']): Economics => ({
  currencyPricePerS: file.currency_price_per_day / ONE / SECONDS_PER_DAY,
  requestPrice: file.request_price / ONE,
});

/** Sets of a batch, bounded as `min_shares` is. */
export const usualBatch = (economics: Economics): Micros =>
  micros(Math.round(Math.min(1e6, Math.max(0.01, batchOf(economics, USUAL_PAIRS_PER_S))) * ONE));

export const makePolling = (file: TraderFile['polling']): PollingConfig => ({
  ownIntervalMs: file.own_interval_ms,
  ownLongestMs: file.own_longest_ms,
  hotIntervalMs: file.hot_interval_ms,
  quietIntervalMs: file.quiet_interval_ms,
  catalogIntervalMs: file.catalog_interval_ms,
  assetsIntervalMs: file.assets_interval_ms,
  cancelAllWithinMs: 1000 * file.cancel_all_within_s,
  candlesPrior: file.candles_prior,
  marks: file.marks,
});

export const makeGuardian = (
  file: TraderFile['guardian'],
  walletFile: string,
  ledgerPath: string,
  absolute: (text: string) => string,
): GuardianConfig => ({
  enabled: file.enabled,
  start: file.start,
  required: file.required,
  timeoutMs: file.timeout_ms,
  resumeAfterAlarm: file.resume_after_alarm,
  credentials:
    file.credentials === undefined
      ? join(dirname(walletFile), 'guardian-credentials.json')
      : absolute(file.credentials),
  log: file.log === undefined ? `${ledgerPath}.guardian.log` : absolute(file.log),
});
