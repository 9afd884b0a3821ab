/** The venue part of a configuration: the profile, the trader's overrides, and the rules between them. */

import { existsSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { closest } from '../../../shared/base/text.js';
import { type VenueProfile, venueProfileSchema } from '../../../shared/protocol/profile.js';
import { type At, readBySchema } from '../explain-issues.js';
import { configError, joinWithOr } from '../problems.js';
import type { TraderFile } from '../schema.js';
import { venueFile, venueNames } from '../shipped.js';
import { type ReadYamlOptions, readYaml, type SourceTexts } from '../yaml-source.js';

export interface VenueConfig {
  /** Name of the profile: `paper`, `worm`, or the base name of the profile's file. */
  readonly name: string;
  /** The profile with the trader file's `base_url`, `draft_message` and `fee_schedule` applied. */
  readonly profile: VenueProfile;
  /** Required for signing unreadable drafts (`draft_message: opaque`). */
  readonly allowBlindSigning: boolean;
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

export function loadVenue(
  file: TraderFile['venue'],
  embedded: boolean,
  folder: string,
  { cwd, sources }: { readonly cwd: string; readonly sources: SourceTexts },
  at: At,
): VenueConfig {
  const path = profilePath(file.profile, folder, at);
  const shipped = readProfile(path, cwd, { asker: at(['venue', 'profile'], 'the profile'), sources });
  const profile: VenueProfile = {
    ...shipped,
    ...(file.base_url === undefined ? {} : { base_url: file.base_url }),
    ...(file.draft_message === undefined ? {} : { draft_message: file.draft_message }),
    ...(file.fee_schedule === undefined ? {} : { fee_schedule: file.fee_schedule }),
  };
  const problem = addressProblem(profile.base_url, embedded);
  if (problem !== null) throw configError([at(['venue', 'base_url'], problem)]);
  if (embedded && (profile.fee_schedule ?? 'notional') !== 'notional') {
    const text = `the embedded exchange charges fees of price x amount, but fee_schedule is ${profile.fee_schedule}`;
    throw configError([at(['venue', file.fee_schedule === undefined ? 'profile' : 'fee_schedule'], text)]);
  }
  const unreadable = unreadableDrafts(profile);
  if (unreadable !== null && !file.allow_blind_signing) {
    const text = `${unreadable}: nobody can check what is signed; to accept that write allow_blind_signing: true`;
    throw configError([at(['venue', file.draft_message === undefined ? 'profile' : 'draft_message'], text)]);
  }
  const name = basename(path, extname(path));
  return { name, profile, allowBlindSigning: file.allow_blind_signing };
}

/** Unreadable drafts of a venue that would be signed; null without any. */
function unreadableDrafts({ draft_message, solana_programs = [] }: VenueProfile): string | null {
  if (draft_message === 'opaque') return 'drafts of this venue are opaque';
  if (draft_message !== 'solana_tx' || solana_programs.length === 0) return null;
  return 'drafts of this venue call the programs of its solana_programs';
}

/** Reads and checks a venue profile's file. */
export function readProfile(path: string, cwd: string, options: ReadYamlOptions = {}): VenueProfile {
  const source = readYaml(path, cwd, options);
  return readBySchema(venueProfileSchema, source.value, source.problem);
}

const SIMULATED = 'paper';
/** A guessed name must not lead to real money by accident. */
const LIVE_VENUE = `, a live venue with real money, on which this program was never run ('${SIMULATED}' is the simulated one)`;

/** Shipped names first; other bare names are searched in `venues/` beside the trader's file; the rest are paths. */
export function profilePath(profile: string, folder: string, at: At): string {
  if (!/^[A-Za-z0-9_-]+$/.test(profile)) return resolve(folder, profile);
  if (venueNames().includes(profile)) return venueFile(profile);
  const own = join(folder, 'venues', `${profile}.yaml`);
  if (existsSync(own)) return own;
  const near = closest(profile, venueNames());
  const meant =
    near === null
      ? `shipped are ${joinWithOr(venueNames())}; or write the path of a profile file`
      : `did you mean '${near}'${near === SIMULATED ? '' : LIVE_VENUE}?`;
  throw configError([at(['venue', 'profile'], `no venue profile '${profile}'; ${meant}`)]);
}

/** Signed headers must not travel unencrypted, and an embedded exchange listens on this machine only. */
function addressProblem(baseUrl: string, embedded: boolean): string | null {
  const url = new URL(baseUrl);
  const loopback = LOOPBACK.includes(url.hostname);
  if (url.username !== '' || url.password !== '') return 'wants an address without user name and password';
  if (url.search !== '' || url.hash !== '') return 'wants an address without query and fragment';
  if (embedded && !loopback)
    return `the embedded exchange listens on this machine only, but the address is ${url.hostname}; write http://127.0.0.1:8787 or remove exchange.embedded`;
  if (url.protocol === 'https:') return null;
  return loopback ? null : `wants an https address (http only on this machine), got ${baseUrl}`;
}
