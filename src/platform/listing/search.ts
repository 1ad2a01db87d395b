import type { Bind } from './bind.ts';
import type { Address, Search } from './fields.ts';

export const maxSearchCharacters = 200;
/** Shorter words are in nearly every name, and have no trigram. */
const minCharactersWithin = 3;
/** A text that is a phone, however it is spelled. */
export const phone = /^\+?[\d\s()./-]*\d[\d\s()./-]*$/;

/** The words of a search, each once. A search that looks like a phone is a single word of digits. */
export function wordsOf(search: string): string[] {
  if (phone.test(search)) return [search.replace(/\D/g, '')];
  return [...new Set(search.split(/\s+/).filter(Boolean))];
}

/** Found at the beginning of a word only. */
export const isShort = (word: string) => [...word.normalize('NFKC')].length < minCharactersWithin;

/** A text for `like` in which nothing is a wildcard. */
const plainSql = (sql: string) => `regexp_replace(${sql}, '([\\\\%_])', '\\\\\\1', 'g')`;

/** Enough to leave few records: the rest of an email is its domain, whose trigrams a million others have. */
const tellingLength = 16;

/** The part of an address by which the index finds it. */
export function tellingOf({ isPhone }: Address, value: string): string {
  const address = isPhone ? value.replace(/^\++/, '') : value;
  // Other text may not be cut before it is folded: a mark can change the letter before it.
  return /^[ -~]*$/.test(address) ? address.slice(0, tellingLength) : address;
}

/** True for every record with this address, and for few others: the index of the search finds it. */
export const addressSql = (address: Address, value: string, bind: Bind): string =>
  `${address.text} like E'%\\n' || ${plainSql(`searchable(${bind(tellingOf(address, value))}::text)`)} || '%'`;

/** A word as SQL: an index finds `found`; `holds` is compared in each record found. */
export type WordSql = { found: string; holds?: string };

/**
 * A record whose words or addresses have this one: from three characters anywhere in the words, a shorter one at the beginning of a word; an
 * address by its beginning. `text` holds the words, each after a space, and then the addresses, each after a line break, all as
 * `searchable()` writes them.
 */
export function wordSql({ text, words }: Search, word: string, bind: Bind): WordSql {
  const given = `${bind(word)}::text`;
  const sought = `searchable(${given})`;
  const plain = plainSql(sought);
  if (isShort(word)) return { found: `(${text} like '% ' || ${plain} || '%' or ${text} like E'%\\n' || ${plain} || '%')` };
  return {
    found: `${text} like '%' || ${plain} || '%'`,
    // Leaves out matches within an address or an encoded letter.
    holds: `case when strpos(${text}, E'\\n' || ${sought}) > 0 then true else strpos(fold(${words}), fold(${given})) > 0 end`,
  };
}
