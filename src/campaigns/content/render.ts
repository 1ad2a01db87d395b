import { type RenderText, TextFailed, together } from '../../liquid/render.ts';
import { lengthOf, maxLink } from '../../templates/limits.ts';
import { parameterFaults } from '../../templates/parameters.ts';
import { templateFor } from './choose.ts';
import { type Compiled, type CompiledTemplate, filled, type Text } from './compile.ts';
import { maxRendered } from './limits.ts';
import { type RenderData, scopeOf } from './scope.ts';
import type { TemplateOf } from './template-row.ts';

export type Rendered = { name: string; language: string; components: unknown[] };
export type RenderFailure = { reason: 'render_failed'; message: string };
/** `timezone`: the zone of times in the texts. `language`: the recipient's. `templateOf`: to check the result against the template of the recipient's channel. */
export type Choice = { variantId: string; timezone: string; language?: string; templateOf?: TemplateOf };

const failed = (message: string): RenderFailure => ({ reason: 'render_failed', message });

/**
 * The message of one recipient. Never throws. Fails where a value that is shown is missing or a parameter is empty, since the provider
 * refuses empty ones. The failure names the place, and holds no value of the contact.
 */
export function render(
  compiled: Compiled,
  data: RenderData,
  { variantId, timezone, language, templateOf }: Choice,
): Rendered | RenderFailure {
  const variant = compiled.variants.find(({ id }) => id === variantId);
  const template = templateFor(variant?.templates ?? [], language);
  if (!template) return failed(`There is no template of the variant ${variantId}`);
  try {
    const components = componentsOf(template, data, timezone);
    const row = templateOf?.(template.name, template.language);
    const [fault] = row && row.components.length > 0 ? parameterFaults(row, components, ['components']) : [];
    if (fault) return failed(fault.message);
    return { name: template.name, language: template.language, components };
  } catch (error) {
    return failed(error instanceof TextFailed ? error.message : 'The components cannot be filled');
  }
}

function componentsOf({ components }: CompiledTemplate, data: RenderData, timezone: string): unknown[] {
  return together(scopeOf(data), timezone, ({ text }) => filled(components, (one) => renderedText(one, text)));
}

function renderedText({ parsed, at, key }: Text, render: RenderText): string {
  if ('code' in parsed) throw new TextFailed(at, `: ${parsed.message}`);
  // A parameter has no line break and no row of spaces, which tags in lines of their own leave.
  const value = render(parsed.templates, at).replace(/\s+/g, ' ').trim();
  if (value === '') throw new TextFailed(at, ' is empty');
  const max = key === 'link' ? maxLink : maxRendered;
  if (lengthOf(value) > max) throw new TextFailed(at, ` has more than ${max} characters`);
  return value;
}
