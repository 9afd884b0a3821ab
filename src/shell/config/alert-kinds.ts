/** Kinds of alert channels, and how urgent an alert is, from the least up. */

export const ALERT_SEVERITIES = ['info', 'warning', 'critical'] as const;
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number];

export const CHANNEL_KINDS = ['webhook', 'slack', 'discord', 'ntfy', 'telegram', 'mail'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];
