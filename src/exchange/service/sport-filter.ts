/**
 * The `sport` and `league` parameters of lists and search: comma-separated slugs of the sports catalog,
 * case-insensitive.
 */

import type { ServiceFault } from '../../shared/protocol/errors.js';
import type { Result } from '../core/contract.js';
import type { MarketFacts } from '../core/market-facts.js';
import { SPORTS } from '../core/sports.js';
import { badField } from './envelope.js';

/** The two parameters as received. */
export interface SportQuery {
  readonly sport?: string | undefined;
  readonly league?: string | undefined;
}

/** True for markets of one of the sports, and of one of the leagues if given. */
export type SportFilter = (market: MarketFacts) => boolean;

/** 400 for a league without a sport, an unknown slug, or a league of no given sport. */
export function sportFilter({ sport, league }: SportQuery): Result<SportFilter> {
  if (sport === undefined) {
    if (league === undefined) return { ok: true, value: () => true };
    return refuse(badField('league', 'A league can only be given together with its sport.'));
  }
  const sports = splitSlugs(sport);
  const known = SPORTS.filter(({ slug }) => sports.includes(slug));
  if (known.length !== new Set(sports).size) return refuse(refuseUnknown('sport', SPORTS));
  if (league === undefined) return { ok: true, value: (market) => isOne(sports, market.sport) };
  const leagues = splitSlugs(league);
  const own = known.flatMap((row) => row.leagues);
  if (!leagues.every((slug) => own.some((row) => row.slug === slug))) return refuse(refuseUnknown('league', own));
  return { ok: true, value: (market) => isOne(leagues, market.league) };
}

const splitSlugs = (list: string): readonly string[] => list.split(',').map((slug) => slug.trim().toLowerCase());
const isOne = (slugs: readonly string[], slug: string | null): boolean => slug !== null && slugs.includes(slug);
const refuse = (fault: ServiceFault) => ({ ok: false, fault }) as const;

const refuseUnknown = (field: string, rows: readonly { readonly slug: string }[]): ServiceFault =>
  badField(field, `Must be a comma-separated list of: ${rows.map(({ slug }) => slug).join(', ')}.`);
