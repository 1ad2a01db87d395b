import Joi from 'joi';
import { type SubjectType, subjectTypes } from '../../src/automation/definition/definition.ts';
import { type GivenSubject, locksOfHand, runByHand } from '../../src/automation/rules/run-by-hand.ts';
import { getRun } from '../../src/automation/runs/get.ts';
import { exampleIds } from '../../src/platform/examples.ts';
import { endpoint } from '../http/endpoint.ts';
import { id } from '../http/schemas.ts';
import { withExample } from '../http/view.ts';
import { path } from './automation-schemas.ts';
import { aboutRule, oneRule } from './rule-schemas.ts';
import { authorOf } from './rules.ts';
import { runView, toRunView } from './run-schemas.ts';

const begun = {
  state: 'queued',
  trigger: 'manual',
  event_id: null,
  steps_run: 0,
  failed_step: null,
  error: null,
  started_by: `user:${exampleIds.user}`,
  started_at: null,
  ended_at: null,
};

export const runOneRule = endpoint({
  ...aboutRule,
  method: 'post',
  path: `${oneRule}/run`,
  operationId: 'automation.rules.run',
  scope: 'automation:trigger',
  summary: 'Run a rule by hand',
  description:
    'Its published version, about one subject, whatever its trigger is; its conditions are not asked before it begins. A 409 for a rule that is not live, and where its concurrency or a limit holds it back. Whoever runs it needs every scope that its actions use.',
  isIdempotent: true,
  isShapedByScopes: true,
  body: Joi.object<{ subject: GivenSubject }>({
    subject: Joi.object({
      type: Joi.string()
        .valid(...(subjectTypes as readonly SubjectType[]))
        .required(),
      id: id.required(),
    }).required(),
  }),
  responses: { 201: withExample(runView, begun) },
  location: `${path}/runs`,
  errors: [409],
  example: { body: { subject: { type: 'contact', id: exampleIds.contact } } },
  handler({ params, body, caller, own, write }) {
    const author = authorOf(caller);
    const look = () => locksOfHand(own, author, params.ruleID, body.subject);
    return write({ look, locks: (locks) => locks }, async (tx) => {
      const runId = await runByHand(tx, author, params.ruleID, body.subject);
      const { vars: _, steps: __, ...run } = await getRun(tx.own, runId);
      return { status: 201, body: toRunView(caller)(run), audit: { details: { run_id: runId } } };
    });
  },
});
