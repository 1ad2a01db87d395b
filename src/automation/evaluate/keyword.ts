import type { Trigger } from '../definition/definition.ts';

export type KeywordTrigger = Extract<Trigger, { type: 'keyword' }>;

/**
 * SQL: the words of a message of the contact as search has them: what was written, the title of a chosen button or list row, a file's caption. `m`: the
 * message.
 */
export const foldedWords = (m: string) => `
  fold(case ${m}.type
         when 'text' then ${m}.content->>'body'
         when 'button' then ${m}.content->>'text'
         when 'interactive' then coalesce(${m}.content->'button_reply'->>'title', ${m}.content->'list_reply'->>'title')
         when 'image' then ${m}.content->>'caption'
         when 'video' then ${m}.content->>'caption'
         when 'document' then ${m}.content->>'caption' end)`;

/** Nobody sees these: how a keyboard writes an emoji, or the direction of a text. */
const unseen = /\p{Default_Ignorable_Code_Point}/gu;
const tidy = (folded: string) => folded.replace(unseen, '').replace(/\s+/gu, ' ').trim();

const matches: Record<KeywordTrigger['match'], (words: string, keyword: string) => boolean> = {
  exact: (words, keyword) => words === keyword,
  contains: (words, keyword) => words.includes(keyword),
  starts_with: (words, keyword) => words.startsWith(keyword),
};

/** Both sides are folded by the database: as the filters of the lists compare texts. An empty keyword matches nothing. */
export function matchesKeyword(match: KeywordTrigger['match'], foldedKeywords: string[], folded: string): boolean {
  const words = tidy(folded);
  return foldedKeywords.map(tidy).some((keyword) => keyword !== '' && matches[match](words, keyword));
}
