import type { Action, BuilderJson, Component, Screen } from './builder.ts';
import { checkText } from './check-texts.ts';
import type { Faults } from './faults.ts';
import { kinds } from './kinds.ts';
import { limits } from './limits.ts';

/** The provider adds it to the answers itself. */
const reservedNames = ['flow_token'];

/** What a compiled document does not show, and what is stricter here than at the provider. */
export function checkBuilder({ flow }: BuilderJson, faults: Faults): void {
  const at = 'builder_json.flow.screens';
  const screens = flow.screens ?? [];
  const { max } = limits.builderScreens;
  if (screens.length > max)
    faults.at(at, { error: 'MAX_SCREENS_NUMBER', message: `A flow has at most ${max} screens, not ${screens.length}` });
  const ids = new Map<string, string>();
  for (const [index, screen] of screens.entries()) {
    const path = `${at}[${index}]`;
    checkText(screen.title, { path: `${path}.title`, what: 'title', limit: limits.screenTitle }, faults);
    for (const [place, component] of (screen.components ?? []).entries()) {
      const where = `${path}.components[${place}]`;
      checkId(component, where, ids, faults);
      checkUse(component, where, faults);
    }
    checkLinks(screen, path, faults);
    checkActions(screen.actions ?? [], path, faults);
  }
}

/** An answer is sent under its id, so that of two with one id only one would arrive. */
function checkId({ id }: Component, path: string, ids: Map<string, string>, faults: Faults): void {
  const first = ids.get(id);
  if (first !== undefined)
    faults.at(`${path}.id`, { error: 'DUPLICATE_FORM_COMPONENT_NAMES', message: `${first} has the same id ${id}` });
  else ids.set(id, path);
  if (reservedNames.includes(id))
    faults.at(`${path}.id`, { error: 'INVALID_PROPERTY_VALUE', message: `The id ${id} is reserved by the provider` });
}

/** What is written where nobody will see it. */
function checkUse(component: Component, path: string, faults: Faults): void {
  const kind = kinds[component.type];
  const unused = (property: keyof Component, message: string) =>
    faults.at(`${path}.${property}`, { error: 'INVALID_PROPERTY_KEY', message, severity: 'warning' });
  const never = (property: keyof Component, isShown: boolean) => {
    const value = component[property];
    const isGiven = Array.isArray(value) ? value.length > 0 : Boolean(value);
    if (isGiven && !isShown) unused(property, `A component of type ${component.type} does not show ${property}`);
  };
  never('label', kind.isInput);
  never('text', !kind.isInput);
  never('options', kind.hasOptions === true);
  never('required', kind.isInput);
  never('helper_text', kind.helper !== undefined);
  never('placeholder', kind.helper !== undefined);
  if (kind.helper && component.placeholder && component.helper_text)
    unused('placeholder', 'The provider has no placeholders: helper_text is shown, and this is not');
}

function checkLinks({ components, actions }: Screen, path: string, faults: Faults): void {
  const links = new Map((components ?? []).filter(({ type }) => type === 'link').map((link) => [link.id, link]));
  const opened = new Set<string>();
  for (const [index, { type, target, label }] of (actions ?? []).entries()) {
    if (type !== 'open_url' || !target) continue;
    const link = links.get(target);
    if (!link || opened.has(target))
      faults.at(`${path}.actions[${index}].target`, {
        error: 'INVALID_PROPERTY_VALUE',
        message: link ? `The link ${target} opens another address already` : `This screen has no link ${target}`,
      });
    else if (link.text && link.text !== label)
      faults.at(`${path}.actions[${index}].label`, {
        error: 'INVALID_PROPERTY_KEY',
        message: `The text of the link ${target} is shown, and this is not`,
        severity: 'warning',
      });
    opened.add(target);
  }
}

function checkActions(actions: Action[], path: string, faults: Faults): void {
  for (const [index, { type, target, url }] of actions.entries()) {
    const at = `${path}.actions[${index}]`;
    if (type === 'open_url' && url && !url.startsWith('https://'))
      faults.at(`${at}.url`, { error: 'INVALID_PROPERTY_VALUE_FORMAT', message: 'The address must begin with https://' });
    if (type !== 'open_url' && url) unusedIn(type, `${at}.url`, 'url', faults);
    if (type === 'complete' && target) unusedIn(type, `${at}.target`, 'target', faults);
  }
}

const unusedIn = (type: string, path: string, property: string, faults: Faults) =>
  faults.at(path, {
    error: 'INVALID_PROPERTY_KEY',
    message: `An action of type ${type} does not use ${property}`,
    severity: 'warning',
  });
