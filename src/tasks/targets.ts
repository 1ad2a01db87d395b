import { linksChange } from '../history/history.entity.ts';
import { brokenReference } from '../platform/database/errors.ts';
import type { Own } from '../platform/database/own.ts';
import { AppError, type ErrorDetail, notFound } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { targetKinds } from './target-rows.ts';
import { TaskTarget } from './task.entity.ts';
import { changeTask, type TaskTx } from './task-tx.ts';

export type TargetRef = { object_kind: string; object_id: string };
export const maxTargets = 50;

/** SQL: records and their types are an upper domain's tables. A kind that is built in is no type's. */
const findObjects = `
  select g.place::int - 1 as place,
         g.kind = any($4::text[]) or o.id is not null as is_kind,
         coalesce(c.id, v.id, d.id, r.id) is not null as is_there
    from unnest($2::text[], $3::uuid[]) with ordinality as g(kind, id, place)
    left join contacts c on g.kind = 'contact' and c.organization_id = $1 and c.id = g.id
    left join conversations v on g.kind = 'conversation' and v.organization_id = $1 and v.id = g.id
    left join deals d on g.kind = 'deal' and d.organization_id = $1 and d.id = g.id and d.deleted_at is null
    left join object_types o on g.kind <> all($4::text[]) and o.organization_id = $1 and o.kind = g.kind and o.deleted_at is null
    left join records r on r.organization_id = $1 and r.type_id = o.id and r.id = g.id and r.deleted_at is null
   order by g.place`;

type Found = { place: number; is_kind: boolean; is_there: boolean };

/** Throws 422 at the field of each that is foreign, missing, in the bin or of a kind that is none. `at`: the list's own field. */
export async function assertTargets(own: Own, refs: TargetRef[], fieldOf: (place: number) => string): Promise<void> {
  if (refs.length === 0) return;
  const params = [refs.map(({ object_kind }) => object_kind), refs.map(({ object_id }) => object_id), targetKinds];
  const found = await own.sql<Found>(findObjects, params);
  const details = found.flatMap((one) => faultOf(one, refs[one.place]!, fieldOf(one.place)));
  if (details.length > 0) throw refused(details);
}

function faultOf({ is_kind, is_there }: Found, { object_kind }: TargetRef, field: string): ErrorDetail[] {
  const detail = (name: string, code: string, message: string) => [{ field: `${field}${name}`, location: 'body', code, message }];
  if (!is_kind) return detail('object_kind', 'kind.unknown', `${object_kind} is no kind that a task can be about`);
  return is_there ? [] : detail('object_id', 'object.unknown', `No ${object_kind} of the organization has this id`);
}

const refused = (details: ErrorDetail[]) =>
  new AppError('invalid_request', details.length === 1 ? details[0]!.message : `${details.length} targets are not valid`, {
    details,
  });

const columnOf = (kind: string) =>
  (targetKinds as readonly string[]).includes(kind) ? (`${kind}_id` as `${(typeof targetKinds)[number]}_id`) : 'record_id';

const none = { contact_id: null, conversation_id: null, deal_id: null, record_id: null };

/** In their order, each once: with the columns of their rows. */
export const newTargets = (refs: TargetRef[]) =>
  [...new Map(refs.map((ref) => [ref.object_id, ref])).values()].map((ref) => ({
    ...ref,
    ...{ ...none, [columnOf(ref.object_kind)]: ref.object_id },
    id: uuidv7(),
  }));

/** Throws 422 when it is deleted at the same moment. */
async function insertTarget(tx: OwnTx, taskId: string, ref: TargetRef, actor: string): Promise<void> {
  const [{ object_id: _, object_kind: __, ...row }] = newTargets([ref]) as [ReturnType<typeof newTargets>[number]];
  await tx.insert(TaskTarget, { ...row, task_id: taskId, created_by: actor }).catch((error: unknown) => {
    if (!brokenReference(error)?.startsWith('task_targets_')) throw error;
    const message = 'A target was deleted at the same time';
    throw refused([{ field: 'targets', location: 'body', code: 'object.unknown', message }]);
  });
}

/** False: the task has it already. Throws 422 for a target that is not there, and for one too many. */
async function addTarget(tx: TaskTx, ref: TargetRef): Promise<boolean> {
  await assertTargets(tx, [ref], () => '');
  if (tx.before.targets.some(({ object_id }) => object_id === ref.object_id)) return false;
  const [{ total }] = (await tx.sql<{ total: number }>(countStatement, [tx.taskId])) as [{ total: number }];
  if (total >= maxTargets) throw new AppError('limit_reached', `A task has at most ${maxTargets} targets`);
  await insertTarget(tx, tx.taskId, ref, tx.actor);
  tx.linked('targets', linksChange(null, ref.object_id));
  return true;
}

/** Idempotent. Throws 404, and 422 as addTarget. */
export async function linkTarget(own: OwnTx, taskId: string, actor: string, ref: TargetRef) {
  let isNew = false;
  const { targets } = await changeTask(own, taskId, { actor }, async (tx) => {
    isNew = await addTarget(tx, ref);
  });
  return { target: targets.find(({ object_id }) => object_id === ref.object_id)!, isNew };
}

/** SQL: those in the bin count too: each may be restored. */
const countStatement = `
  select count(*)::int as total
    from task_targets
   where organization_id = $1
     and task_id = $2`;

/** Throws 404. */
export async function unlinkTarget(own: OwnTx, taskId: string, actor: string, id: string): Promise<void> {
  await changeTask(own, taskId, { actor }, async (tx) => {
    const target = tx.before.targets.find((one) => one.id === id);
    if (!target) throw notFound('Target');
    await tx.delete(TaskTarget, { task_id: taskId, id });
    tx.linked('targets', linksChange(target.object_id, null));
  });
}
