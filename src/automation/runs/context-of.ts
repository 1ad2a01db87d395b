import { presentContact } from '../../contacts/queries.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { ObjectType } from '../../records/types/type.entity.ts';
import type { StepContext } from '../actions/action.ts';
import type { RunDeps } from './parts.ts';
import type { RunNow } from './run-now.ts';

/** SQL: one row with the name of its type. */
const kindStatement = `
  select t.kind
    from records r
    join object_types t on t.organization_id = r.organization_id and t.id = r.type_id
   where r.organization_id = $1
     and r.id = $2`;

async function kindOf(own: Own, recordId: string): Promise<string | undefined> {
  const [row] = await own.sql<RowOf<typeof ObjectType, 'kind'>>(kindStatement, [recordId]);
  return row?.kind;
}

type About = Pick<RunNow, 'id' | 'rule_id' | 'subject_type' | 'subject_id' | 'contact_id' | 'chain'>;

/** What the actions see of a run. */
export async function contextOf(
  { own, transact, secrets, http }: Pick<RunDeps, 'own' | 'transact' | 'secrets' | 'http'>,
  run: About,
): Promise<StepContext> {
  const { id, rule_id, subject_type, subject_id, contact_id, chain } = run;
  const kind = subject_type === 'record' ? await kindOf(own, subject_id) : undefined;
  return {
    own,
    transact,
    secrets,
    ...(http && { http }),
    actor: `run:${id}`,
    run: {
      ...{ id, rule_id, subject_type, subject_id, chain },
      contact_id: contact_id ?? (subject_type === 'contact' ? subject_id : null),
      conversation_id: subject_type === 'conversation' ? subject_id : null,
      ...(kind && { record_kind: kind }),
    },
  };
}

/** `presentContact`, once for all steps, which look at the same moment. `isRead`: it was read just now, and is there. */
export function presentOnce(own: Own, isRead: (id: string) => boolean): (id: string) => Promise<string> {
  const asked = new Map<string, Promise<string>>();
  return (id) => {
    const present = asked.get(id) ?? (isRead(id) ? Promise.resolve(id) : presentContact(own, id));
    asked.set(id, present);
    return present;
  };
}
