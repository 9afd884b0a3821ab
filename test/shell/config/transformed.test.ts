import { expect, it } from 'vitest';
import { transformedBy } from '../../../src/shell/config/strategy-module.js';

function recorder() {
  const asked: string[] = [];
  const transform = transformedBy({
    transform: ({ source }) => {
      asked.push(source);
      return `made of ${source}`;
    },
  });
  return { asked, transform };
}

it('makes the code of a text once, and anew of another text, of another file and in another way', () => {
  const first = recorder();
  expect(first.transform({ source: 'a', filename: '/s.ts', ts: true })).toEqual({ code: 'made of a' });
  // With another loader in this process, and in a thread that gets the kept files.
  const { asked, transform } = recorder();
  expect(transform({ source: 'a', filename: '/s.ts', ts: true })).toEqual({ code: 'made of a' });
  expect(asked).toEqual([]);
  transform({ source: 'b', filename: '/s.ts', ts: true });
  transform({ source: 'a', filename: '/t.ts', ts: true });
  transform({ source: 'a', filename: '/s.ts', ts: false });
  expect(asked).toEqual(['b', 'a', 'a']);
});

it('keeps the last 32', () => {
  const { asked, transform } = recorder();
  for (let i = 0; i < 33; i++) transform({ source: `${i}` });
  transform({ source: '1' });
  expect(asked).toHaveLength(33);
  transform({ source: '0' });
  expect(asked).toHaveLength(34);
});
