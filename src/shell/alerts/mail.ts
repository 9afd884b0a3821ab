/** Mail over SMTP. */

import { createTransport } from 'nodemailer';
import type { Delivery } from './contract.js';

const WITHIN_MS = 10_000;
/** A permanent error of a mail server. */
const PERMANENT = 500;

export interface Mail {
  /** `smtp://user:password@host:587` or `smtps://…`. */
  readonly address: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Rejects when the server cannot be reached. */
export async function sendMail({ address, from, to, subject, text }: Mail): Promise<Delivery> {
  const transport = createTransport(
    { url: address, connectionTimeout: WITHIN_MS, greetingTimeout: WITHIN_MS, socketTimeout: WITHIN_MS },
    { disableFileAccess: true, disableUrlAccess: true },
  );
  try {
    await transport.sendMail({ from, to, subject, text });
    return { kind: 'delivered' };
  } catch (error) {
    const code = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : 0;
    if (code < PERMANENT) throw error;
    return { kind: 'refused', why: `the mail server answered ${code}` };
  } finally {
    transport.close();
  }
}
