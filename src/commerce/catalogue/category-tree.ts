import { invalidField } from '../../platform/errors.ts';
import { subjectLock } from '../../platform/ledger/locks.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';

export const maxDepth = 8;

/** Held by every write of a category: the tree, its depth and the limit are exact. */
export const categoriesLock = (organizationId: string) => subjectLock('categories', organizationId);

/**
 * SQL: two walks of the tree, up from the parent and down from the category. Neither goes on for ever: no path is longer than `maxDepth`.
 */
const around = `
  with recursive up as (
    select c.id, c.parent_id, 1 as level
      from commerce_categories c
     where c.organization_id = $1 and c.id = $3
     union all
    select c.id, c.parent_id, u.level + 1
      from up u
      join commerce_categories c on c.organization_id = $1 and c.id = u.parent_id
     where u.level <= ${maxDepth}),
  down as (
    select $2::uuid as id, 1 as level
     union all
    select c.id, d.level + 1
      from down d
      join commerce_categories c on c.organization_id = $1 and c.parent_id = d.id
     where d.level <= ${maxDepth})
  select (select coalesce(max(level), 0) from up) as above,
         (select max(level) from down) as below,
         exists (select 1 from up where id = $2) as is_own`;

/** Throws 422 at `parent_id` for one that is not there, that stands below the category, or too deep. Needs `categoriesLock`. */
export async function assertParent(tx: OwnTx, id: string, parentId: string): Promise<void> {
  tx.assertLocked(categoriesLock(tx.organizationId));
  if (id === parentId) throw cycle();
  const [found] = await tx.sql<{ above: number; below: number; is_own: boolean }>(around, [id, parentId]);
  const { above, below, is_own } = found!;
  if (above === 0) throw invalidField('parent_id', 'No category has this id', 'reference.unknown');
  if (is_own) throw cycle();
  if (above + below > maxDepth) throw invalidField('parent_id', `Categories are at most ${maxDepth} deep`, 'category.depth');
}

const cycle = () => invalidField('parent_id', 'A category cannot stand below itself', 'category.cycle');
