import type { Path } from '../platform/errors.ts';
import { type Json, object, textOf } from '../providers/messaging-app/json.ts';
import { list, placeholdersIn, wordOf } from './components.ts';
import type { Fault } from './faults.ts';
import { lengthOf, maxCode, maxCoupon, maxPayload } from './limits.ts';

/**
 * `needs`: the parameter without which the provider refuses the message. `takes`: one that may be left out. `or`: the provider's examples
 * write it in this way too. `max`: characters of its value.
 */
type Rule = { subType: string; needs?: string; takes?: string; or?: string; max?: number };

/** undefined: a type we do not know, so that nothing of it is refused. */
export function ruleOf(button: Json): Rule | undefined {
  switch (wordOf(button.type)) {
    case 'QUICK_REPLY':
      return { subType: 'quick_reply', takes: 'payload', or: 'text', max: maxPayload };
    case 'URL':
      return { subType: 'url', ...(placeholdersIn(button.url).length > 0 && { needs: 'text' }) };
    case 'OTP':
      return { subType: 'url', needs: 'text', max: maxCode };
    case 'COPY_CODE':
      return { subType: 'copy_code', needs: 'coupon_code', max: maxCoupon };
    case 'FLOW':
      return { subType: 'flow', takes: 'action' };
    case 'CATALOG':
      return { subType: 'catalog', takes: 'action' };
    case 'MPM':
      return { subType: 'mpm', needs: 'action' };
    case 'PHONE_NUMBER':
      return { subType: 'phone_number' };
    default:
      return undefined;
  }
}

export type SentButton = { component: Json; at: Path };

export const indexOf = ({ component }: SentButton): number =>
  textOf(component.index) === '' ? Number.NaN : Number(component.index);

/** `at`: where a component that lacks would stand. */
export function buttonFaults(buttons: Json[], sent: SentButton[], at: Path): Fault[] {
  const faults: Fault[] = [];
  const byIndex = new Map<number, SentButton>();
  for (const one of sent) {
    const index = indexOf(one);
    const say = (code: string, message: string) => faults.push({ path: [...one.at, 'index'], code, message });
    if (Number.isNaN(index)) say('template.button_index', "A button's component needs its index, from 0");
    else if (!buttons[index])
      say(
        'template.button_index',
        `The template has ${buttons.length} buttons: there is none at index ${textOf(one.component.index)}`,
      );
    else if (byIndex.has(index)) say('template.button_index', `The button at index ${index} is given twice`);
    else byIndex.set(index, one);
  }
  for (const [index, button] of buttons.entries()) faults.push(...faultsOf(button, index, byIndex.get(index), at));
  return faults;
}

function faultsOf(button: Json, index: number, sent: SentButton | undefined, at: Path): Fault[] {
  const rule = ruleOf(button);
  if (!rule) return [];
  const what = `The button at index ${index} (${rule.subType})`;
  if (!sent)
    return rule.needs
      ? [{ path: at, code: 'template.parameter_missing', message: `${what} needs its parameter of type ${rule.needs}` }]
      : [];
  const { component } = sent;
  if (textOf(component.sub_type).toLowerCase() !== rule.subType)
    return [{ path: [...sent.at, 'sub_type'], code: 'template.button_type', message: `${what} takes sub_type ${rule.subType}` }];
  const path = [...sent.at, 'parameters'];
  const parameters = list(component.parameters).map(object);
  const kind = rule.needs ?? rule.takes;
  const [parameter] = parameters;
  if (!parameter)
    return rule.needs
      ? [{ path, code: 'template.parameter_missing', message: `${what} needs its parameter of type ${rule.needs}` }]
      : [];
  if (!kind) return [{ path, code: 'template.parameter_unknown', message: `${what} takes no parameters` }];
  if (parameters.length > 1)
    return [{ path: [...path, 1], code: 'template.parameter_unknown', message: `${what} takes one parameter` }];
  const type = textOf(parameter.type).toLowerCase();
  if (type !== kind && type !== rule.or)
    return [
      { path: [...path, 0, 'type'], code: 'template.parameter_type', message: `${what} takes a parameter of type ${kind}` },
    ];
  const value = parameter[type];
  // The provider's examples have true and false for texts that come back.
  const isText = textOf(value) !== '' || (rule.needs === undefined && typeof value === 'boolean');
  const isThere = type === 'action' ? value !== null && typeof value === 'object' : isText;
  const place = [...path, 0, type];
  if (!isThere) return [{ path: place, code: 'template.parameter_empty', message: `${what} needs ${type}` }];
  return rule.max !== undefined && lengthOf(textOf(value)) > rule.max
    ? [{ path: place, code: 'template.parameter_length', message: `${what} takes at most ${rule.max} characters` }]
    : [];
}
