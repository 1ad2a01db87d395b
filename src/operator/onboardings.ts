import type { Onboarding } from '../onboarding/onboarding.entity.ts';
import type { Database } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';

type Shown = RowOf<
  typeof Onboarding,
  | ('id' | 'organization_id' | 'account_id' | 'phone_number_id' | 'channel_id')
  | ('current_step' | 'step_status' | 'error' | 'created_at' | 'updated_at')
>;
export type OnboardingShown = Shown & { organization: string };

const maxListed = 50;

/** Neither code nor token nor PIN, sealed as they are. */
const columns = `
  g.id, g.organization_id, o.name as organization, g.account_id, g.phone_number_id, g.channel_id,
  g.current_step, g.step_status, g.error, g.created_at, g.updated_at`;

/** SQL: what an operator looks for belongs to any organization. */
const unfinishedStatement = `
  select ${columns}
    from onboardings g
    join organizations o on o.id = g.organization_id
   where g.current_step <> 'completed'
   order by g.updated_at desc
   limit ${maxListed}`;

/** SQL: the same. */
const oneStatement = `
  select ${columns}
    from onboardings g
    join organizations o on o.id = g.organization_id
   where g.id = $1`;

/** Of all organizations, the last change first. */
export const unfinishedOnboardings = (database: Database): Promise<OnboardingShown[]> => query(database, unfinishedStatement, []);

/** Throws 404. */
export async function readAnyOnboarding(database: Database, id: string): Promise<OnboardingShown> {
  const [row] = await query<OnboardingShown>(database, oneStatement, [id]);
  if (!row) throw notFound('Onboarding');
  return row;
}
