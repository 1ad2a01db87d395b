import Joi from 'joi';
import { maxFormerVersions } from '../../src/automation/rules/old-versions.ts';
import { listVersions, readVersion, type VersionRow } from '../../src/automation/rules/versions.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { bindingOf, cursorOf, positionIn } from '../../src/platform/listing/cursor.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listOf, type PageQuery, pageFrom, pageQuery } from '../http/paging.ts';
import { iso, timestamp } from '../http/schemas.ts';
import { extended, view } from '../http/view.ts';
import { tag } from './automation-schemas.ts';
import { exampleDefinition, oneRule } from './rule-schemas.ts';
import { shownDefinition } from './rule-view.ts';

const versionView = view(
  'automation_rule_version',
  Joi.object({
    number: Joi.number().integer().required(),
    published_by: Joi.string().allow('').required().description('`user:<id>`, or `key:<id>` for a program'),
    created_at: timestamp.required().description('When it was published'),
  }),
  { number: 1, published_by: `user:${exampleIds.user}`, created_at: exampleTime },
);
const wholeView = extended(versionView, shownDefinition, exampleDefinition);

const toView = ({ number, published_by, created_at }: VersionRow) => ({ number, published_by, created_at: iso(created_at) });

export const listOfRuleVersions = endpoint({
  tag,
  subject: 'Rule',
  method: 'get',
  path: `${oneRule}/versions`,
  operationId: 'automation.rules.versions.list',
  scope: 'automation:read',
  summary: 'List the versions of a rule, newest first',
  description: `The last ${maxFormerVersions + 1}; of large definitions fewer. One that a live run began with stays.`,
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(versionView) },
  async handler({ params, query, own }) {
    const { limit, cursor, include_total: includeTotal } = query;
    const binding = bindingOf(['automation.rules.versions', params]);
    const [before] = cursor === undefined ? [] : positionIn<[number]>(cursor, binding, ['line']);
    const { rows, total } = await listVersions(own, params.ruleID, { limit, before, includeTotal });
    const page = pageFrom(query, rows, ({ number }) => cursorOf(binding, [number]), total);
    return ok({ items: page.rows.map(toView), meta: page.meta });
  },
});

export const getRuleVersion = endpoint({
  tag,
  subject: 'Version',
  method: 'get',
  path: `${oneRule}/versions/:versionNumber`,
  operationId: 'automation.rules.versions.get',
  scope: 'automation:read',
  summary: 'Get one version of a rule',
  description: 'It never changes.',
  params: { versionNumber: Joi.string().pattern(/^[1-9]\d{0,8}$/) },
  responses: { 200: wholeView },
  example: { params: { versionNumber: '1' } },
  async handler({ params, own }) {
    const { definition, ...row } = await readVersion(own, params.ruleID, Number(params.versionNumber));
    const { trigger, conditions, steps, concurrency, exit_when, limits } = definition;
    return ok({ ...toView(row), trigger, conditions, steps, concurrency, exit_when, limits });
  },
});
