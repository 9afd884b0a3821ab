/** A draft in words for a person, and what of it the profile does not say. */

import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { DraftReport } from '../doctor/draft.js';
import { difference } from './steps.js';

/** The venue's times are whole seconds, and the draft took its way. */
const LIFETIME_SLACK_S = 3;

/**
 * What the draft asks for, who signs, who pays, which programs it calls. Throws the difference when the signer would
 * refuse it, or when it lives for another time than the profile says.
 */
export function draftWords(report: DraftReport, profile: VenueProfile, venueNowMs: number): string {
  if (report.verdict === 'refused') {
    const todo =
      'Nothing was signed. `twinbook doctor --draft -` decodes it; change your copy of the profile only for what the venue confirms.';
    throw difference(
      'the draft would not be signed',
      signersDue(profile, report.wallet),
      describeDraftReport(report),
      todo,
    );
  }
  checkLifetime(report, profile, venueNowMs);
  return [describeDraft(report), ...shape(report)].join('; ');
}

function describeDraft({ asks, verdict }: DraftReport): string {
  if (verdict === 'blind' || asks === null) return 'a draft that nobody can read';
  const { service, market, draft, expires } = asks;
  return `${service} asks to ${describeAction(asks)} in market ${market}, draft ${draft}, until ${expires} (Unix seconds)`;
}

function describeAction({ action, isYes, side, price, amount, orderPubkey }: NonNullable<DraftReport['asks']>): string {
  if (action === 'cancel-order') return `cancel order ${orderPubkey}`;
  return action === 'place-order' ? `${side} ${amount} ${isYes === true ? 'YES' : 'NO'} at ${price}` : `${action}`;
}

function shape({ transaction, wallet }: DraftReport): readonly string[] {
  if (transaction === null) return ['one signature, ours, over the text'];
  const nameAccount = (key: string) => (key === wallet ? 'our wallet' : key);
  const calls = transaction.instructions.map(({ program, calls: name }) => name ?? program);
  return [
    `signers ${transaction.signers.map(nameAccount).join(' and ')}`,
    `the fee is paid by ${nameAccount(transaction.fee_payer)}`,
    `programs ${calls.join(', ')}`,
  ];
}

/** As the profile has it. */
function signersDue({ draft_message, draft_cosigners, solana_programs = [] }: VenueProfile, wallet: string): string {
  if (draft_message !== 'solana_tx') return `draft_message: ${draft_message}`;
  const payer = draft_cosigners?.fee_payer;
  return [
    `signers ${[wallet, ...(draft_cosigners?.keys ?? [])].join(' and ')}`,
    `the fee paid by ${payer ?? 'our wallet'}`,
    `programs ${['Memo', ...solana_programs].join(', ')}`,
  ].join('; ');
}

const describeDraftReport = (report: DraftReport): string => [report.reason, ...shape(report)].join('; ');

function checkLifetime({ asks }: DraftReport, { draft_lifetime_s }: VenueProfile, venueNowMs: number): void {
  if (asks === null) return;
  const leftS = Number(asks['expires']) - Math.floor(venueNowMs / 1000);
  if (Math.abs(leftS - draft_lifetime_s) <= LIFETIME_SLACK_S) return;
  const todo = `Write draft_lifetime_s: ${leftS} into your copy of the profile, if the venue documents it.`;
  throw difference('the draft lives otherwise', `draft_lifetime_s: ${draft_lifetime_s}`, `${leftS} s`, todo);
}
