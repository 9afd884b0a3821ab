/** `twinbook doctor --draft`: shows a draft's `message`, and whether the wallet would sign it. Signs nothing. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { TwinbookError } from '../shared/base/errors.js';
import { formatDecimal, type Micros } from '../shared/base/micros.js';
import { parseJson } from '../shared/base/text.js';
import { type DraftText, readDraftText } from '../shared/protocol/drafts/draft-text.js';
import { memoText, readTransaction, type Transaction } from '../shared/protocol/drafts/solana-message.js';
import type { VenueProfile } from '../shared/protocol/profile.js';
import type { TraderConfig } from '../shell/config/config.js';
import { type JudgedMessage, judgeMessage, nameProgram, signingRules } from '../shell/wallet/draft-signer.js';
import type { CliIo } from './io.js';
import { type Pair, record } from './table.js';

export type DraftReport = ReturnType<typeof examineDraft>;

type TransactionReport = ReturnType<typeof transactionReport>;

/** Reads the file (`-`: standard input): a message, or the JSON of an answer or record with one. */
export function readDraftFile(file: string, io: CliIo): string {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : resolve(io.cwd, file), 'utf8');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const hint = 'Give a file that holds one draft, or - and the draft on standard input.';
    throw new TwinbookError('file_unreadable', `${file} cannot be read: ${why}`, hint, { cause: error });
  }
  return messageIn(text) ?? text.replace(/\r?\n$/, '');
}

/** `message` of a JSON object or of its `data`; null for anything else. */
function messageIn(text: string): string | null {
  if (!text.trimStart().startsWith('{')) return null;
  const parsed = parseJson(text);
  const inner = typeof parsed === 'object' && parsed !== null && 'data' in parsed ? parsed.data : parsed;
  const isRecord = typeof inner === 'object' && inner !== null && 'message' in inner;
  // Otherwise the text itself is the message.
  return isRecord && typeof inner.message === 'string' ? inner.message : null;
}

export function examineDraft(message: string, { venue }: Pick<TraderConfig, 'venue'>, wallet: string) {
  const { draft_message } = venue.profile;
  const read = draft_message === 'solana_tx' ? readTransaction(message) : null;
  const transaction = read?.ok === true ? read.transaction : null;
  const carried = transaction === null ? message : memoText(transaction);
  const draft = carried === null ? null : readDraftText(carried);
  const isText = draft_message === 'opaque' ? draft !== null : read === null || transaction !== null;
  const text = isText ? carried : null;
  return {
    draft_message,
    wallet,
    transaction: transaction === null ? null : transactionReport(transaction, venue.profile),
    text,
    /** Request of the text, field by field; null when it is no draft of ours. */
    asks: draft === null ? null : formatAsked(draft),
    ...toVerdict(judgeMessage(message, signingRules(venue.profile, venue.allowBlindSigning), wallet)),
  };
}

/** `readable`: signed for a matching intent. `blind`: signed unread. `refused`: never signed, with the reason. */
function toVerdict(judged: JudgedMessage): { readonly verdict: keyof typeof VERDICTS; readonly reason: string } {
  if (!judged.ok) return { verdict: 'refused', reason: judged.reason };
  return { verdict: judged.draft === null ? 'blind' : 'readable', reason: '' };
}

const transactionReport = (transaction: Transaction, { draft_cosigners }: VenueProfile) => ({
  version: transaction.version,
  fee_payer: transaction.feePayer,
  signers: transaction.signers,
  /** Signers that the venue profile names. */
  cosigners: transaction.signers.filter((signer) => draft_cosigners?.keys.includes(signer) === true),
  programs: [...new Set(transaction.instructions.map(({ program }) => program))],
  instructions: transaction.instructions.map(({ program, accounts, data }) => ({
    program,
    /** The program's name; null for one that is unknown here. */
    calls: nameProgram(program),
    accounts,
    /** Hex. */
    data: Buffer.from(data).toString('hex'),
  })),
  lookup_tables: transaction.lookupTables,
});

/** Names and units as in the readable text; times as Unix seconds. */
function formatAsked({ serviceName, marketConditionId, draftPubkey, expires, terms }: DraftText) {
  const asks: Record<string, string | boolean> = {
    service: serviceName,
    market: marketConditionId,
    draft: draftPubkey,
    expires: String(expires),
  };
  for (const [name, value] of Object.entries(terms)) {
    // The only numbers among the terms are micros.
    asks[name] = typeof value === 'number' ? formatDecimal(value as Micros) : value;
  }
  return asks;
}

export function draftReportText(report: DraftReport, width?: number): string {
  const { transaction, asks } = report;
  const pairs: readonly Pair[] = [
    ['drafts are', report.draft_message],
    ['wallet', report.wallet],
    ...(transaction === null ? [] : transactionPairs(transaction, report.wallet)),
    ['text', report.text ?? 'none that can be read'],
    ...Object.entries(asks ?? {}).map(([name, value]): Pair => [`  ${name}`, value]),
    ['verdict', VERDICTS[report.verdict]],
    ['reason', report.reason || undefined],
  ];
  return record(pairs, width);
}

const VERDICTS = {
  readable: 'signed for an intent that says exactly the same, and for no other',
  blind: 'signed unread, because allow_blind_signing is on',
  refused: 'never signed',
} as const;

function transactionPairs(transaction: TransactionReport, wallet: string): readonly Pair[] {
  const nameAccount = (account: string) => {
    if (account === wallet) return `${account} (our wallet)`;
    if (transaction.cosigners.includes(account)) return `${account} (co-signer of the profile)`;
    return transaction.signers.includes(account) ? `${account} (named nowhere)` : account;
  };
  return [
    ['transaction', transaction.version === 'legacy' ? 'legacy' : `version ${transaction.version}`],
    ['fee payer', nameAccount(transaction.fee_payer)],
    ['signers', `${transaction.signers.length}: ${transaction.signers.map(nameAccount).join(', ')}`],
    ['lookup tables', transaction.lookup_tables.join(', ') || 'none'],
    ...transaction.instructions.map(
      ({ program, calls, accounts, data }, index): Pair => [
        `instruction ${index + 1}`,
        `${program} (${calls ?? 'unknown here'}), ${data.length / 2} bytes, accounts: ${accounts.map(nameAccount).join(', ') || 'none'}`,
      ],
    ),
  ];
}
