import type { Template, TemplateComponent } from '../accounts.ts';
import { GraphError } from '../graph/errors.ts';
import { asFields, type Fields, missing } from './checks.ts';

/** Values that the provider formats for the reader's country, and their required fields. */
const formatted = new Map([
  ['currency', ['fallback_value', 'code', 'amount_1000']],
  ['date_time', ['fallback_value']],
]);
const longestBody = 1_024;

export function checkHeader(template: Template, sent: Fields[]): void {
  const header = componentOf(template, 'HEADER');
  const parameters = parametersOf(sent.find(({ type }) => type === 'header'));
  const format = header?.format?.toUpperCase() ?? 'TEXT';
  if (format === 'TEXT') {
    checkTexts('header', template, header?.text ?? '', parameters);
    return;
  }
  const got = parameters[0]?.type;
  const hasContent = typeof got === 'string' && asFields(parameters[0]?.[got]) !== undefined;
  if (parameters.length !== 1 || !hasContent || got.toUpperCase() !== format) {
    throw new GraphError(132012, {
      details: `header: Format mismatch, expected ${format}, received ${String(got ?? 'UNKNOWN').toUpperCase()}`,
    });
  }
}

export function checkBody(template: Template, sent: Fields[]): void {
  const text = componentOf(template, 'BODY')?.text ?? '';
  const parameters = parametersOf(sent.find(({ type }) => type === 'body'));
  checkTexts('body', template, text, parameters);
  const filled = parameters.reduce((sum, parameter) => sum + String(parameter.text ?? '').length, text.length);
  if (filled > longestBody) throw new GraphError(132005, { details: `body: ${filled} characters, at most ${longestBody} fit` });
}

/** Only a URL with a placeholder needs its parameter; payloads of quick replies may be left out. */
export function checkButtons(template: Template, sent: Fields[]): void {
  const buttons = componentOf(template, 'BUTTONS')?.buttons ?? [];
  const sentButtons = sent.filter(({ type }) => type === 'button');
  for (const { index } of sentButtons) {
    if (index === undefined) throw missing("template['components']['index']");
    if (!buttons[Number(index)])
      throw new GraphError(132000, { details: `buttons: there is no button at index ${String(index)}` });
  }
  for (const [index, button] of buttons.entries()) {
    if (!/\{\{.+\}\}/.test(button.url ?? '')) continue;
    const [parameter] = parametersOf(sentButtons.find((component) => Number(component.index) === index));
    if (!parameter?.text)
      throw new GraphError(131008, { details: `buttons: Button at index ${index} of type Url requires a parameter` });
  }
}

function checkTexts(where: string, template: Template, text: string, parameters: Fields[]): void {
  const expected = new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name]) => name));
  if (expected.size !== parameters.length) {
    throw new GraphError(132000, {
      details: `${where}: number of localizable_params (${parameters.length}) does not match the expected number of params (${expected.size})`,
    });
  }
  for (const parameter of parameters) {
    checkText(where, parameter);
    if (template.parameter_format === 'NAMED' && !expected.has(String(parameter.parameter_name))) {
      throw new GraphError(132012, { details: `${where}: parameter_name is missing or unknown` });
    }
  }
}

function checkText(where: string, parameter: Fields): void {
  const kind = String(parameter.type);
  if (kind === 'text') {
    if (typeof parameter.text !== 'string' || parameter.text === '') throw missing(`${where}: text of a parameter`);
    return;
  }
  const needed = formatted.get(kind);
  if (!needed)
    throw new GraphError(132012, { details: `${where}: Format mismatch, expected TEXT, received ${kind.toUpperCase()}` });
  const content = asFields(parameter[kind]) ?? {};
  for (const field of needed) if (content[field] === undefined) throw missing(`${where}: ${field} of a ${kind}`);
}

function componentOf(template: Template, type: string): TemplateComponent | undefined {
  return template.components.find((component) => component.type.toUpperCase() === type);
}

function parametersOf(component: Fields | undefined): Fields[] {
  const list = component?.parameters ?? [];
  if (!Array.isArray(list))
    throw new GraphError(100, { message: "(#100) Param template['components']['parameters'] must be an array." });
  return list.map((entry) => asFields(entry) ?? {});
}
