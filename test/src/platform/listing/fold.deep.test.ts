import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { caselessText, foldedText } from '../../../../src/platform/listing/fold.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { fc } from '../../../support/fast-check.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

/** New in Unicode 17, which Node has and PostgreSQL 18 has not. */
const isYounger = (n: number) => [0xa7ce, 0xa7cf, 0xa7d2, 0xa7d4, 0xa7f1].includes(n) || (n >= 0x16ea0 && n <= 0x16ed3);
const isCharacter = (n: number) => (n < 0xd800 || n > 0xdfff) && !isYounger(n);

const inDatabase = {
  casefold: 'casefold(given collate pg_unicode_fast)',
  fold: 'fold(given)',
};

async function folded(how: keyof typeof inDatabase, texts: string[]): Promise<string[]> {
  const { rows } = await client.query<{ folded: string }>(
    `select ${inDatabase[how]} as folded
       from unnest($1::text[]) with ordinality as x(given, place)
      order by place`,
    [texts],
  );
  return rows.map((row) => row.folded);
}

describe.each([
  ['casefold', caselessText],
  ['fold', foldedText],
] as const)('%s', (how, inMemory) => {
  test('folds every character as the database does', async () => {
    const all = Array.from({ length: 0x10ffff }, (_, index) => index + 1)
      .filter(isCharacter)
      .map((n) => String.fromCodePoint(n));
    const theirs = await folded(how, all);
    const others = all.filter((letter, index) => inMemory(letter) !== theirs[index]);
    expect(others).toEqual([]);
  });

  test('folds texts as the database does', async () => {
    const tricky = fc.constantFrom(...'ßẞıİΣσςǅﬁﬀ㎏Åéé̃ŉЁёЙй가각ǢꭰᎠ', '\u0301', '\u0345', '👩‍💻', 'ΑΣ', 'İ');
    const text = fc.array(fc.oneof(tricky, fc.string({ unit: 'binary', maxLength: 3 })), { maxLength: 8 });
    const texts = fc.sample(text, 3_000).map((parts) => parts.join(''));
    const ours = texts.filter((one) => !one.includes('\0') && ![...one].some((letter) => isYounger(letter.codePointAt(0)!)));
    const theirs = await folded(how, ours);
    expect(ours.filter((one, index) => inMemory(one) !== theirs[index])).toEqual([]);
  });
});
