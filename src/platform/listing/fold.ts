import { replaced } from './unaccented.ts';

/* In memory what `like.ts` and the function `fold` do in the database. The test walks over all characters. */

/** Full case folding is that of lower case after upper case, but for these. */
const foldsToItself = 'ı';
const cherokee = /[\u13a0-\u13fd\uab70-\uabbf]/;

const foldedLetter = (letter: string): string => {
  if (letter === foldsToItself) return letter;
  return cherokee.test(letter) ? letter.toUpperCase() : letter.toLowerCase().toUpperCase().toLowerCase();
};

const isAscii = (text: string) => /^[\0-\x7f]*$/.test(text);

/** Letter by letter: a sigma at the end of a word is no other. */
export function caselessText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  let folded = '';
  for (const letter of text) folded += foldedLetter(letter);
  return folded;
}

const replacements = new Map(
  Object.entries(replaced).flatMap(([plain, letters]) => [...letters].map((letter) => [letter, plain] as const)),
);
/** What the dictionary takes away. */
const marks = /[\u0300-\u0362\u20dd-\u20e0\u20e2-\u20e4]/gu;
/** What it leaves as it is though it can be decomposed: some ligatures, Cyrillic but for Ё, arrows and signs of mathematics. */
const kept = /[ǢǣǮǯǼǽǾǿЀЂ-ѐђ-ӿ\u2190-\u22ff\u{105c9}\u{105e4}]/u;

function unaccentedLetter(letter: string): string {
  const replacement = replacements.get(letter);
  if (replacement !== undefined) return replacement;
  return kept.test(letter) ? letter : letter.normalize('NFD').replace(marks, '').normalize('NFC');
}

/** Without accents, case and compatibility forms, as names are compared. */
export function foldedText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  let plain = '';
  for (const letter of text.normalize('NFKC')) plain += unaccentedLetter(letter);
  return caselessText(plain);
}
