/** Identity of a sweep: everything that a result depends on, and nothing else. */

import { createHash } from 'node:crypto';
import { canonicalJson } from '../../shell/config/shown.js';
import { modelOfChoice } from '../backtest/latency.js';
import type { Search, SweepAssumptions, SweepPlan } from './contract.js';

/** Lower-case hex SHA-256 of plain data. */
export const hashValue = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex');

/** By stored names. Texts are canonical JSON unless they are plain words. */
export type SweepIdentity = ReturnType<typeof identityOf>;

export const PART_NAMES: Readonly<Record<keyof SweepIdentity, string>> = {
  version: "the program's version",
  config_hash: 'the configuration, a strategy file or its code',
  data_hash: 'the recordings',
  search: 'the parameters and values (--param, --random)',
  fill_models: 'the fill models',
  latency: 'the latency model, or what it was measured from',
  seed: 'the seed',
  folds: 'the number of folds',
  embargo_ms: 'the embargo',
  assumptions: 'fees, landing time, repeats, feeds, the choice of markets, or the time zone of quote hours',
};

/** `latency` and `others` say what the assumptions leave open. */
export const identityOf = (
  known: SweepAssumptions,
  { kind, axes, candidates }: Search,
  latency: string,
  others: object,
) => ({
  version: known.version,
  config_hash: known.configHash,
  data_hash: known.dataHash,
  search: canonicalJson({
    kind,
    configurations: candidates.length,
    axes: axes.map(({ name, choice }) => ({ name, choice })),
  }),
  fill_models: canonicalJson(known.fillModels),
  latency,
  seed: known.seed,
  folds: known.folds,
  embargo_ms: known.embargoMs,
  assumptions: canonicalJson(others),
});

export function makeIdentity(plan: SweepPlan, assumptions: SweepAssumptions): SweepIdentity {
  const { search, landingMs, fees, allMarkets, repeat, feeCurve = null, feedData } = plan;
  return identityOf(assumptions, search, latencyText(plan), {
    landingMs,
    fees,
    allMarkets,
    ...(repeat === 1 ? {} : { repeat }),
    ...(feeCurve === null ? {} : { feeCurve }),
    ...(plan.config.strategies.some(({ quoteHours }) => quoteHours !== null) ? { timeZone: timeZone() } : {}),
    ...(feedData === undefined || feedData.values.length === 0 ? {} : { feeds: hashValue(feedData).slice(0, 16) }),
  });
}

/** Quote hours are read in it: the one thing in which two machines may differ. */
export const timeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

const latencyName = ({ latency, seed }: Pick<SweepPlan, 'latency' | 'seed'>): string =>
  modelOfChoice(latency, seed).name;

function latencyText(plan: SweepPlan): string {
  const { spec, roundTripsMs, byKind } = plan.latency;
  if (spec.kind === 'constant') return latencyName(plan);
  const hash = hashValue(byKind === undefined ? roundTripsMs : { roundTripsMs, byKind }).slice(0, 16);
  return `${latencyName(plan)} of ${roundTripsMs.length} round trips, ${hash}`;
}
