/** Venue profiles for programs that use the client alone: by the name of a shipped one, or from a file. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { TwinbookError } from '../../shared/base/errors.js';
import { findYamlExcess } from '../../shared/base/yaml-bounds.js';
import { type VenueProfile, venueProfileSchema } from '../../shared/protocol/profile.js';
import { parseBySchema } from '../../shared/protocol/wire.js';

/**
 * The profile of a venue: `paper`, `worm`, or the path of a YAML file with the same fields. Throws TwinbookError
 * file_unreadable, or config_invalid naming the first field that is wrong.
 */
export function venueProfile(nameOrPath: string): VenueProfile {
  const path = /^[A-Za-z0-9_-]+$/.test(nameOrPath) ? shippedProfile(nameOrPath) : nameOrPath;
  const parsed = parseBySchema(venueProfileSchema, readYaml(path));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new TwinbookError(
    'config_invalid',
    `${path}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`,
    'Put the venue profile right; those in config/venues show every setting.',
  );
}

const COMPARE = 'Compare it with a shipped profile in config/venues.';

function readYaml(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new TwinbookError(
      'file_unreadable',
      `the venue profile ${path} cannot be read`,
      'Name a file that is there under venue.profile, or a shipped profile.',
      { cause },
    );
  }
  const excess = findYamlExcess(text);
  if (excess !== null) throw new TwinbookError('config_invalid', `${path}: ${excess}`, COMPARE);
  try {
    return parse(text);
  } catch (cause) {
    throw new TwinbookError('config_invalid', `${path} is not YAML`, COMPARE, { cause });
  }
}

/** `config/venues/` of the package that this file belongs to, compiled or not. */
function shippedProfile(name: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return join(folder, 'config', 'venues', `${name}.yaml`);
}
