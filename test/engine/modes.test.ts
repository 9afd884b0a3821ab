import { describe, expect, it } from 'vitest';
import { Modes } from '../../src/engine/modes.js';

const fresh = (stored = { paused: null, killed: null } as const) => new Modes(stored);
const reason = 'because';

describe('modes', () => {
  it('let nothing quote before everything of ours has been seen', () => {
    const modes = fresh();
    expect(modes.mode(null).mode).toBe('starting');
    modes.started();
    expect(modes.mode(null).mode).toBe('quoting');
  });

  it('give way to the strictest that applies', () => {
    const modes = fresh();
    modes.started();
    modes.apply({ kind: 'pause', reason });
    expect(modes.mode(null).mode).toBe('paused');
    expect(modes.mode('lost 50 today').mode).toBe('halted');
    modes.apply({ kind: 'kill', reason });
    expect(modes.mode('lost 50 today')).toEqual({ mode: 'killed', reason });
    modes.apply({ kind: 'stop' });
    expect(modes.mode(null).mode).toBe('stopping');
  });

  it('keep a kill and a pause over a restart, and let resume not lift a kill', () => {
    const modes = fresh();
    modes.apply({ kind: 'kill', reason });
    modes.apply({ kind: 'pause', reason });
    const again = new Modes(modes.stored);
    again.started();
    again.apply({ kind: 'resume', reason });
    expect(again.mode(null).mode).toBe('killed');
    again.apply({ kind: 'unkill', reason });
    expect(again.mode(null).mode).toBe('quoting');
  });

  it('call it proven only after two reads in a row that show nothing', () => {
    const modes = fresh();
    modes.started();
    modes.apply({ kind: 'stop' });
    modes.proof(0, 1);
    modes.proof(1, 2);
    modes.proof(0, 3);
    expect(modes.mode(null).mode).toBe('stopping');
    modes.proof(0, 4);
    expect(modes.mode(null).mode).toBe('stopped');
    expect(modes.provenMs).toBe(4);
  });

  it('forget a proof as soon as something is under way again', () => {
    const modes = fresh();
    modes.started();
    modes.apply({ kind: 'kill', reason });
    modes.proof(0, 1);
    modes.unsettled();
    modes.proof(0, 2);
    expect(modes.wantsProof).toBe(true);
    modes.proof(0, 3);
    expect(modes.wantsProof).toBe(false);
  });

  it('flatten only once it is known what is ours, and end paused', () => {
    const modes = fresh();
    modes.apply({ kind: 'flatten' });
    expect(modes.mode(null).mode).toBe('paused');
    modes.started();
    expect(modes.mode(null).mode).toBe('flattening');
    expect(modes.stored.paused).not.toBeNull();
    modes.flattened();
    expect(modes.mode(null).mode).toBe('paused');
  });
});
