import Joi from 'joi';
import type { Em } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import { takeLocks } from '../platform/ledger/locks.ts';
import type { Tx } from '../platform/ledger/tx.ts';
import { type Ask, type Page, pageAskedFor } from '../platform/listing/paging.ts';

export type TagRow = { id: string; name: string; created_at: string };
export type CountedTag = TagRow & { contacts: number };

export const mostTags = 10_000;

export const longestTag = 64;
export const tagName = Joi.string()
  .trim()
  .min(1)
  .max(longestTag)
  .pattern(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u)
  .messages({ 'string.pattern.base': '{{#label}} must be one line without control characters' })
  .description('Case and accents do not matter: the first spelling stays');

/** Who makes or names a tag holds it to the end: the limit is exact and no two tags are of one name. Taken after every other lock. */
export const catalogueLock = (organizationId: string) => `tags:${organizationId}`;

const counted = `t.id, t.name, t.created_at,
  (select count(*)::int from contact_tags a where a.organization_id = t.organization_id and a.tag_id = t.id) as contacts`;

/** Each count reads all that has the tag. */
export function listTags(ask: Ask, organizationId: string, page: Page) {
  return pageAskedFor<CountedTag>(ask, `select ${counted} from tags t where t.organization_id = $1`, [organizationId], page);
}

/** The tag of that name, made when there is none; it cannot be deleted before the transaction ends. Throws 422 at the limit. */
export async function ensureTag(tx: Tx, organizationId: string, name: string): Promise<{ row: TagRow; isNew: boolean }> {
  const known = await tagNamed(tx.em, organizationId, name);
  if (known) return { row: known, isNew: false };
  await takeLocks(tx.em, [catalogueLock(organizationId)]);
  const [made] = await tx.query<TagRow>(
    `insert into tags (id, organization_id, name) select $1, $2, $3 where (select count(*) from tags where organization_id = $2) < $4
     on conflict (organization_id, fold(name)) do nothing returning id, name, created_at`,
    [uuidv7(), organizationId, name, mostTags],
  );
  if (made) return { row: made, isNew: true };
  // Somebody was faster, and has committed: the lock was his.
  const theirs = await tagNamed(tx.em, organizationId, name);
  if (!theirs) throw new AppError('limit_reached', `An organization has at most ${mostTags} tags`);
  return { row: theirs, isNew: false };
}

/** Throws 404, and 409 when another tag has the name. */
export async function renameTag(tx: Tx, organizationId: string, id: string, name: string): Promise<CountedTag> {
  await takeLocks(tx.em, [catalogueLock(organizationId)]);
  const other = await tagNamed(tx.em, organizationId, name);
  if (other && other.id !== id) {
    await countedTag(tx.em, organizationId, id);
    const message = 'Another tag has this name';
    throw new AppError('conflict', message, {
      details: [{ field: 'name', location: 'body', code: 'tag', message, value: other.id }],
    });
  }
  await tx.query('update tags set name = $3 where organization_id = $1 and id = $2', [organizationId, id, name]);
  return countedTag(tx.em, organizationId, id);
}

/** From the catalogue and from everybody who has it. Throws 404. */
export async function deleteTag(tx: Tx, organizationId: string, id: string): Promise<void> {
  const gone = await tx.query('delete from tags where organization_id = $1 and id = $2 returning id', [organizationId, id]);
  if (gone.length === 0) throw notFound('Tag');
}

export async function countedTag(em: Em, organizationId: string, id: string): Promise<CountedTag> {
  const [tag] = await query<CountedTag>(em, `select ${counted} from tags t where t.organization_id = $1 and t.id = $2`, [
    organizationId,
    id,
  ]);
  if (!tag) throw notFound('Tag');
  return tag;
}

async function tagNamed(em: Em, organizationId: string, name: string): Promise<TagRow | undefined> {
  const [tag] = await query<TagRow>(
    em,
    'select id, name, created_at from tags where organization_id = $1 and fold(name) = fold($2) for key share',
    [organizationId, name],
  );
  return tag;
}
