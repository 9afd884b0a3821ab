/** Opens the page in the browser of this display. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Environment } from '../config/config.js';
import { writePrivateFile } from '../wallet/secrets.js';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', linux: 'xdg-open' };

export const hasDisplay = (env: Environment, platform = process.platform): boolean =>
  platform === 'darwin' ? !env['SSH_CONNECTION'] : Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);

/**
 * Every user of this machine can read a process's arguments. So the browser gets the name of a file of mode 0600 that
 * contains the address. Rejects when no program opens it.
 */
export async function openInBrowser(address: string, ledgerPath: string, env: Environment): Promise<void> {
  const file = `${ledgerPath}.page-open.html`;
  const script = `location.replace(${JSON.stringify(address)})`;
  const html = `<!doctype html><meta charset="utf-8"><title>Twinbook</title><script>${script}</script>\n`;
  writePrivateFile(file, html, 'the file that opens the dashboard', { replace: true, verify: () => undefined });
  const opener = OPENERS[process.platform] ?? 'xdg-open';
  const child = spawn(opener, [file], { detached: true, stdio: 'ignore', env });
  await once(child, 'spawn');
  child.unref();
}
