/** The doctor's report about hostile drafts: a user in doubt runs it first. */

import { describe, expect, it } from 'vitest';
import { draftReportText, examineDraft } from '../../../../src/cli/draft.js';
import type { DraftMessage } from '../../../../src/shared/protocol/drafts/draft-message.js';
import { readProfile } from '../../../../src/shell/config/config.js';
import { venueFile } from '../../../../src/shell/config/shipped.js';
import { HOSTILE_BYTES } from './bytes.js';
import { drawOf } from './corpus.js';
import { HOSTILE_COSIGNERS, MALFORMED_COSIGNERS } from './cosigners.js';
import { PAYMENTS } from './payments.js';
import { HOSTILE_TEXTS } from './texts.js';
import { HOSTILE_TRANSACTIONS, type HostileTransaction } from './transactions.js';

const CASES = 4;

function venueOf(
  draft_message: DraftMessage,
  { programs, cosigners }: Pick<HostileTransaction, 'programs' | 'cosigners'> = { programs: null },
) {
  const profile = {
    ...readProfile(venueFile('paper'), '/'),
    draft_message,
    solana_programs: [...(programs ?? [])],
    draft_cosigners: cosigners,
  };
  return { venue: { name: 'test', profile, keys: 1, allowBlindSigning: programs !== null } };
}

/** A draft is shown on its own lines: it must not move the cursor or break a line. */
const isHarmless = (shown: string) => !/[^\P{C}\n]/u.test(shown) && !/[\u2028\u2029]/.test(shown);

describe('the doctor', () => {
  it.each([...HOSTILE_TRANSACTIONS, ...HOSTILE_COSIGNERS].map((kind) => [kind.name, kind] as const))(
    'names what is asked for: %s',
    (name, kind) => {
      const draw = drawOf(1, name);
      for (let number = 0; number < CASES; number++) {
        const message = kind.make(draw.honest(draw.terms()), draw);
        const report = examineDraft(message, venueOf('solana_tx', kind), draw.wallet.address);
        const shown = draftReportText(report);
        expect(isHarmless(shown)).toBe(true);
        expect(shown).toContain(`fee payer      ${report.transaction?.fee_payer}`);
        // A memo that differs from an intent is only wrong beside that intent.
        if (kind.because.source === 'the draft says') expect(report.verdict).toBe('readable');
        else
          expect(report).toMatchObject({
            verdict: 'refused',
            reason: expect.stringMatching(/^the (transaction|memo)/),
          });
        if (PAYMENTS.some((payment) => name.startsWith(payment.name))) {
          const strangers = report.transaction?.instructions.filter(({ calls }) => calls === null) ?? [];
          expect(strangers.filter(({ program }) => !/^(Venue|BPFLoader|LoaderV4)/.test(program))).toEqual([]);
        }
      }
    },
  );

  it.each([...HOSTILE_TEXTS, ...HOSTILE_BYTES, ...MALFORMED_COSIGNERS].map((kind) => [kind.name, kind] as const))(
    'takes whatever is put before it: %s',
    (name, kind) => {
      const draw = drawOf(2, name);
      for (let number = 0; number < 3 * CASES; number++) {
        const form = draw.pick<DraftMessage>('utf8', 'solana_tx', 'opaque');
        const report = examineDraft(kind.make(draw.honest(draw.order()), draw), venueOf(form), draw.wallet.address);
        expect(isHarmless(draftReportText(report))).toBe(true);
        expect(report.verdict === 'refused').toBe(report.reason !== '');
      }
    },
  );
});
