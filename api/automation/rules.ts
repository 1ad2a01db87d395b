import Joi from 'joi';
import { ruleLock } from '../../src/automation/jobs.ts';
import { maxRules } from '../../src/automation/limits.ts';
import { patchRule, type RulePatch } from '../../src/automation/rules/change.ts';
import { createRule, duplicateRule, type NewRule } from '../../src/automation/rules/create.ts';
import { deleteRule } from '../../src/automation/rules/delete.ts';
import { getRule, listRules, rulesLock } from '../../src/automation/rules/rule-row.ts';
import { type RuleStatus, ruleStatuses } from '../../src/automation/states.ts';
import { parseAhead } from '../../src/liquid/parsed.ts';
import { actorOf, type Caller } from '../../src/organizations/caller.ts';
import { runsThrough } from '../../src/platform/database/statement.ts';
import { pageBytesNote } from '../../src/platform/listing/page-bytes.ts';
import type { Page } from '../../src/platform/listing/paging.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { withExample } from '../http/view.ts';
import { tag } from './automation-schemas.ts';
import {
  aboutRule,
  definitionFields,
  exampleDefinition,
  exampleName,
  mode,
  name,
  ofDefinition,
  oneRule,
  rulesPath,
} from './rule-schemas.ts';
import { ruleView, toRuleView, toRuleViews } from './rule-view.ts';

export const authorOf = (caller: Caller) => ({ scopes: caller.scopes, actor: actorOf(caller) });

type ListQuery = PageQuery & { status?: RuleStatus };

export const listOfRules = endpoint({
  tag,
  method: 'get',
  path: rulesPath,
  operationId: 'automation.rules.list',
  scope: 'automation:read',
  summary: 'List rules, newest first',
  description: pageBytesNote('definitions'),
  query: Joi.object<ListQuery>({
    ...pageQuery,
    status: Joi.string()
      .valid(...ruleStatuses)
      .description('Only those that stand so'),
  }),
  responses: { 200: listOf(ruleView) },
  async handler({ query, own }, { reads }) {
    const { status } = query;
    const read = async (page: Page) => {
      const { rows, ...rest } = await reads.dear(own.organizationId, (ask) =>
        listRules(runsThrough(ask, own.organizationId), { status }, page),
      );
      const views = await toRuleViews(own, rows);
      return { ...rest, rows: rows.map((row, index) => ({ ...row, shown: views[index]! })) };
    };
    return listed('automation.rules', { status }, query, read, ({ shown }) => shown);
  },
});

export const createOneRule = endpoint({
  ...aboutRule,
  method: 'post',
  path: rulesPath,
  operationId: 'automation.rules.create',
  scope: 'automation:write',
  summary: 'Create a rule',
  description: `A draft: nothing begins it before it is published. ${ofDefinition} An organization has at most ${maxRules} rules.`,
  isIdempotent: true,
  isCounted: true,
  body: Joi.object<NewRule>({ name: name.required(), mode, ...definitionFields }),
  responses: { 201: ruleView },
  example: { body: { name: exampleName, ...exampleDefinition } },
  async handler({ body, caller, write }) {
    await parseAhead(caller.organizationId, body.steps);
    return write({ locks: [rulesLock(caller.organizationId)] }, async ({ own }) => ({
      status: 201,
      body: await toRuleView(own, await createRule(own, authorOf(caller), body)),
    }));
  },
});

export const getOneRule = endpoint({
  tag,
  subject: aboutRule.subject,
  method: 'get',
  path: oneRule,
  operationId: 'automation.rules.get',
  scope: 'automation:read',
  summary: 'Get one rule',
  description: 'Its trigger, conditions and steps are those of the draft; `GET …/versions/{number}` has those it runs with.',
  responses: { 200: ruleView },
  handler: async ({ params, own }) => ok(await toRuleView(own, await getRule(own, params.ruleID))),
});

export const patchOneRule = endpoint({
  ...aboutRule,
  method: 'patch',
  path: oneRule,
  operationId: 'automation.rules.update',
  scope: 'automation:write',
  summary: 'Change the draft of a rule',
  description: `What is not given stays; a member that is given replaces the one before. A live rule runs on with its version until the draft is published; name and mode change at once. ${ofDefinition} With \`revision\` it is changed only if nobody has changed it since.`,
  isCounted: true,
  body: Joi.object<RulePatch>({
    name,
    mode,
    ...definitionFields,
    revision: Joi.number().integer().min(1).description('The revision that you have read'),
  }).min(1),
  responses: { 200: ruleView },
  errors: [409],
  example: { body: { name: 'Welcome, the second', limits: { starts_per_hour: 1 } } },
  async handler({ params, body, caller, own: before, write }) {
    // The whole draft is checked again, and nothing of it for a name.
    if (Object.keys(definitionFields).some((field) => field in body))
      await parseAhead(caller.organizationId, body.steps ?? (await getRule(before, params.ruleID)).draft.steps);
    return write({ locks: [ruleLock(params.ruleID)] }, async ({ own }) => ({
      ...ok(await toRuleView(own, await patchRule(own, authorOf(caller), params.ruleID, body))),
      audit: { details: { changed: Object.keys(body).filter((field) => field !== 'revision') } },
    }));
  },
});

export const deleteOneRule = endpoint({
  ...aboutRule,
  method: 'delete',
  path: oneRule,
  operationId: 'automation.rules.delete',
  scope: 'automation:write',
  summary: 'Delete a rule',
  description:
    'Nothing begins it any more. Its runs that have not ended are cancelled, as `rule_deleted`, by an operation that cannot be called off; those that have ended stay until their time.',
  responses: { 204: null },
  handler: ({ params, write }) =>
    write({ locks: [ruleLock(params.ruleID)] }, async ({ own }) => {
      await deleteRule(own, params.ruleID);
      return { status: 204 };
    }),
});

export const duplicateOneRule = endpoint({
  ...aboutRule,
  method: 'post',
  path: `${oneRule}/duplicate`,
  operationId: 'automation.rules.duplicate',
  scope: 'automation:write',
  summary: 'Make a new draft of the draft of a rule',
  description: 'Its name ends in ` (copy)`. Whoever makes it needs every scope that its actions use.',
  isIdempotent: true,
  responses: { 201: withExample(ruleView, { name: `${exampleName} (copy)` }) },
  location: rulesPath,
  handler: ({ params, caller, write }) =>
    write({ locks: [rulesLock(caller.organizationId)] }, async ({ own }) => {
      const made = await duplicateRule(own, authorOf(caller), params.ruleID);
      return { status: 201, body: await toRuleView(own, made), audit: { details: { made: made.id } } };
    }),
});
