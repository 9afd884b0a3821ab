/** Sports of markets: data of `GET /sports/`, and valid values of `sport` and `league` filters. */

import { invalid, type Refusal } from './fault.js';

/** A sport and its leagues in the catalog. */
export interface Sport {
  readonly name: string;
  readonly slug: string;
  readonly leagues: readonly { readonly name: string; readonly slug: string }[];
}

const sport = (slug: string, name: string, leagues: Readonly<Record<string, string>>): Sport => ({
  name,
  slug,
  leagues: Object.entries(leagues).map(([league, title]) => ({ name: title, slug: league })),
});

/** Slugs are unique, so a league determines its sport. */
export const SPORTS: readonly Sport[] = [
  sport('soccer', 'Soccer', {
    'premier-league': 'Premier League',
    'la-liga': 'La Liga',
    bundesliga: 'Bundesliga',
    'champions-league': 'Champions League',
    'world-cup': 'World Cup',
  }),
  sport('american-football', 'American Football', { nfl: 'NFL', 'college-football': 'College Football' }),
  sport('basketball', 'Basketball', { nba: 'NBA', wnba: 'WNBA', euroleague: 'EuroLeague' }),
  sport('baseball', 'Baseball', { mlb: 'MLB' }),
  sport('ice-hockey', 'Ice Hockey', { nhl: 'NHL' }),
  sport('tennis', 'Tennis', { atp: 'ATP', wta: 'WTA' }),
  sport('motorsport', 'Motorsport', { 'formula-1': 'Formula 1', motogp: 'MotoGP' }),
  sport('mma', 'Mixed Martial Arts', { ufc: 'UFC' }),
];

/** Why a market cannot belong to this sport and league; null when it can. */
export function unlistedSport(slug: string | null, league: string | null): Refusal | null {
  if (slug === null) return league === null ? null : invalid('league', 'A league needs its sport.');
  const found = SPORTS.find((known) => known.slug === slug);
  if (found === undefined) return invalid('sport', `Must be one of: ${slugs(SPORTS)}.`);
  if (league === null || found.leagues.some((known) => known.slug === league)) return null;
  return invalid('league', `Must be one of: ${slugs(found.leagues)}.`);
}

const slugs = (rows: readonly { readonly slug: string }[]): string => rows.map((row) => row.slug).join(', ');
