/** Kinds of alert channels, and severities of alerts, ascending. */

export const ALERT_SEVERITIES = ['info', 'warning', 'critical'] as const;
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number];

export const CHANNEL_KINDS = ['webhook', 'slack', 'discord', 'ntfy', 'telegram', 'mail'] as const;

/**
 * Commands by a message to a bot, and those that stop the trader. None resumes: a stolen telephone can only stop it.
 */
export const STOPPING_COMMANDS = ['pause', 'reduce-only', 'kill'] as const;
export const CHAT_COMMANDS = ['status', 'ack', ...STOPPING_COMMANDS] as const;
export type ChatCommand = (typeof CHAT_COMMANDS)[number];
