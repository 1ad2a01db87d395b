import type { Account, Template } from '../accounts.ts';
import { templateId } from '../ids.ts';
import { asFields } from '../messages/checks.ts';
import type { State } from '../state.ts';
import { readDefinition } from '../templates/definition.ts';
import { scheduleReview } from '../templates/review.ts';
import { ownWaba } from './authorize.ts';
import type { GraphRequest, GraphResponse } from './context.ts';
import { GraphError } from './errors.ts';
import { reply } from './reply.ts';

/** A new template waits for its review, which the sandbox makes by itself a little later. */
export function createTemplate(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    const accounts = ownWaba(state, req, res);
    const template = { id: templateId(), status: 'PENDING', ...readDefinition(asFields(req.body) ?? {}) };
    const isTaken = ({ name, language }: Template) => name === template.name && language === template.language;
    if (accounts.some(({ templates }) => templates.some(isTaken)))
      throw new GraphError(100, { message: `(#100) There is already content in ${template.language} for this template.` });
    for (const { templates } of accounts) templates.push(template);
    scheduleReview(state, req.params.id, [template]);
    reply(res, 200, { id: template.id, status: template.status, category: template.category });
  };
}

/** Only a reviewed template can be changed, and a change is reviewed again. */
export function editTemplate(state: State, template: Template, req: GraphRequest, res: GraphResponse): object {
  if (!['APPROVED', 'REJECTED', 'PAUSED'].includes(template.status))
    throw new GraphError(100, { message: `(#100) A template that is ${template.status} cannot be edited.` });
  const { category, components } = { ...template, ...asFields(req.body) };
  const changed = readDefinition({ ...template, category, components });
  const accounts = state.accounts.ofToken(res.locals.token).filter((account) => hasTemplate(account, template.id));
  const copies = accounts.flatMap(({ templates }) => templates.filter(({ id }) => id === template.id));
  for (const copy of copies) Object.assign(copy, changed, { status: 'PENDING' });
  scheduleReview(state, accounts[0]?.waba_id ?? '', copies);
  return { success: true };
}

const hasTemplate = ({ templates }: Account, id: string) => templates.some((template) => template.id === id);

/** A name deletes every language; `hsm_id` deletes one. */
export function deleteTemplate(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    const accounts = ownWaba(state, req, res);
    const { name, hsm_id } = req.query;
    if (typeof name !== 'string' || name === '') throw new GraphError(100, { message: '(#100) The parameter name is required.' });
    const isMeant = (template: Template) => template.name === name && (hsm_id === undefined || template.id === hsm_id);
    if (!accounts.some(({ templates }) => templates.some(isMeant)))
      throw new GraphError(100, { message: 'Invalid parameter', details: `Message template ${name} was not found` });
    for (const account of accounts) account.templates = account.templates.filter((template) => !isMeant(template));
    reply(res, 200, { success: true });
  };
}
