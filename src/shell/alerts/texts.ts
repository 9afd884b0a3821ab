/** Cleans texts before they leave: market titles come from the exchange, and an error may contain a secret. */

import { readPrivateFile, secrets } from '../wallet/secrets.js';

export const cleanText = (text: string): string => secrets.clean(text.replaceAll(/(?!\n)\p{C}/gu, '?'));

/** Hidden in every text from then on. Throws TwinbookError when it is unreadable, or readable by others. */
export function readSecret(path: string, what: string): string {
  const secret = readPrivateFile(path, what).trim();
  secrets.hide(secret);
  return secret;
}

/** The text of an answer. Throws when it is longer than `mostBytes`, or breaks off. */
export async function readBounded(response: Response, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop cancels the rest.
    if (bytes > mostBytes) throw new Error(`its answer is longer than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
