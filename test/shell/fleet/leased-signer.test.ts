import { describe, expect, it } from 'vitest';
import { TwinbookError } from '../../../src/shared/base/errors.js';
import { explainLoss, followLease, isTakenOver, leasedSigner } from '../../../src/shell/daemon/fleet-session.js';
import type { FleetMember } from '../../../src/shell/fleet/member.js';
import type { DatabaseDesk } from '../../../src/shell/fleet/owner-desk.js';
import type { StoredDraftRow } from '../../../src/trader/ledger/contract.js';

type OwnerRow = NonNullable<Awaited<ReturnType<DatabaseDesk['look']>>>;

const ORDER = { action: 'place-order', isYes: true } as unknown as StoredDraftRow['terms'];
const draft = (terms: StoredDraftRow['terms'], marketConditionId = 'ours'): StoredDraftRow => ({
  intentId: 'i',
  marketConditionId,
  draftPubkey: 'd',
  message: 'm',
  terms,
});
const SIGNED = { ok: true, signature: 'signed' } as const;
const inner = { sign: () => SIGNED };
const sign = (objection: string | null, stored: StoredDraftRow | null) =>
  leasedSigner(inner, { objection: () => objection, markets: ['ours'] }, () => stored).sign('i');

const withheld = (reason: string) => ({ ok: false, reason, isWithheld: true });

const OVER = 'it is over';
const ONE = 1 as never;
const MERGE = draft({ action: 'merge-shares', amount: ONE });
const REDEEM = draft({ action: 'redeem-shares', yes: ONE, no: ONE }, 'theirs');
const CANCEL = draft({ action: 'cancel-order', orderPubkey: 'o' }, 'theirs');
const UNCLAIMED = withheld('this trader has not claimed the market of the order');

describe('the signer of a trader in a fleet', () => {
  it.each([
    ['an order under the lease', null, draft(ORDER), SIGNED],
    ['an order once the lease is over', OVER, draft(ORDER), withheld(OVER)],
    ['a merge once the lease is over', OVER, MERGE, withheld(OVER)],
    ['an order in a market that is not ours', null, draft(ORDER, 'theirs'), UNCLAIMED],
    ['a redeem in a market that is not ours', null, REDEEM, SIGNED],
    ['a cancel, whatever the fleet says', OVER, CANCEL, SIGNED],
    ['what is not stored, which the wallet itself refuses', OVER, null, SIGNED],
  ] as const)('judges %s', (_, objection, stored, expected) => expect(sign(objection, stored)).toEqual(expected));

  it('leaves to another trader what rests, and to nobody nothing', () => {
    const other: OwnerRow = { holder: 'b', instance: 'i', term: 3, renewal: 1, leaseMs: 6_000, isFree: false };
    const of = (successor: OwnerRow | null) => explainLoss({ successor, term: 2 });
    expect([of(other), of({ ...other, isFree: true }), of(null)].map(isTakenOver)).toEqual([true, false, false]);
    expect(of(other).message).toContain('b holds it in the fleet (term 3), after our term 2');
    expect(of(null).message).toContain('no trader of the fleet holds the wallet after our term 2');
  });

  it('takes no other end for a wallet that is another’s', () =>
    expect(
      [new TwinbookError('wallet_taken', ''), new TwinbookError('ledger_broken', ''), new Error('')].map(isTakenOver),
    ).toEqual([true, false, false]));
});

it('tells the core of the lease and the claims only when they have changed', () => {
  const attached = { onChange: (): void => undefined };
  const lease = { rules: { pullMs: 1_000 } };
  const attach = (hooks: typeof attached) => Object.assign(attached, hooks);
  const member = { standing: 'held', markets: ['ours'], foreign: ['theirs'], trouble: null, lease, attach };
  const told: unknown[] = [];
  const loop = { command: (command: unknown) => told.push(command) > 0 };
  const unused = { snapshot: () => expect.unreachable(), fail: () => expect.unreachable() };
  const { end } = followLease(member as unknown as FleetMember, { loop, ...unused }); // No database is asked.
  const renew = (change: object) => {
    Object.assign(member, { markets: [...member.markets], foreign: [...member.foreign] }, change);
    attached.onChange();
    return told.splice(0);
  };
  renew({});
  expect(renew({})).toEqual([]);
  expect(renew({ foreign: [] })).toEqual([{ kind: 'fleet', hold: null, markets: ['ours'], foreign: [] }]);
  expect(renew({ standing: 'failing', trouble: 'no answer' })).toMatchObject([
    { hold: expect.stringMatching('no answer') },
  ]);
  expect(renew({ trouble: 'no route' })).toEqual([]);
  expect(renew({ standing: 'held' })).toMatchObject([{ hold: null }]);
  end();
});
