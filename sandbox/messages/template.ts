import type { Account, Template } from '../accounts.ts';
import { GraphError } from '../graph/errors.ts';
import { asFields, type Fields, missing, requiredFields, requiredText } from './checks.ts';
import { checkCards } from './template-carousel.ts';
import { checkBody, checkButtons, checkHeader } from './template-parameters.ts';

/** Finds the template a message names and holds the message against it. */
export function checkTemplate(body: Fields, account: Account): Template {
  const sent = requiredFields(body, 'template', 'template');
  const name = requiredText(sent, 'name', "template['name']", 512);
  const language = requiredText(requiredFields(sent, 'language', "template['language']"), 'code', "template['language']['code']");
  const template = account.templates.find((known) => known.name === name && known.language === language);
  if (template?.status === 'PAUSED') throw new GraphError(132015, { details: `template (${name}) is paused for low quality` });
  if (template?.status === 'DISABLED') throw new GraphError(132016, { details: `template (${name}) is disabled` });
  if (template?.status !== 'APPROVED') {
    throw new GraphError(132001, { details: `template name (${name}) does not exist in ${language}` });
  }
  checkComponents(template, sent.components);
  return template;
}

function checkComponents(template: Template, sent: unknown): void {
  const components = readComponents(sent);
  checkHeader(template, components);
  checkBody(template, components);
  checkButtons(template, components);
  checkCards(template, components, checkComponents);
}

function readComponents(value: unknown): Fields[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new GraphError(100, { message: "(#100) Param template['components'] must be an array." });
  return value.map((entry, index) => {
    const component = asFields(entry);
    if (!component) throw missing(`template['components'][${index}]`);
    const type = requiredText(component, 'type', `template['components'][${index}]['type']`).toLowerCase();
    if (!['header', 'body', 'button', 'carousel', 'limited_time_offer'].includes(type)) {
      throw new GraphError(100, { message: `(#100) Unexpected component type "${type}" on param "template['components']".` });
    }
    return { ...component, type };
  });
}
