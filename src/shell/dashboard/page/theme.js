/** Light or dark: the system's choice until the user chooses. */

const THEME_KEY = 'twinbook-theme';

/** @param {string | null} theme */
function useTheme(theme) {
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
  document.dispatchEvent(new CustomEvent('theme-changed'));
}

const isDark = () => {
  const chosen = document.documentElement.dataset['theme'];
  return chosen === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark';
};

export function startTheme() {
  useTheme(localStorage.getItem(THEME_KEY));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => useTheme(null));
}

export function switchTheme() {
  const theme = isDark() ? 'light' : 'dark';
  localStorage.setItem(THEME_KEY, theme);
  useTheme(theme);
}
