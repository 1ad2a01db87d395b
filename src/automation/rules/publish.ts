import { isDeepStrictEqual } from 'node:util';
import { now } from '../../platform/database/columns.ts';
import { AppError } from '../../platform/errors.ts';
import { ensurePool } from '../../platform/ledger/pools.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { assertRevision } from '../../platform/revision.ts';
import { eventTypeOf, wholeFaults } from '../definition/check.ts';
import type { Definition } from '../definition/definition.ts';
import { automationPool, ruleLock } from '../jobs.ts';
import { poolWidth } from '../limits.ts';
import { scheduleNext } from '../schedule/next.ts';
import { secretsLock } from '../secrets.ts';
import type { Author } from './create.ts';
import { readGiven, throwFaults } from './faults.ts';
import { dropOldVersions, type VersionBound } from './old-versions.ts';
import { getRule, type RuleRow } from './rule-row.ts';
import { assertAllowed, moveRule } from './rule-tx.ts';
import { assertMayUse } from './scopes.ts';
import { getVersion, insertVersion } from './versions.ts';

/** `version`: an old one again. `revision`: the draft as it was read. */
export type Publication = { version?: number; revision?: number };

/** `secretsLock`: what it names stays there. */
export const publishLocks = (organizationId: string, ruleId: string) => [ruleLock(ruleId), secretsLock(organizationId)];

/**
 * Checks the whole draft, or an old version, freezes it under the next number, and lets the rule live by it. Runs go on with the version they began with.
 * Needs `publishLocks`. Former versions beyond the bound go. Throws 404; 409 for a stale revision and where nothing changes; 403 for what its author may not do; 422 for each fault.
 */
export async function publishRule(
  own: OwnTx,
  author: Author,
  id: string,
  bound: VersionBound,
  { version, revision }: Publication = {},
): Promise<RuleRow> {
  own.assertLocked(secretsLock(own.organizationId));
  const before = await getRule(own, id);
  assertAllowed('publish', before);
  assertRevision('rule', before.revision, revision);
  const definition = version === undefined ? before.draft : (await getVersion(own, id, version)).definition;
  await assertMayUse(own, author, definition);
  await assertChanges(own, before, definition);
  await assertWhole(own, definition);
  const number = before.version + 1;
  await insertVersion(own, { rule_id: id, number, definition, published_by: author.actor });
  const set = { version: number, published_by: author.actor, published_at: now(), ...(await liveBy(own, before, definition)) };
  const row = await moveRule(own, id, 'publish', { to: 'live', set });
  await dropOldVersions(own, bound);
  return row;
}

async function assertChanges(own: OwnTx, { id, version, status }: RuleRow, definition: Definition): Promise<void> {
  if (version === 0 || !isDeepStrictEqual((await getVersion(own, id, version)).definition, definition)) return;
  const message = `Nothing has changed since version ${version}${status === 'paused' ? ': resume the rule' : ''}`;
  throw new AppError('conflict', message, {
    details: [{ field: 'ruleID', location: 'path', code: 'rule.unchanged', message, value: String(version) }],
  });
}

/** Its shape too: what was saved long ago may be refused by now. */
export async function assertWhole(own: OwnTx, definition: Definition): Promise<void> {
  readGiven(own, definition);
  throwFaults(await wholeFaults(own, definition));
}

/** What the row of a rule that goes live has of its definition. A paused one has missed its moments: the next one counts. */
export async function liveBy(own: OwnTx, { id, status, next_at }: RuleRow, definition: Definition) {
  await ensurePool(own, automationPool(own.organizationId), poolWidth);
  const next = await scheduleNext(own, { id, next_at: status === 'live' ? next_at : null }, definition);
  return {
    event_type: eventTypeOf(definition.trigger),
    failures: 0,
    next_at: next?.next_at ?? null,
    tick_job_id: next?.tick_job_id ?? null,
  };
}
