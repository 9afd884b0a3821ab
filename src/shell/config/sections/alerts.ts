/** The `alerts` of a trader's file: what each kind of channel wants, and where its files are. */

import { toSettings } from '../../../shared/base/settings.js';
import type { Problem } from '../problems.js';
import { channelSchema, type TraderFile } from '../schema.js';
import type { At } from './venue.js';

type AlertsFile = TraderFile['alerts'];
type ChannelFile = AlertsFile['channels'][string];
type Key = 'to' | 'from' | 'signing_file' | 'commands' | 'users';

/** Required and optional keys of a kind. */
const NEEDS: Readonly<Record<ChannelFile['kind'], readonly Key[]>> = {
  webhook: [],
  slack: [],
  discord: [],
  ntfy: [],
  telegram: ['to'],
  mail: ['to', 'from'],
};
/** Optional keys of a kind. */
const MAY: Readonly<Partial<Record<ChannelFile['kind'], readonly Key[]>>> = {
  webhook: ['signing_file'],
  telegram: ['commands', 'users'],
};
const KEYS: readonly Key[] = ['to', 'from', 'signing_file', 'commands', 'users'];
const mayHave = (kind: ChannelFile['kind'], key: Key): boolean =>
  NEEDS[kind].includes(key) || MAY[kind]?.includes(key) === true;

export function alertProblems({ channels, escalation }: AlertsFile, at: At): readonly Problem[] {
  const ofChannels = Object.entries(channels).flatMap(([name, channel]) => {
    const { kind } = channel;
    const place = ['alerts', 'channels', name];
    const missing = NEEDS[kind].filter((key) => channel[key] === undefined);
    const foreign = KEYS.filter((key) => channel[key] !== undefined && !mayHave(kind, key));
    const { commands = [], users } = channel;
    const lonely =
      commands.length > 0 && users === undefined
        ? [at([...place, 'commands'], 'commands want users: the numbers at Telegram of the people who may')]
        : [];
    return [
      ...lonely,
      ...missing.map((key) => at(place, `a channel of kind ${kind} wants ${key}`)),
      ...foreign.map((key) => at([...place, key], `a channel of kind ${kind} has no ${key}; remove it`)),
    ];
  });
  const unknown = escalation.flatMap((name, i) =>
    name in channels ? [] : [at(['alerts', 'escalation', i], `${JSON.stringify(name)} is no channel of alerts`)],
  );
  return [...ofChannels, ...unknown];
}

/** Of alerts without a problem. */
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

/** Whether there is anything for a console to do. */
export const isConsoleWanted = ({
  dashboard,
  alerts,
}: {
  readonly dashboard: { readonly enabled: boolean };
  readonly alerts: ReturnType<typeof makeAlerts>;
}): boolean => dashboard.enabled || alerts.channels.length > 0 || alerts.heartbeat !== null;
