import type { EntityData, InferEntity } from '@mikro-orm/core';
import { AutomationRule, AutomationRuleVersion, AutomationSecret } from '../../../src/automation/rule.entity.ts';
import { AutomationRun, AutomationStep, AutomationWait } from '../../../src/automation/run.entity.ts';
import type { Em } from '../../../src/platform/database/database.ts';
import { storeRow } from './rows.ts';

type StoredRun = InferEntity<typeof AutomationRun>;
type StoredStep = InferEntity<typeof AutomationStep>;

export const storedRun = (em: Em, id: string): Promise<StoredRun> => em.findOneOrFail(AutomationRun, { id });

/** Changes a run, or several, behind its job's back. */
export const setRun = (em: Em, id: string | string[], change: EntityData<StoredRun>) =>
  em.nativeUpdate(AutomationRun, { id: { $in: [id].flat() } }, change);

/** The steps of one run or of several, in their order. */
export const stepsOfRun = (em: Em, runId: string | string[]): Promise<StoredStep[]> =>
  em.find(AutomationStep, { run_id: { $in: [runId].flat() } }, { orderBy: { run_id: 'asc', number: 'asc' } });

/** The run waits for the next message of its contact. */
export const waitForMessage = (em: Em, organizationId: string, runId: string, contactId: string) =>
  storeRow(em, organizationId, AutomationWait, {
    run_id: runId,
    event_type: 'message.new',
    subject_type: 'contact',
    subject_id: contactId,
  });

export const setRule = (em: Em, id: string, change: EntityData<InferEntity<typeof AutomationRule>>) =>
  em.nativeUpdate(AutomationRule, { id }, change);

export const pauseRule = (em: Em, id: string) => setRule(em, id, { status: 'paused' });

/** A version of a rule that is not its published one. */
export const storeVersion = (em: Em, organizationId: string, ruleId: string, number: number, definition: object) =>
  storeRow(em, organizationId, AutomationRuleVersion, { rule_id: ruleId, number, definition: definition as never });

export const storeSecret = (em: Em, organizationId: string, name: string, value: string, hosts = ['x.example']) =>
  storeRow(em, organizationId, AutomationSecret, { name, value, hosts });
