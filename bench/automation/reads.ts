import type { RunFilter } from '../../src/automation/runs/filter.ts';
import { getRun } from '../../src/automation/runs/get.ts';
import { listRuns } from '../../src/automation/runs/list.ts';
import { statsOf, statsWithin } from '../../src/automation/runs/stats.ts';
import { ownRows } from '../../src/platform/database/own.ts';
import { bindingOf, positionIn } from '../../src/platform/listing/cursor.ts';
import { unbounded } from '../contacts/plan.ts';
import { pageSize, type ScaleRead } from '../scale-reads.ts';
import type { Owner } from './dataset.ts';

/** `contactId`, `runId`: others each request. */
export type Asked = { owner: Owner; cursor: string; contactId: string; runId: string };
type Read = ScaleRead<Asked>;

const listAim = { ratio: 1.5 };
const statsAim = { ms: 50 };
/** The list that is shortest must have it in the small organization too. */
const laterPage = 40;
const path = '/v1/automation/runs';

const list = (name: string, filterOf: (asked: Asked) => RunFilter, more: Partial<Read> = {}): Read => ({
  name: `runs${name}`,
  aim: listAim,
  path(asked, limit = pageSize) {
    const { ruleId, state, subjectType, subjectId, contactId } = filterOf(asked);
    const given = { rule_id: ruleId, state, subject_type: subjectType, subject_id: subjectId, contact_id: contactId };
    const query = new URLSearchParams({ limit: String(limit), ...(asked.cursor && { cursor: asked.cursor }) });
    for (const [key, value] of Object.entries(given)) if (value) query.set(key, value);
    return `${path}?${query}`;
  },
  run(source, asked) {
    const filter = filterOf(asked);
    const own = ownRows(source, asked.owner.organizationId);
    const after = asked.cursor
      ? positionIn<[string, string]>(asked.cursor, bindingOf(['automation.runs', filter]), ['time', 'id'])
      : undefined;
    return listRuns(unbounded(source).plain, own, filter, { limit: pageSize, after, includeTotal: false });
  },
  ...more,
});
const later = { isFar: true, farPage: laterPage };
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

export const reads: Read[] = [
  list('', () => ({})),
  list(`, page ${laterPage}`, () => ({}), later),
  list(' that failed', () => ({ state: 'failed' })),
  list(` that failed, page ${laterPage}`, () => ({ state: 'failed' }), later),
  list(' of a rule', ({ owner }) => ({ ruleId: owner.ruleIds[0]! })),
  list(` of a rule, page ${laterPage}`, ({ owner }) => ({ ruleId: owner.ruleIds[0]! }), later),
  list(' of a rule that failed', ({ owner }) => ({ ruleId: owner.ruleIds[0]!, state: 'failed' }), { mayBeEmpty: true }),
  list(' of a contact', ({ contactId }) => ({ contactId })),
  list(' about a subject', ({ contactId }) => ({ subjectType: 'contact', subjectId: contactId })),
  {
    name: 'a run with its steps',
    aim: listAim,
    path: ({ runId }) => `${path}/${runId}`,
    run: (source, { owner, runId }) => getRun(ownRows(source, owner.organizationId), runId),
  },
  {
    name: 'statistics',
    aim: statsAim,
    isSum: true,
    path: () => `${path}/stats`,
    run: (source, { owner }) => statsOf(ownRows(source, owner.organizationId)),
  },
  {
    name: 'statistics of a rule',
    aim: statsAim,
    isSum: true,
    path: ({ owner }) => `${path}/stats?rule_id=${owner.ruleIds[0]}`,
    run: (source, { owner }) => statsOf(ownRows(source, owner.organizationId), owner.ruleIds[0]),
  },
  {
    name: 'statistics of the last day',
    aim: statsAim,
    isSum: true,
    path: () => `${path}/stats?since=${daysAgo(1)}`,
    run: (source, { owner }) =>
      statsWithin(unbounded(source).plain, ownRows(source, owner.organizationId), { since: daysAgo(1) }),
  },
];
