import { caselessText, foldedText } from '../../platform/listing/fold.ts';

type Fold = (text: string) => string;
export type Folds = { caseless: Fold; folded: Fold };

/** What an evaluation folds, each text once: 50 conditions may ask about one long text. */
export const foldsOnce = (how: Folds = { caseless: caselessText, folded: foldedText }): Folds => ({
  caseless: once(how.caseless),
  folded: once(how.folded),
});

function once(fold: Fold): Fold {
  const known = new Map<string, string>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const folded = fold(text);
    known.set(text, folded);
    return folded;
  };
}
