/** Decoder of the page's encoded columns of numbers. */

/** Decodes a text that `columnText` has encoded. @param {string} text @returns {(number | null)[]} */
export function readColumn(text) {
  const colon = text.indexOf(':');
  const unit = Number(text.slice(0, colon));
  /** @type {(number | null)[]} */
  const values = [];
  let value = 0;
  for (const token of text.slice(colon + 1).split(' ')) {
    const [step = '', times = '1'] = token.split('*');
    if (step === '') continue;
    for (let i = 0; i < Number(times); i++) {
      if (step !== '_') value += Number(step) * unit;
      values.push(step === '_' ? null : value);
    }
  }
  return values;
}
