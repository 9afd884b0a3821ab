/** Challenges that differ from the template for our wallet: this way to a signature must not sign drafts. */

import { challengeText } from '../../../../src/shared/protocol/signing.js';
import { serviceName } from '../drafts.js';
import { type Draw, type Hostile, textOf } from './draw.js';

type HostileChallenge = Hostile<(draw: Draw) => { readonly message: string; readonly nonce: string }>;

const TEMPLATE = /is not exactly the SVC template/;
const NONCE = /the nonce has characters/;

const nonceOf = (draw: Draw) => Buffer.from(draw.bytes(1 + draw.below(24))).toString('base64url');

const kind = (name: string, make: (honest: string, nonce: string, draw: Draw) => string): HostileChallenge => ({
  name: `challenge: ${name}`,
  because: TEMPLATE,
  make: (draw) => {
    const nonce = nonceOf(draw);
    return { message: make(challengeText(serviceName, draw.wallet.address, nonce), nonce, draw), nonce };
  },
});

const ENDS = [' | Transfer: all', '\n', '', ' ', '\u200b', '|', 'é', '\u0000', ':', '"', '<', 'x'.repeat(129)] as const;

export const HOSTILE_CHALLENGES: readonly HostileChallenge[] = [
  kind('a draft', (_, __, draw) => textOf(draw.honest(draw.terms()))),
  kind(
    'a draft behind it',
    (honest, _, draw) => honest + draw.pick('\n', ' | ', ' ', '') + textOf(draw.honest(draw.terms())),
  ),
  kind(
    'a draft before it',
    (honest, _, draw) => textOf(draw.honest(draw.terms())) + draw.pick('\n', ' | ', ' ', '') + honest,
  ),
  kind('of another wallet', (_, nonce, draw) => challengeText(serviceName, draw.key(), nonce)),
  kind('of another service', (_, nonce, draw) =>
    challengeText(draw.pick('Worm', 'svc', 'SVC ', 'ЅVC', ''), draw.wallet.address, nonce),
  ),
  kind('with another nonce', (_, nonce, draw) =>
    challengeText(
      serviceName,
      draw.wallet.address,
      draw.other(nonce, () => nonceOf(draw)),
    ),
  ),
  kind('one character changed', (honest, _, draw) => {
    const at = draw.below(honest.length);
    const by = draw.other(honest[at] ?? '', () => String.fromCharCode(32 + draw.below(0x500)));
    return honest.slice(0, at) + by + honest.slice(at + 1);
  }),
  kind('text behind or before it', (honest, _, draw) => {
    const more = draw.pick(' ', '\n', '\0', '\u200b', '\ufeff', ' | Transfer: all');
    return draw.chance(0.5) ? honest + more : more + honest;
  }),
  {
    name: 'challenge: a nonce that goes on',
    because: NONCE,
    make: (draw) => {
      const end = draw.pick(...ENDS);
      const nonce = end === '' ? '' : `${nonceOf(draw)}${end}`;
      return { message: challengeText(serviceName, draw.wallet.address, nonce), nonce };
    },
  },
];
