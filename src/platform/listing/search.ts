import type { Bind } from './bind.ts';
import type { Address, Search } from './fields.ts';

export const maxSearchCharacters = 200;
/** Shorter words are in nearly every name and have no trigram. */
const minCharactersWithin = 3;
/** Up to the first digit one way to match, after it another: each character is read once, however long a filter's value is. */
export const phone = /^\+?[\s()./-]*\d[\d\s()./-]*$/;

export function wordsOf(search: string): string[] {
  // A pasted number may have marks of direction.
  const unmarked = search.replace(/\p{Cf}/gu, '');
  if (phone.test(unmarked)) return [unmarked.replace(/\D/g, '')];
  // A user name may be written with an @.
  return [
    ...new Set(
      search
        .split(/\s+/)
        .map((word) => word.replace(/^@(?=.)/, ''))
        .filter(Boolean),
    ),
  ];
}

/** Scripts that put no space between words; a character of them is several of the index. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
export const isUnspaced = (word: string) => unspaced.test(word.normalize('NFKC'));

export const isShort = (word: string) => !isUnspaced(word) && [...word.normalize('NFKC')].length < minCharactersWithin;

const plainSql = (sql: string) => `regexp_replace(${sql}, '([\\\\%_])', '\\\\\\1', 'g')`;

/** Enough to leave few records: the rest of an email is its domain, whose trigrams a million others have. */
const tellingLength = 16;

export function tellingOf({ isPhone }: Address, value: string): string {
  const address = isPhone ? value.replace(/^\++/, '') : value;
  // Other text is not cut before folding: a mark can change the letter before it.
  return /^[ -~]*$/.test(address) ? address.slice(0, tellingLength) : address;
}

/** True for this address and few others: the search index finds it. */
export const addressSql = (address: Address, value: string, bind: Bind): string =>
  `${address.text} like E'%\\n' || ${plainSql(`searchable(${bind(tellingOf(address, value))}::text)`)} || '%'`;

/** A word as SQL: an index finds `found`; `holds` is compared in each record found. */
export type WordSql = { found: string; holds?: string };

/** `text` holds words, each after a space, then addresses, each after a line break, all as `searchable()` writes them. */
export function wordSql({ text, words }: Search, word: string, bind: Bind): WordSql {
  const given = `${bind(word)}::text`;
  const sought = `searchable(${given})`;
  const plain = plainSql(sought);
  const endOfPhone = /^\d+$/.test(word) ? ` when ${text} ~ (E'\\n[0-9]*' || ${sought} || E'(\\n|$)') then true` : '';
  if (isShort(word)) return { found: `(${text} like '% ' || ${plain} || '%' or ${text} like E'%\\n' || ${plain} || '%')` };
  return {
    found: `${text} like '%' || ${plain} || '%'`,
    // Leaves out matches within an address or an encoded letter, not the end of a phone.
    holds: `case when strpos(${text}, E'\\n' || ${sought}) > 0 then true${endOfPhone} else strpos(fold(${words}), fold(${given})) > 0 end`,
  };
}
