/** Bounds on connections and answers that foreign clients can cause. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { provePage } from '../../src/shell/console/page-access.js';
import { serveControl } from '../../src/shell/control/control-server.js';
import { newFolder } from '../support/folders.js';
import { listeningWeb } from '../support/listening.js';

it('the control socket takes 64 connections at a time and ends the others', async () => {
  const path = join(newFolder(), 'control.sock');
  const server = await serveControl(path, {
    answer: () => Promise.reject(new Error('nothing is asked')),
    subscribe: () => 'no reader subscribes',
  });
  onTestFinished(() => server.close());
  const open = async (): Promise<Socket> => {
    const socket = connect(path);
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  const answers = async (socket: Socket): Promise<boolean> => {
    const said = Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)]);
    socket.write('no command\n');
    return said;
  };
  for (let count = 0; count < 64; count++) expect(await answers(await open())).toBe(true);
  const beyond = connect(path);
  onTestFinished(() => void beyond.destroy());
  beyond.on('error', () => undefined);
  await once(beyond, 'close');
});

it('a stranger at the address of the page is not read beyond a greeting', async () => {
  let sent = 0;
  const piece = Buffer.alloc(65_536, ' ');
  const { url } = await listeningWeb((_, response) => {
    const push = (): void => {
      while (!response.destroyed && sent < 2 ** 30) {
        sent += piece.length;
        if (!response.write(piece)) return void response.once('drain', push);
      }
      response.end();
    };
    push();
  });
  expect(await provePage(`${url}/`, 'secret')).toBe('not proven');
  expect(sent).toBeLessThan(2 ** 26);
});
