/** Spreadsheet files: requested with the proof of a session, which a link cannot carry, and then passed to the user. */

import { route } from './address.js';
import { ask } from './ask.js';
import { part, setText } from './dom.js';

/** @param {string} name */
async function download(name) {
  const { trader } = route();
  const query = trader === null ? '' : `?${new URLSearchParams({ trader })}`;
  try {
    const response = await ask(`/csv/${name}${query}`);
    if (!response.ok) return setText(part('unknown'), (await response.json()).error);
    const address = URL.createObjectURL(await response.blob());
    const anchor = document.createElement('a');
    const of = trader === null ? '' : `${trader.replaceAll('/', '-')}-`;
    anchor.setAttribute('download', `${of}${name}.csv`);
    anchor.setAttribute('href', address);
    anchor.click();
    // The browser has taken it by the next turn.
    setTimeout(() => URL.revokeObjectURL(address), 0);
  } catch {
    setText(part('unknown'), `${name}: no answer`);
  }
}

export function startFiles() {
  for (const button of document.querySelectorAll('button[data-csv]'))
    button.addEventListener('click', () => void download(button.getAttribute('data-csv') ?? ''));
}
