import type { OwnTx } from '../../platform/ledger/tx.ts';
import { endSchedule } from '../schedule/next.ts';
import type { Author } from './create.ts';
import { assertWhole, liveBy } from './publish.ts';
import { getRule, type RuleRow } from './rule-row.ts';
import { assertAllowed, moveRule } from './rule-tx.ts';
import { assertMayUse } from './scopes.ts';
import { getVersion } from './versions.ts';

/** After it nothing begins a run; those that are there go on. Needs the rule's lock. Idempotent. Throws 404, 409. */
export async function pauseRule(own: OwnTx, id: string): Promise<RuleRow> {
  const before = await getRule(own, id);
  assertAllowed('pause', before);
  await endSchedule(own, id);
  return moveRule(own, id, 'pause', { to: 'paused', set: { next_at: null, tick_job_id: null } });
}

/**
 * By its published version, which is checked again. What happened meanwhile begins no run. Needs `publishLocks`. Idempotent. Throws 404, 409, and as
 * publishRule.
 */
export async function resumeRule(own: OwnTx, author: Author, id: string): Promise<RuleRow> {
  const before = await getRule(own, id);
  assertAllowed('resume', before);
  if (before.status === 'live') return before;
  const { definition } = await getVersion(own, id, before.version);
  await assertMayUse(own, author, definition);
  await assertWhole(own, definition);
  return moveRule(own, id, 'resume', { to: 'live', set: await liveBy(own, before, definition) });
}
