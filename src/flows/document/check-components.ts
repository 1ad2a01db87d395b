import { type Json, object } from '../../providers/messaging-app/json.ts';
import { checkText, isDynamic } from './check-texts.ts';
import { type ComponentRule, componentRules, countLimits, inputTypes } from './component-rules.ts';
import type { Faults } from './faults.ts';
import { type Limit, limits } from './limits.ts';
import type { ComponentPart, ScreenPart } from './model.ts';

export function checkComponents(screen: ScreenPart, faults: Faults): void {
  checkCounts(screen, faults);
  const names = new Set<unknown>();
  for (const component of screen.components) {
    const { part, type } = component;
    if (type === '') {
      faults.add(component, 'type', { error: 'MISSING_REQUIRED_TYPE_PROPERTY', message: 'A component needs its type' });
      continue;
    }
    if (typeof part.name === 'string' && type !== 'Form') {
      if (names.has(part.name))
        faults.add(component, 'name', {
          error: 'DUPLICATE_FORM_COMPONENT_NAMES',
          message: `Another component of the screen has the name ${part.name}`,
        });
      names.add(part.name);
    }
    const rule = componentRules.get(type);
    if (rule) checkComponent(component, rule, faults);
  }
}

/** A form is not counted. The footer is, which the builder has among the actions. */
function checkCounts(screen: ScreenPart, faults: Faults): void {
  const count = (of: (type: string) => boolean) => screen.components.filter(({ type }) => of(type)).length;
  const all = count((type) => type !== 'Form');
  const { max } = limits.components;
  if (all > max)
    faults.add(screen, 'components', {
      error: 'MAX_ALLOWED_COMPONENTS_PER_SCREEN',
      message: `A screen has at most ${max} components, its button and links among them`,
    });
  // Within a condition one of several is shown.
  const isConditional = screen.components.some(({ type }) => type === 'If' || type === 'Switch');
  for (const [type, name] of countLimits) {
    const found = count((one) => one === type);
    if (found > limits[name].max && !isConditional)
      faults.add(screen, '', {
        error: `MAX_${type.replace(/(?<=.)([A-Z])/g, '_$1').toUpperCase()}_PER_SCREEN`,
        message: `A screen has at most ${limits[name].max} components of type ${type}, not ${found}`,
      });
  }
}

function checkComponent(component: ComponentPart, rule: ComponentRule, faults: Faults): void {
  const { part, type } = component;
  for (const property of rule.required)
    if (part[property] === undefined)
      faults.add(component, property, {
        error: 'MISSING_REQUIRED_PROPERTY',
        message: `A component of type ${type} needs ${property}`,
      });
  for (const property of Object.keys(part))
    if (property !== 'type' && !rule.required.includes(property) && !rule.optional.includes(property))
      faults.add(component, property, {
        error: 'INVALID_PROPERTY_KEY',
        message: `The provider may not know ${property} of ${type}`,
        severity: 'warning',
      });
  for (const [property, limit] of Object.entries(rule.texts)) {
    const value = part[property];
    if (value === undefined) continue;
    const text = textOf(value, type);
    if (text === undefined)
      faults.add(component, property, { error: 'INVALID_PROPERTY_TYPE', message: `${property} must be a text` });
    else if (!isDynamic(text))
      checkText(text, { path: faults.pathOf(component, property), what: property, limit: limits[limit] }, faults);
  }
  if (typeof part.name !== 'string' && part.name !== undefined)
    faults.add(component, 'name', { error: 'INVALID_PROPERTY_TYPE', message: 'The name must be a text' });
  if (type === 'TextInput' && part['input-type'] !== undefined && !inputTypes.includes(part['input-type'] as string))
    faults.add(component, 'input-type', {
      error: 'INVALID_ENUM_VALUE',
      message: `The type of an input must be one of ${inputTypes.join(', ')}`,
    });
  for (const flag of ['required', 'visible', 'enabled'])
    if (part[flag] !== undefined && typeof part[flag] !== 'boolean' && typeof part[flag] !== 'string')
      faults.add(component, flag, { error: 'INVALID_PROPERTY_TYPE', message: `${flag} must be true or false` });
  if (rule.options && part['data-source'] !== undefined) checkOptions(component, rule.options, faults);
}

/** Lines of text with markdown are a list. */
const textOf = (value: unknown, type: string): string | undefined => {
  if (typeof value === 'string') return value;
  const isLines = (type === 'TextBody' || type === 'TextCaption') && Array.isArray(value);
  return isLines && value.every((line) => typeof line === 'string') ? value.join('\n') : undefined;
};

function checkOptions(component: ComponentPart, kind: 'dropdown' | 'group', faults: Faults): void {
  const source = component.part['data-source'];
  if (typeof source === 'string' && isDynamic(source)) return;
  if (!Array.isArray(source)) {
    faults.add(component, 'data-source', { error: 'INVALID_PROPERTY_TYPE', message: 'The options must be a list' });
    return;
  }
  const options = source.map(object);
  const limit =
    kind === 'group'
      ? limits.groupOptions
      : options.some(({ image }) => image !== undefined)
        ? limits.dropdownOptionsWithImages
        : limits.dropdownOptions;
  if (options.length < limit.min)
    faults.add(component, 'data-source', { error: 'MIN_ITEMS_REQUIRED', message: 'At least one option is needed' });
  if (options.length > limit.max)
    faults.add(component, 'data-source', {
      error: 'MAX_ITEMS_EXCEEDED',
      message: `At most ${limit.max} options are allowed, not ${options.length}`,
    });
  const ids = new Set<unknown>();
  for (const [index, option] of options.entries()) checkOption(component, { option, index, ids }, faults);
}

type Listed = { option: Json; index: number; ids: Set<unknown> };

function checkOption(component: ComponentPart, { option, index, ids }: Listed, faults: Faults): void {
  const at = `data-source[${index}]`;
  const { id, title, description, metadata } = option;
  if (typeof id !== 'string' || id === '')
    faults.add(component, `${at}.id`, { error: 'MISSING_REQUIRED_PROPERTY', message: 'An option needs its id' });
  else if (ids.has(id))
    faults.add(component, `${at}.id`, { error: 'INVALID_PROPERTY_VALUE', message: `Another option has the id ${id}` });
  ids.add(id);
  const text = (value: unknown, name: string, limit: Limit) => {
    if (typeof value === 'string')
      checkText(value, { path: faults.pathOf(component, `${at}.${name}`), what: name, limit }, faults);
    else
      faults.add(component, `${at}.${name}`, {
        error: 'MISSING_REQUIRED_PROPERTY',
        message: `An option needs ${name} as a text`,
      });
  };
  text(title, 'title', limits.optionTitle);
  if (description !== undefined) text(description, 'description', limits.optionDescription);
  if (metadata !== undefined) text(metadata, 'metadata', limits.optionMetadata);
}
