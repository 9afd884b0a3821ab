import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ApiKey } from '../../../src/shell/client/accepted-credentials.js';
import type { ServiceClient } from '../../../src/shell/client/client.js';
import { newFolder } from '../../support/folders.js';
import { wallet } from '../../trader/executor/script.js';

test.each([
  ['throttled', 'venue_unreachable'],
  ['gringotts_unavailable', 'venue_unreachable'],
  ['permission_denied', 'venue_refused'],
])('a start waits for another answer after %s (%s)', async (slug, code) => {
  const env = { TWINBOOK_API_KEY: 'key', TWINBOOK_API_SECRET: 'secret' };
  const key = new ApiKey(join(newFolder(), 'credentials.json'), 'http://venue', wallet, env);
  const outcome = { kind: 'refused', status: 429, slug, message: 'later', details: [] };
  const client = { call: async () => ({ outcome }) } as unknown as ServiceClient;
  await expect(key.accept(client, false)).rejects.toMatchObject({ code });
});
