import type { Template, TemplateComponent } from '../accounts.ts';
import { GraphError } from '../graph/errors.ts';
import { asFields, type Fields, requiredText } from '../messages/checks.ts';
import { authenticationComponents } from './authentication.ts';

const categories = ['AUTHENTICATION', 'MARKETING', 'UTILITY'];
const componentTypes = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL', 'LIMITED_TIME_OFFER', 'CALL_PERMISSION_REQUEST'];
const headerFormats = ['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION', 'PRODUCT'];

const oneOf = (param: string, choices: string[], got: unknown) =>
  new GraphError(100, { message: `(#100) Param ${param} must be one of {${choices.join(', ')}} - got "${String(got)}".` });

/** Checks a new template or a changed one. Examples are for human reviewers, which the sandbox does not have. */
export function readDefinition(body: Fields): Omit<Template, 'id' | 'status'> {
  const name = requiredText(body, 'name', 'name', 512);
  if (!/^[a-z0-9_]+$/.test(name))
    throw new GraphError(100, { message: '(#100) Param name may have lowercase letters, digits and underscores only.' });
  const language = requiredText(body, 'language', 'language', 15);
  const category = requiredText(body, 'category', 'category').toUpperCase();
  if (!categories.includes(category)) throw oneOf('category', categories, body.category);
  const format = body.parameter_format ?? 'POSITIONAL';
  if (typeof format !== 'string' || !['POSITIONAL', 'NAMED'].includes(format.toUpperCase()))
    throw oneOf('parameter_format', ['POSITIONAL', 'NAMED'], format);
  const components = readComponents(body.components);
  if (!components.some(({ type }) => type === 'BODY'))
    throw new GraphError(100, { message: '(#100) A template needs a component of type BODY.' });
  return {
    name,
    language,
    category,
    parameter_format: format.toUpperCase(),
    components: category === 'AUTHENTICATION' ? authenticationComponents(components) : components,
  };
}

function readComponents(value: unknown): TemplateComponent[] {
  if (!Array.isArray(value)) throw new GraphError(100, { message: '(#100) Param components must be an array.' });
  return value.map((entry) => {
    const component = asFields(entry) ?? {};
    const type = String(component.type).toUpperCase();
    if (!componentTypes.includes(type)) throw oneOf("components['type']", componentTypes, component.type);
    if (type === 'HEADER' && !headerFormats.includes(String(component.format).toUpperCase()))
      throw oneOf("components['format']", headerFormats, component.format);
    return { ...component, type };
  });
}
