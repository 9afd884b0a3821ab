/** The `alerts` of a trader's file: keys of each kind of channel, and paths of their files. */

import { toSettings } from '../../../shared/base/settings.js';
import { type At, type KindKeys, kindProblems } from '../explain-issues.js';
import type { Problem } from '../problems.js';
import { channelSchema, type TraderFile } from '../schema.js';

type AlertsFile = TraderFile['alerts'];
type ChannelKind = AlertsFile['channels'][string]['kind'];

const NONE = { wants: [], may: [] };
const KEYS: KindKeys<ChannelKind> = {
  webhook: { wants: [], may: ['signing_file'] },
  slack: NONE,
  discord: NONE,
  ntfy: NONE,
  telegram: { wants: ['to'], may: ['commands', 'users'] },
  mail: { wants: ['to', 'from'], may: [] },
};

export function alertProblems({ channels, escalation }: AlertsFile, at: At): readonly Problem[] {
  const ofChannels = Object.entries(channels).flatMap(([name, channel]) => {
    const path = ['alerts', 'channels', name];
    const { commands = [], users } = channel;
    const lonely = 'commands want users: the numbers at Telegram of the people who may';
    return [
      ...(commands.length > 0 && users === undefined ? [at([...path, 'commands'], lonely)] : []),
      ...kindProblems('channel', channel, KEYS, path, at),
    ];
  });
  const unknown = escalation.flatMap((name, i) =>
    name in channels ? [] : [at(['alerts', 'escalation', i], `${JSON.stringify(name)} is no channel of alerts`)],
  );
  return [...ofChannels, ...unknown];
}

/** The alerts must be without a problem. */
export function makeAlerts(alerts: AlertsFile, absolute: (path: string) => string) {
  const { heartbeat } = alerts;
  return {
    channels: Object.entries(alerts.channels).map(([name, channel]) => ({
      name,
      ...toSettings(channelSchema, channel, absolute),
      commands: channel.commands ?? [],
      users: channel.users ?? [],
    })),
    escalation: alerts.escalation,
    quietHours: alerts.quiet_hours,
    heartbeat: heartbeat === undefined ? null : { urlFile: absolute(heartbeat.url_file) },
  };
}

/** Whether a console has any work. */
export const isConsoleWanted = ({
  dashboard,
  alerts,
}: {
  readonly dashboard: { readonly enabled: boolean };
  readonly alerts: ReturnType<typeof makeAlerts>;
}): boolean => dashboard.enabled || alerts.channels.length > 0 || alerts.heartbeat !== null;
