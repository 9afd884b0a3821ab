import { describe, expect, it } from 'vitest';
import { loadTraderConfig } from '../../../src/shell/config/load.js';
import { folderOf } from '../../support/folders.js';
import { trader } from './files.js';

const load = (database: string, more = '') => {
  const cwd = folderOf({ 'trader.yaml': trader(`fleet: { database: "${database}", name: mm-1 }\n${more}`) });
  return { cwd, read: () => loadTraderConfig('trader.yaml', { env: {}, cwd }).fleet };
};

describe('the fleet of a trader file', () => {
  it.each([
    ['postgresql://u@127.0.0.1:5433/d', { host: '127.0.0.1', port: 5433, database: 'd', user: 'u', tls: 'off' }],
    ['postgres://u@db.example/d', { host: 'db.example', port: 5432, tls: 'verified' }],
    ['postgresql://u@db.example/d?sslmode=require', { tls: 'unverified' }],
    ['postgresql:///d?host=/run/postgresql&user=u', { host: '/run/postgresql', user: 'u', tls: 'off' }],
  ])('reads the address %s', (address, expected) => {
    expect(load(address).read()).toMatchObject({ name: 'mm-1', leaseMs: 20_000, standby: false, database: expected });
  });

  it('finds a certificate from its file', () => {
    const { cwd, read } = load('postgresql://u@db/d?sslrootcert=root.pem');
    expect(read()?.database.rootCert).toBe(`${cwd}/root.pem`);
  });

  it.each([
    ['postgresql://u:sesame-open@db/d', /fleet\.database.*contains a password; remove it/],
    ['postgresql://u@db/d?password=sesame-open', /contains a password; remove it/],
    ['mysql://u@db/d', /wants postgresql:/],
    ['postgresql://u@db', /wants postgresql:/],
    ['postgresql://u@db/%zz', /wants postgresql:/],
    ['postgresql://db/d', /wants postgresql:/],
    ['postgresql://u@db/d?options=-cx', /has the parameter options/],
    ['postgresql://u@db/d?sslmode=prefer', /the sslmode is none of/],
  ])('refuses %s, and does not repeat a password', (address, expected) => {
    const { read } = load(address);
    expect(read).toThrow(expected);
    expect(read).not.toThrow(/sesame/);
  });

  it('is none for a trader whose exchange ends with it', () =>
    expect(load('postgresql://u@db/d', 'exchange: {}').read).toThrow(/cannot use an embedded exchange/));
});
