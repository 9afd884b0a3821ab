/** The guardian's way to the exchange with as many keys as its trader, one of which is revoked before the alarm. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ServiceClient } from '../../../src/shell/client/client.js';
import { cancelDirectly } from '../../../src/shell/daemon/direct-cancel.js';
import { GuardianSession } from '../../../src/shell/guardian/guardian-session.js';
import { loadAllCredentials } from '../../../src/shell/wallet/credentials.js';
import { createKeyFile } from '../../../src/shell/wallet/key-file.js';
import { newFolder } from '../../support/folders.js';
import { profile } from '../client/hostile-server.js';
import { startPaper } from '../client/paper.js';

const ORDERS = 5;

describe('a guardian of three keys', () => {
  it('makes and keeps them, and cancels everything also when one is revoked', async () => {
    const paper = await startPaper();
    const venue = { ...profile, base_url: paper.exchange.url, signed_limit_per: 'key' as const };
    const folder = newFolder();
    const [walletFile, credentialsFile] = [join(folder, 'wallet.json'), join(folder, 'guardian.json')];
    const wallet = createKeyFile({ path: walletFile, passphrase: null });
    const trader = new ServiceClient({ profile: venue });
    await trader.bootstrap(wallet);
    const session = new GuardianSession({
      profile: venue,
      walletFile,
      credentialsFile,
      isPaper: true,
      keys: 3,
      isFenced: false,
      env: {},
    });
    const access = await session.check();
    const stored = loadAllCredentials(credentialsFile, { baseUrl: venue.base_url, wallet: wallet.address }, {});
    expect([stored.length, session.missing]).toEqual([3, []]);

    const market = await paper.openMarket();
    for (let n = 0; n < ORDERS; n++)
      await trader.place(wallet, {
        market_condition_id: market,
        is_yes: true,
        order_type: 'limit',
        side: 'buy',
        price: `0.${20 + n}`,
        amount: '10',
      });
    const revoked = stored[1]?.apiKey ?? '';
    const revoke = await trader.call('keys.revoke', { params: { key_id: revoked } });
    expect(revoke.outcome.kind).toBe('answered');

    const result = await cancelDirectly({ ...access, profile: venue, allowBlindSigning: false, verify: true });
    expect(result).toEqual({ asked: ORDERS, resting: 0, verified: true });
    expect(access.client.keyCount).toEqual({ known: 3, live: 2 });
    await session.close();
    await trader.close();
  });
});
