import { choiceLock, choose } from '../../../src/automation/actions/assign/choose.ts';
import { findEvaluated } from '../../../src/automation/evaluate/event.ts';
import { createLiveRuns } from '../../../src/automation/evaluate/live-runs.ts';
import type { RunFilter } from '../../../src/automation/runs/filter.ts';
import { listRuns } from '../../../src/automation/runs/list.ts';
import type { Own } from '../../../src/platform/database/own.ts';
import type { TenantTransact } from '../../../src/platform/ledger/tenant.ts';
import type { Ask } from '../../../src/platform/listing/paging.ts';
import type { Uses } from './uses.ts';

type With = {
  own: Own;
  ask: Ask;
  transact: TenantTransact;
  ids: Record<'otherId' | 'contactId' | 'userId', string>;
  deleted(by: string, text: string, ...params: unknown[]): Uses[string];
  purge(table: string, step?: number): Uses[string];
  check: Uses[string];
};

/** Of the tables of automation. */
export function automationUses({ own, ask, transact, ids, purge, check, deleted }: With): Uses {
  const runs = (filter: RunFilter) => ({
    by: `listRuns by ${Object.keys(filter).join() || 'nothing'}`,
    run: () => listRuns(ask, own, filter, { limit: 10, includeTotal: false }),
  });
  const eventId = async () => (await own.sql<{ id: string }>('select id from events where organization_id = $1 limit 1'))[0]!.id;
  return {
    automation_rules_deleted: purge('automation_runs', 1),
    automation_rules_list: {
      by: 'listRules',
      run: () =>
        own.sql(
          `select id from automation_rules
            where organization_id = $1 and deleted_at is null order by created_at desc, id desc limit 10`,
        ),
    },
    automation_rules_live: { by: 'findEvaluated', run: async () => findEvaluated(own, await eventId()) },
    automation_runs_begun_by: purge('events'),
    automation_runs_woken_by: purge('events'),
    automation_runs_contact: runs({ contactId: ids.contactId }),
    automation_runs_ended: purge('automation_runs'),
    automation_runs_list: runs({}),
    automation_runs_live: { by: 'isFullOfRuns', run: () => createLiveRuns()(own) },
    automation_runs_rule: runs({ ruleId: ids.otherId }),
    automation_runs_rule_state: runs({ ruleId: ids.otherId, state: 'failed' }),
    automation_runs_state: runs({ state: 'failed' }),
    automation_runs_subject: runs({ subjectId: ids.otherId }),
    automation_steps_calling: check,
    automation_turns_member: deleted(
      'removeMember: turns of a membership that ends',
      'delete from memberships where organization_id = $1 and user_id = $2',
      ids.userId,
    ),
    conversations_open: {
      by: 'choose: who has the fewest',
      run() {
        const choice = {
          strategy: 'fewest_open' as const,
          ruleId: ids.otherId,
          conversationId: ids.otherId,
          userIds: [ids.userId],
        };
        return transact({ locks: [choiceLock(own.organizationId, choice)] }, (tx) => choose(tx.own, choice));
      },
    },
    automation_waits_event: {
      by: 'findEvaluated: does a run wait for it?',
      run: async () => findEvaluated(own, await eventId()),
    },
  };
}
