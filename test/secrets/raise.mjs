// Loaded into a process (`--import`): at SIGWINCH it dies of an error that carries, in every way, what RAISED_SECRET holds.
const secret = process.env.RAISED_SECRET ?? '';
process.on('SIGWINCH', () => {
  const cause = Object.assign(new Error(`cause: ${secret}`), { config: { headers: { 'SVC-SIGNATURE': secret } } });
  throw Object.assign(new Error(`boom: ${Buffer.from(secret).toString('base64')} ${secret}`, { cause }), { secret });
});
