import { expect, it, onTestFinished } from 'vitest';
import { clientFor, orderBody, read, serveEachTest, server } from './fixture.js';
import { answering, rawServer } from './hostile-server.js';

/** Cases found by `npm run fuzz`. */

serveEachTest();

it('an answer that changes the protocol is unknown at once, not when the time is up', async () => {
  const raw = await rawServer((socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
  );
  const other = clientFor(raw.url, { timeoutMs: 20_000 });
  const { outcome } = await other.call('orders.create', { body: orderBody });
  expect(outcome).toEqual({ kind: 'unknown', sent: true, reason: 'answer in another protocol' });
  await other.close();
  await raw.stop();
});

it('many reads may wait for another attempt without a warning of the runtime', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  server.answer = answering(502, '<html>');
  await Promise.all(Array.from({ length: 20 }, () => read()));
  expect(warnings).toEqual([]);
});
