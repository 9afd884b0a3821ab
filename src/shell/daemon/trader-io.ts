/** What a trader's process has around it: a terminal, signals, the environment. */

import type { Terminal } from './screen.js';

export interface TraderIo extends Pick<Terminal, 'out'> {
  readonly err: (text: string) => void;
  /** Whether so much of `out` waits to be read that nothing more should be shown for now. */
  readonly isUnread: () => boolean;
  readonly raw: { readonly out: (sequence: string) => void };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether every note on recorded market data is printed; false if left out. */
  readonly verbose?: boolean;
  readonly stopAsked: () => Promise<void>;
  /** Calls back at each signal that kills (SIGUSR2). */
  readonly onKillSignal: (kill: (reason: string) => void) => void;
  /** Calls back with a text for the log at each signal that does nothing (SIGUSR1). */
  readonly onUnusedSignal: (tell: (text: string) => void) => void;
  /** Calls back with each error that no code caught; the process then no longer ends of it. */
  readonly onUncaught: (take: (error: unknown) => void) => void;
}
