/** Which markets of a list a strategy wants, by what the list says of them: one rule for the trader, backtests and rehearsals. */

export interface MarketFilter {
  /** Empty for every category. */
  readonly categories: readonly string[];
  /** In any case; a title that contains one of them is wanted. Absent or empty: every title. */
  readonly words?: readonly string[];
  /** In any case; a title that contains one of them is not wanted. */
  readonly withoutWords?: readonly string[];
  /** Condition ids that are not wanted. */
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
