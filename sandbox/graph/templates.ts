import type { Template } from '../accounts.ts';
import type { State } from '../state.ts';
import { ownWaba } from './authorize.ts';
import type { GraphRequest, GraphResponse } from './context.ts';
import { pickFields } from './fields.ts';
import { page } from './paging.ts';
import { reply } from './reply.ts';
import { requestUrl } from './request-url.ts';

const filters = ['name', 'status', 'category', 'language'] as const;

const fields = [
  'id',
  'name',
  'language',
  'status',
  'category',
  'parameter_format',
  'components',
  'quality_score',
  'rejected_reason',
  'previous_category',
];

export function listTemplates(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    const url = requestUrl(req);
    const found = templatesOf(ownWaba(state, req, res)).filter((template) =>
      filters.every((filter) => fits(template[filter], url.searchParams.get(filter))),
    );
    const nodes = found.map((template) => ({ quality_score: { score: 'GREEN' }, rejected_reason: 'NONE', ...template }));
    const data = nodes.map((node) => pickFields(node, req.query.fields, fields, 'WhatsAppMessageTemplate'));
    reply(res, 200, page(data, url));
  };
}

/** Templates belong to the business account: numbers that share it share them. */
function templatesOf(accounts: { templates: Template[] }[]): Template[] {
  const byId = new Map(accounts.flatMap(({ templates }) => templates).map((template) => [template.id, template]));
  return [...byId.values()];
}

function fits(value: string, wanted: string | null): boolean {
  return wanted === null || value.toLowerCase() === wanted.toLowerCase();
}
