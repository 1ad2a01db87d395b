import { Context, type Template } from 'liquidjs';
import { lengthOf, maxLink } from '../../templates/limits.ts';
import { parameterFaults } from '../../templates/parameters.ts';
import { templateFor } from './choose.ts';
import { type Compiled, type CompiledTemplate, filled, type Text } from './compile.ts';
import { engine } from './engine.ts';
import { maxMs, maxRendered } from './limits.ts';
import { type RenderData, scopeOf } from './scope.ts';
import type { TemplateOf } from './template-row.ts';

export type Rendered = { name: string; language: string; components: unknown[] };
export type RenderFailure = { reason: 'render_failed'; message: string };
/** `language`: the recipient's. `templateOf`: to check the result against the template of the recipient's channel. */
export type Choice = { variantId: string; language?: string; templateOf?: TemplateOf };

const failed = (message: string): RenderFailure => ({ reason: 'render_failed', message });

/**
 * The message of one recipient. Never throws. Fails where a value that is shown is missing or a parameter is empty, since the provider
 * refuses empty ones. The failure names the place, and holds no value of the contact.
 */
export function render(
  compiled: Compiled,
  data: RenderData,
  { variantId, language, templateOf }: Choice,
): Rendered | RenderFailure {
  const variant = compiled.variants.find(({ id }) => id === variantId);
  const template = templateFor(variant?.templates ?? [], language);
  if (!template) return failed(`There is no template of the variant ${variantId}`);
  try {
    const components = componentsOf(template, data);
    const row = templateOf?.(template.name, template.language);
    const [fault] = row && row.components.length > 0 ? parameterFaults(row, components, ['components']) : [];
    if (fault) return failed(fault.message);
    return { name: template.name, language: template.language, components };
  } catch (error) {
    return failed(error instanceof TextFailed ? error.message : 'The components cannot be filled');
  }
}

class TextFailed extends Error {}
class OutOfTime extends Error {}

function componentsOf({ components }: CompiledTemplate, data: RenderData): unknown[] {
  const scope = scopeOf(data);
  try {
    return attempt();
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
    // The clock also counts when the process was stopped, as to collect garbage.
    try {
      return attempt();
    } catch (again) {
      throw again instanceof OutOfTime ? new TextFailed(again.message) : again;
    }
  }

  /** All texts of a message share one limit of work and one of time. */
  function attempt() {
    const limits = new Context(scope, engine.options, { sync: true, renderLimit: maxMs }, { liquid: engine });
    return filled(components, (text) => renderedText(text, limits.spawn(scope)));
  }
}

function renderedText({ parsed, at, key }: Text, context: Context): string {
  if ('code' in parsed) throw new TextFailed(`${at}: ${parsed.message}`);
  // A parameter has no line break and no row of spaces, which tags in lines of their own leave.
  const value = rendered(parsed.templates, at, context).replace(/\s+/g, ' ').trim();
  if (value === '') throw new TextFailed(`${at} is empty`);
  const max = key === 'link' ? maxLink : maxRendered;
  if (lengthOf(value) > max) throw new TextFailed(`${at} has more than ${max} characters`);
  return value;
}

function rendered(templates: Template[], at: string, context: Context): string {
  try {
    return String(engine.renderSync(templates, context));
  } catch (error) {
    const message = `${at}: ${messageOf(error)}`;
    throw /template render limit/.test(message) ? new OutOfTime(`${at} takes too long`) : new TextFailed(message);
  }
}

/** A name that another value gives would tell that value: the name as the text has it. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'It cannot be rendered';
  if (error.name === 'UndefinedVariableError' && 'token' in error) {
    const { token } = error as { token: { getText(): string } };
    return `${token.getText().slice(0, 100)} is missing`;
  }
  if (/memory alloc limit/.test(error.message)) return 'It takes too much work';
  return error.message.split('\n')[0]!.slice(0, 200);
}
