import type { Address, Bind, Search } from './fields.ts';

export const longestSearch = 200;
/** Shorter words would be found in nearly every name, and have no trigram of their own. */
const shortestWithin = 3;
/** A text that is a phone, however it is spelled. */
export const phone = /^\+?[\d\s()./-]*\d[\d\s()./-]*$/;

/** The words of a search, each once. One that looks like a phone as a whole is a single word of digits, however it is spelled. */
export function wordsOf(search: string): string[] {
  if (phone.test(search)) return [search.replace(/\D/g, '')];
  return [...new Set(search.split(/\s+/).filter(Boolean))];
}

/** Found at the beginning of a word only. */
export const isShort = (word: string) => [...word.normalize('NFKC')].length < shortestWithin;

/** A text for `like` in which nothing is a wildcard. */
const plainSql = (sql: string) => `regexp_replace(${sql}, '([\\\\%_])', '\\\\\\1', 'g')`;

/** Enough to leave few: more of an email are its domain's trigrams, which a million others have. */
const tellingLength = 16;

/** What of an address the index is asked for. */
export function tellingOf({ isPhone }: Address, value: string): string {
  const address = isPhone ? value.replace(/^\++/, '') : value;
  // What is folded may be cut nowhere else: a mark can change the letter before it.
  return /^[ -~]*$/.test(address) ? address.slice(0, tellingLength) : address;
}

/** True for every record with this address, and for few others: what the index of the search makes of an equal address. */
export const addressSql = (address: Address, value: string, bind: Bind): string =>
  `${address.text} like E'%\\n' || ${plainSql(`searchable(${bind(tellingOf(address, value))}::text)`)} || '%'`;

/** A word as SQL: `found` is the index's and the planner's, `holds` what must be looked at in each record that is found. */
export type WordSql = { found: string; holds?: string };

/**
 * A record whose words or addresses hold this one: from three characters anywhere in the words, shorter at the beginning of one; an
 * address by how it begins. `text` has what `words` has, a space before each word, and then each address after a line break, all of it as
 * `searchable()` writes it.
 */
export function wordSql({ text, words }: Search, word: string, bind: Bind): WordSql {
  const given = `${bind(word)}::text`;
  const sought = `searchable(${given})`;
  const plain = plainSql(sought);
  if (isShort(word)) return { found: `(${text} like '% ' || ${plain} || '%' or ${text} like E'%\\n' || ${plain} || '%')` };
  return {
    found: `${text} like '%' || ${plain} || '%'`,
    // Leaves out what stands within an address or an encoded letter.
    holds: `case when strpos(${text}, E'\\n' || ${sought}) > 0 then true else strpos(fold(${words}), fold(${given})) > 0 end`,
  };
}
