import Joi from 'joi';
import { ruleLock } from '../../src/automation/jobs.ts';
import { pauseRule, resumeRule } from '../../src/automation/rules/pause.ts';
import { type Publication, publishLocks, publishRule } from '../../src/automation/rules/publish.ts';
import { getRule, type RuleRow } from '../../src/automation/rules/rule-row.ts';
import { getVersion } from '../../src/automation/rules/versions.ts';
import { parseAhead } from '../../src/liquid/parsed.ts';
import { exampleTime } from '../../src/platform/examples.ts';
import type { OwnTx } from '../../src/platform/ledger/tx.ts';
import { endpoint, type Input, ok, type Reply } from '../http/endpoint.ts';
import { withExample } from '../http/view.ts';
import { aboutRule, oneRule } from './rule-schemas.ts';
import { liveExample, ruleView, toRuleView } from './rule-view.ts';
import { authorOf } from './rules.ts';

type Asked = Pick<Input<unknown, unknown, { ruleID: string }>, 'params' | 'caller' | 'own' | 'write'>;

/** One move of a rule. */
const moving = ({ params, caller, write }: Asked, move: (own: OwnTx, id: string) => Promise<RuleRow>): Promise<Reply> =>
  write({ locks: publishLocks(caller.organizationId, params.ruleID) }, async ({ own }) => {
    const row = await move(own, params.ruleID);
    return { ...ok(await toRuleView(own, row)), audit: { details: { version: row.version } } };
  });

/** Before the rule's locks are taken. A version that is not there is told under them. */
async function parseVersion({ own, params }: Asked, version: number): Promise<void> {
  const found = await getVersion(own, params.ruleID, version).catch(() => undefined);
  await parseAhead(own.organizationId, found?.definition.steps);
}

export const publishOneRule = endpoint({
  ...aboutRule,
  method: 'post',
  path: `${oneRule}/publish`,
  operationId: 'automation.rules.publish',
  scope: 'automation:write',
  summary: 'Publish a rule',
  description:
    'The draft is checked whole, with all that it names, and each fault is a detail with its path. It becomes the next version, which never changes, and the rule is live by it; a run goes on with the version it began with. `version` publishes an old one again, as a new number; the draft stays. A 409 where nothing has changed. Whoever publishes it needs every scope that its actions use; from then on it acts for the organization, as an API key does.',
  body: Joi.object<Publication>({
    version: Joi.number().integer().min(1).max(2_147_483_647).description('An old version, in place of the draft'),
    revision: Joi.number().integer().min(1).description('The revision that you have read'),
  }),
  responses: { 200: withExample(ruleView, liveExample) },
  errors: [409],
  example: { body: { revision: 1 } },
  isCounted: true,
  async handler(input, { config }) {
    const version = input.body?.version;
    if (version) await parseVersion(input, version);
    else await parseAhead(input.own.organizationId, (await getRule(input.own, input.params.ruleID)).draft.steps);
    return moving(input, (own, id) => publishRule(own, authorOf(input.caller), id, config, input.body));
  },
});

export const pauseOneRule = endpoint({
  ...aboutRule,
  method: 'post',
  path: `${oneRule}/pause`,
  operationId: 'automation.rules.pause',
  scope: 'automation:write',
  summary: 'Pause a rule',
  description:
    'What happens after the reply begins no run, and no moment of a schedule does; runs that have begun go on. Idempotent; a 409 for a draft.',
  responses: { 200: withExample(ruleView, { ...liveExample, status: 'paused', revision: 3 }) },
  errors: [409],
  handler: ({ params, write }) =>
    write({ locks: [ruleLock(params.ruleID)] }, async ({ own }) =>
      ok(await toRuleView(own, await pauseRule(own, params.ruleID))),
    ),
});

export const resumeOneRule = endpoint({
  ...aboutRule,
  method: 'post',
  path: `${oneRule}/resume`,
  operationId: 'automation.rules.resume',
  scope: 'automation:write',
  summary: 'Let a paused rule go on',
  description:
    'By its version, which is checked again. What happened meanwhile begins no run, and of a schedule the next moment is the next one. Idempotent; a 409 for a draft. Whoever resumes it needs every scope that its actions use.',
  responses: { 200: withExample(ruleView, { ...liveExample, revision: 4, updated_at: exampleTime }) },
  errors: [409],
  isCounted: true,
  async handler(input) {
    const { version, status } = await getRule(input.own, input.params.ruleID);
    if (status === 'paused') await parseVersion(input, version);
    return moving(input, (own, id) => resumeRule(own, authorOf(input.caller), id));
  },
});
