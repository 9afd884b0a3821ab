/** A page that is one document: the policy that lets a browser run its own script and style and nothing else, and its headers. */

import { createHash } from 'node:crypto';

/** `content-security-policy` of a document with this one script and this one style, both written into it. */
export const ownPolicy = (script: string, style: string): string =>
  [
    "default-src 'none'",
    `script-src '${hashForCsp(script)}'`,
    `style-src '${hashForCsp(style)}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // Text of the exchange is inserted as text: it may never become markup or a script.
    "require-trusted-types-for 'script'",
  ].join('; ');

const hashForCsp = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;

/** The document is not cached, framed or sniffed, and links send no referrer. */
export const OWN_HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;
