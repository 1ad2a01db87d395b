import { AutomationHeld, AutomationRule, AutomationRuleVersion, AutomationSecret } from '../../../src/automation/rule.entity.ts';
import { AutomationCount, AutomationRun, AutomationStep, AutomationWait } from '../../../src/automation/run.entity.ts';
import { type Database, storedRows } from './rows.ts';

export const storedRules = storedRows(AutomationRule);
export const storedRuleVersions = storedRows(AutomationRuleVersion);
export const storedHeldBack = storedRows(AutomationHeld);
export const storedAutomationSecrets = storedRows(AutomationSecret);
export const storedRuns = storedRows(AutomationRun);
export const storedRunCounts = storedRows(AutomationCount);
export const storedSteps = storedRows(AutomationStep);
export const storedWaits = storedRows(AutomationWait);

/** How many starts of a rule were held back, by reason. */
export const heldBack = (app: Database, organizationId: string, ruleId: string, counts: Record<string, number>) =>
  storedHeldBack.addAll(
    app,
    Object.entries(counts).map(([reason, count]) => ({ organization_id: organizationId, rule_id: ruleId, reason, count })),
  );
