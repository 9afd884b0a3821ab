/** Light or dark: the system's choice until the reader chooses. */

const page = document.documentElement;
page.classList.add('scripted');

const KEY = 'twinbook-report-theme';
const isDark = () => {
  const chosen = page.dataset['theme'];
  return chosen === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark';
};

/** Pages that were opened from a file may not be allowed to remember anything. */
function remembered() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function remember(/** @type {string} */ theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Then it holds until the page is closed.
  }
}

const before = remembered();
if (before === 'light' || before === 'dark') page.dataset['theme'] = before;

/** The charts are drawn in colours of the theme. */
const tell = () => document.dispatchEvent(new CustomEvent('theme-changed'));

document.getElementById('theme')?.addEventListener('click', () => {
  const theme = isDark() ? 'light' : 'dark';
  page.dataset['theme'] = theme;
  remember(theme);
  tell();
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', tell);
