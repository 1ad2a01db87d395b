import type { Contact } from '../../contacts/contact.entity.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { LocksOutdated } from '../../platform/ledger/locks.ts';
import type { TenantTx } from '../../platform/ledger/tx.ts';
import { holds, rootsOf } from '../conditions/evaluate.ts';
import { loadFacts } from '../conditions/facts.ts';
import type { Definition } from '../definition/definition.ts';
import { clockOf } from '../evaluate/clock.ts';
import { holdBack } from '../evaluate/held.ts';
import { admitAll, startRuleOf } from '../evaluate/start.ts';
import { runLock } from '../jobs.ts';
import { beginRuns } from '../runs/begin.ts';
import { cancelRun } from '../runs/end.ts';
import type { HeldReason, RuleMode } from '../states.ts';
import type { Subject } from './kinds.ts';

export type Due = Subject & { occursAt: Date };
export type TickedRule = { id: string; version: number; mode: RuleMode; definition: Definition };

/** Those for whom the rule's conditions hold now. */
export async function whoseConditionsHold(own: Own, { conditions }: Definition, found: Due[]): Promise<Due[]> {
  if (conditions === null) return found;
  const roots = rootsOf(conditions).add('organization');
  const kept: Due[] = [];
  for (const due of found) {
    const { subjectType, subjectId, contactId } = due;
    const facts = await loadFacts(own, { eventId: null, subjectType, subjectId, contactId }, roots);
    if (holds(conditions, facts, clockOf(facts)).holds) kept.push(due);
  }
  return kept;
}

const startsOf = ({ id, definition }: TickedRule, found: Due[]) =>
  found.map(({ subjectType, subjectId, occursAt }) => ({
    rule: startRuleOf(id, definition),
    subject: { subjectType, subjectId },
    chain: [],
    occursAt,
  }));

/** Of the runs that begin again. */
export async function locksOfRestarts(own: Own, rule: TickedRule, found: Due[]): Promise<string[]> {
  const admissions = await admitAll(own, startsOf(rule, found));
  return admissions.flatMap(({ restarts }) => restarts.map(runLock));
}

/**
 * As the starts of an event, without the locks of so many subjects: that a moment has one run of a subject, and a subject one at a time, is the database's
 * word. Needs the rule's lock, and those of the runs that begin again. Throws LocksOutdated where there are others by now.
 */
export async function startBatch(tx: TenantTx, rule: TickedRule, found: Due[]): Promise<string[]> {
  const admissions = await admitAll(tx.own, startsOf(rule, found));
  const held = new Map<HeldReason, number>();
  const begun: Due[] = [];
  for (const [index, { verdict, restarts }] of admissions.entries()) {
    for (const id of restarts) tx.assertLocked(runLock(id));
    for (const id of restarts) await cancelRun(tx, id, 'restarted');
    if (verdict === 'ok') begun.push(found[index]!);
    else if (verdict !== 'none') held.set(verdict, (held.get(verdict) ?? 0) + 1);
  }
  for (const [reason, count] of held) await holdBack(tx.own, rule.id, reason, count);
  const { id, version, mode, definition } = rule;
  const trigger = definition.trigger.type === 'date' ? 'date' : 'schedule';
  const made = await beginRuns(
    tx.own,
    begun.map((due) => ({
      ...due,
      ruleId: id,
      version,
      mode,
      trigger,
      isExclusive: definition.concurrency !== 'each',
      chain: [id],
    })),
  );
  // A run of one of them was retried at the same time, which holds no lock of the rule.
  if (made.length < begun.length) throw new LocksOutdated();
  return made;
}

/** Contacts that were erased since the batch was read. */
export async function stillThere(own: Own, found: Due[]): Promise<Due[]> {
  const asked = found.flatMap(({ contactId }) => contactId ?? []);
  const rows = await own.sql<RowOf<typeof Contact, 'id'>>(
    // SQL: ids of a set.
    `select id
       from contacts
      where organization_id = $1 and id = any($2::uuid[])`,
    [asked],
  );
  const there = new Set(rows.map(({ id }) => id));
  return found.flatMap((due) => {
    if (due.contactId === null || there.has(due.contactId)) return [due];
    return due.subjectType === 'contact' ? [] : [{ ...due, contactId: null }];
  });
}
