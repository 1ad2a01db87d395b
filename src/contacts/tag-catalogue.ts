import Joi from 'joi';
import { sql } from 'kysely';
import type { Own, Runs, Select } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { list, type Page } from '../platform/listing/paging.ts';
import { ContactTag, Tag } from './tag.entity.ts';

export type TagRow = RowOf<typeof Tag, 'id' | 'name' | 'created_at'>;
export type CountedTag = TagRow & { contacts: number };

export const maxTags = 10_000;

export const maxTagLength = 64;
export const tagName = Joi.string()
  .trim()
  .min(1)
  .max(maxTagLength)
  .pattern(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u)
  .messages({ 'string.pattern.base': '{{#label}} must be one line without control characters' })
  .description('Case and accents do not matter: the first spelling stays');

const catalogue = 'tags';
/** Held by every writer of a tag: the limit is exact and names are unique. Taken after every other lock. */
export const catalogueLock = (organizationId: string) => subjectLock(catalogue, organizationId);

const counted = (select: Select) =>
  select(Tag, ContactTag)
    .select(['tags.id', 'tags.name', 'tags.created_at'])
    .select((eb) =>
      eb
        .selectFrom('contact_tags')
        .select(sql<number>`count(*)::int`.as('n'))
        .whereRef('contact_tags.tag_id', '=', 'tags.id')
        .$asScalar()
        .$notNull()
        .as('contacts'),
    );
const countedTags = list(counted);
const countedTagById = statement((select, { id }: { id: string }) => counted(select).where('tags.id', '=', id));
/** Locked against deletion until the transaction ends. */
const tagNamed = statement((select, { name }: { name: string }) =>
  select(Tag).select(['id', 'name', 'created_at']).where(sql`fold(name)`, '=', sql`fold(${name})`).forKeyShare(),
);

/** In any spelling; locked against deletion. */
export async function findTagNamed(tx: OwnTx, name: string): Promise<TagRow | undefined> {
  const [tag] = await tagNamed(tx, { name });
  return tag;
}

/** Slow: each count reads all contacts that have the tag. */
export const listTags = (own: Runs, page: Page) => countedTags(own, {}, page);

/** Finds or creates the tag, locked against deletion. Throws 422 at the limit. */
export async function ensureTag(tx: OwnTx, name: string): Promise<{ row: TagRow; isNew: boolean }> {
  const [known] = await tagNamed(tx, { name });
  if (known) return { row: known, isNew: false };
  await tx.lockFound(catalogue, tx.organizationId);
  // SQL: the limit, the name and the row in one statement.
  const [made] = await tx.sql<TagRow>(
    `insert into tags (organization_id, id, name)
     select $1, $2, $3
      where (select count(*) from tags where organization_id = $1) < $4
     on conflict (organization_id, fold(name)) do nothing
     returning id, name, created_at`,
    [uuidv7(), name, maxTags],
  );
  if (made) return { row: made, isNew: true };
  // A concurrent transaction that held the lock made it.
  const [theirs] = await tagNamed(tx, { name });
  if (!theirs) throw new AppError('limit_reached', `An organization has at most ${maxTags} tags`);
  return { row: theirs, isNew: false };
}

/** Throws 409 when another tag has the name. */
export async function renameTag(tx: OwnTx, id: string, name: string): Promise<CountedTag> {
  await tx.lockFound(catalogue, tx.organizationId);
  const [other] = await tagNamed(tx, { name });
  if (other && other.id !== id) {
    await countedTag(tx, id);
    const message = 'Another tag has this name';
    throw new AppError('conflict', message, {
      details: [{ field: 'name', location: 'body', code: 'tag', message, value: other.id }],
    });
  }
  await tx.update(Tag, { id }, { name });
  return countedTag(tx, id);
}

export async function deleteTag(tx: OwnTx, id: string): Promise<void> {
  if ((await tx.delete(Tag, { id })) === 0) throw notFound('Tag');
}

export async function countedTag(own: Own, id: string): Promise<CountedTag> {
  const [tag] = await countedTagById(own, { id });
  if (!tag) throw notFound('Tag');
  return tag;
}
