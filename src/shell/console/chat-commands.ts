/** Requests of listed users by message: status, acknowledge an alert, stop. None starts again. */

import { TelegramListener, type UpdateMemory } from '../alerts/telegram/listener.js';
import type { ChatCommand } from '../config/schema.js';
import type { ChannelConfig } from '../config/types.js';
import { nowMs } from '../runtime/clock.js';
import { acknowledge, act } from './actions.js';
import { moneyText } from './page-market.js';
import { judgeMode } from './page-state.js';
import type { ShownParts } from './shown-parts.js';
import type { AlertStore } from './store/alert-store.js';
import type { Watch } from './watch.js';

export interface ChatOptions extends Pick<ShownParts, 'config' | 'name' | 'trader'> {
  readonly watch: Pick<Watch, 'open' | 'isOnDuty'>;
  readonly alerts: Pick<AlertStore, 'acknowledge'>;
  readonly memory: UpdateMemory;
  readonly guardian: Pick<ShownParts['guardian'], 'status'>;
  readonly note: (text: string) => void;
}

/** One listener per channel with commands; none by default. Returns a handle that ends them. */
export function listenForCommands(options: ChatOptions): { close(): void } {
  const { config, name, memory, watch, note } = options;
  const listeners = config.alerts.channels
    .filter(({ commands }) => commands.length > 0)
    .map((channel) => {
      const perform = (command: ChatCommand, about: string | null, user: number) =>
        performCommand(options, channel, { command, about, user });
      return new TelegramListener({
        channel,
        trader: name,
        perform,
        memory,
        onDuty: () => watch.isOnDuty,
        nowMs,
        note,
      });
    });
  for (const listener of listeners) void listener.run();
  return {
    close: () => {
      for (const listener of listeners) listener.close();
    },
  };
}

interface Asked {
  readonly command: ChatCommand;
  readonly about: string | null;
  readonly user: number;
}

/** Its result, for the sender. */
export async function performCommand(
  options: ChatOptions,
  { detail }: Pick<ChannelConfig, 'detail'>,
  { command, about, user }: Asked,
): Promise<string> {
  if (command === 'status') return statusText(options, detail === 'bare');
  if (command === 'ack') return acknowledge(options, about).text;
  const { control, ledger } = options.config;
  const place = { socket: control.socket, ledgerPath: ledger.path };
  const { refusal, text } = await act(command, `by Telegram, user ${user}`, place);
  if (refusal !== null) return `${command} was refused: ${refusal}`;
  return text === 'done' ? `${command} is obeyed; ask for status to see what rests` : `${command}: ${text}`;
}

/** @param isBare without a figure or a reason */
function statusText({ trader, watch, guardian }: ChatOptions, isBare: boolean): string {
  const { mode, reason } = judgeMode(trader);
  const { account, frameMs } = trader;
  const open = watch.open.map(({ kind, acknowledgedMs }) => (acknowledgedMs === null ? kind : `${kind} (seen)`));
  const alerts = `alerts: ${open.length === 0 ? 'none is open' : open.join(', ')}`;
  if (isBare) return `${mode}\n${alerts}`;
  const lines = [reason === '' ? mode : `${mode}, ${reason}`];
  if (account !== null) {
    const asOf =
      trader.isCurrent || frameMs === null ? '' : `, as of ${new Date(frameMs).toISOString().slice(0, 19)} UTC`;
    const { openOrders: resting, unknownOrders: unknown, fills, resultMicros: result } = account;
    lines.push(
      `result ${moneyText(result) || 'unknown'}, loss of this day ${moneyText(account.losses.dayLossMicros)}${asOf}`,
      `orders ${resting} open, ${unknown} unknown; fills of this run ${fills}`,
    );
  }
  return [...lines, alerts, `guardian: ${guardian.status()}`].join('\n');
}
