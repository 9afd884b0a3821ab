/** One message over one channel, now. */

import { randomBytes } from 'node:crypto';
import { parse } from 'node:path';
import type { Delivery } from '../alerts/contract.js';
import { openSender } from '../alerts/senders.js';
import type { ChannelConfig } from '../config/config.js';
import { nowMs } from '../runtime/clock.js';

/** Throws TwinbookError when the channel's secret cannot be read. */
export function testChannel(configFile: string, channel: ChannelConfig): Promise<Delivery> {
  const send = openSender(channel, { trader: parse(configFile).name, nowMs });
  return send({
    id: randomBytes(6).toString('hex'),
    timeMs: nowMs(),
    severity: 'info',
    kind: 'test',
    state: 'once',
    title: 'a test',
    text: 'a user requested this message with `twinbook alerts --test`',
  });
}
