import type { Template } from '../accounts.ts';
import type { State } from '../state.ts';
import { ownWaba, templatesOf } from './authorize.ts';
import type { GraphRequest, GraphResponse } from './context.ts';
import { GraphError, noSuchObject } from './errors.ts';
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

type TemplateRequest = GraphRequest & { params: { templateId: string } };

export function listTemplates(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    const url = requestUrl(req);
    const found = templatesOf(ownWaba(state, req, res)).filter((template) =>
      filters.every((filter) => fits(template[filter], url.searchParams.get(filter))),
    );
    const data = found.map((template) => showTemplate(template, req.query.fields));
    reply(res, 200, page(data, url));
  };
}

export function showTemplate(template: Template, wanted: unknown): object {
  const node = { quality_score: { score: 'GREEN' }, rejected_reason: 'NONE', ...template };
  return pickFields(node, wanted, fields, 'WhatsAppMessageTemplate');
}

/** Clients also ask for a template below its account and get the same answer. */
export function getTemplate(state: State) {
  return (req: TemplateRequest, res: GraphResponse): void => {
    const { templateId } = req.params;
    const template = templatesOf(ownWaba(state, req, res)).find(({ id }) => id === templateId);
    if (!template) throw noSuchObject(templateId, req.method);
    reply(res, 200, showTemplate(template, req.query.fields));
  };
}

/** One value, or several as a JSON array; a name is one. */
function fits(value: string, wanted: string | null): boolean {
  return wanted === null || valuesOf(wanted).includes(value.toLowerCase());
}

function valuesOf(wanted: string): string[] {
  if (!wanted.startsWith('[')) return [wanted.toLowerCase()];
  try {
    return (JSON.parse(wanted) as unknown[]).map((value) => String(value).toLowerCase());
  } catch {
    throw new GraphError(100, { message: '(#100) A filter with several values must be a JSON array.' });
  }
}
