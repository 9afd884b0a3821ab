/** `twinbook alerts`: whether a channel of alerts reaches anybody. */

import type { Command } from 'commander';
import { TwinbookError } from '../../shared/base/errors.js';
import { loadTraderConfig } from '../../shell/config/load.js';
import { EXIT } from '../output/exit.js';
import { addAction, addConfigOption, type Session } from '../output/io.js';

export function addAlertCommands(program: Command, session: Session): void {
  const alerts = program.command('alerts').description('channels that tell people who do not look');
  const test = alerts
    .command('test')
    .description('sends one message over a channel, now, and says what became of it')
    .argument('<channel>', 'its name under alerts.channels');
  addAction<{ config: string }>(addConfigOption(test), session, async (options, [name = '']) => {
    const config = loadTraderConfig(options.config, session.io);
    const { channels } = config.alerts;
    const channel = channels.find((one) => one.name === name);
    if (channel === undefined) {
      const known = channels.map((one) => one.name).join(', ') || 'none';
      throw new TwinbookError('usage', `there is no alert channel ${JSON.stringify(name)}`, `There are: ${known}.`);
    }
    const { testChannel } = await import('../../shell/console/test-channel.js');
    const delivery = await testChannel(config.file, channel);
    if (delivery.kind !== 'delivered') {
      throw new TwinbookError(
        'timed_out',
        `${name} did not take the message: ${delivery.why}`,
        'Look at its address file.',
      );
    }
    session.io.out(`${name} took the message; look whether it arrived\n`);
    return EXIT.ok;
  });
}
