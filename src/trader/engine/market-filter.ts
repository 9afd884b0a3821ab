/** Selects a strategy's markets by their list rows. The trader, backtests and rehearsals use this one rule. */

export interface MarketFilter {
  /** Empty for every category. */
  readonly categories: readonly string[];
  /** Case-insensitive; titles that contain one of them are selected. Absent or empty: every title. */
  readonly words?: readonly string[];
  /** Case-insensitive; titles that contain one of them are excluded. */
  readonly withoutWords?: readonly string[];
  /** Excluded condition ids. */
  readonly except?: readonly string[];
}

export interface ListedMarket {
  readonly conditionId: string;
  readonly title: string;
  readonly category: string | null;
}

export function isWanted(filter: MarketFilter, { conditionId, title, category }: ListedMarket): boolean {
  const { categories, words = [], withoutWords = [], except = [] } = filter;
  if (categories.length > 0 && !categories.some((name) => name === category)) return false;
  if (except.includes(conditionId)) return false;
  const shown = title.toLowerCase();
  const says = (word: string) => shown.includes(word.toLowerCase());
  return (words.length === 0 || words.some(says)) && !withoutWords.some(says);
}
