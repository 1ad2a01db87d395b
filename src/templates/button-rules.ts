import type { Path } from '../platform/errors.ts';
import { type Json, textOf } from '../providers/messaging-app/json.ts';
import { list, placeholdersIn, wordOf } from './components.ts';

/** How many of a kind a template may have. */
const most: Record<string, number> = { URL: 2, PHONE_NUMBER: 1, COPY_CODE: 1, OTP: 1, FLOW: 1, CATALOG: 1, MPM: 1 };
/** Nothing stands beside these. */
const alone = ['OTP', 'CATALOG', 'MPM'];

type Found = { path: Path; message: string };

export function buttonFaults(buttons: Json[], at: Path): Found[] {
  const types = buttons.map(({ type }) => wordOf(type));
  const found: Found[] = [];
  for (const [type, max] of Object.entries(most)) {
    const count = types.filter((one) => one === type).length;
    if (count > max)
      found.push({ path: at, message: `A template has at most ${max} button${max > 1 ? 's' : ''} of type ${type}` });
    if (count > 0 && alone.includes(type) && types.length > count)
      found.push({ path: at, message: `A button of type ${type} must be the only one` });
  }
  if (changes(types.map((type) => type === 'QUICK_REPLY')) > 1)
    found.push({ path: at, message: 'Quick replies must stand together, before or after the other buttons' });
  for (const [index, button] of buttons.entries()) found.push(...addressFaults(button, [...at, index]));
  return found;
}

const changes = (flags: boolean[]) => flags.filter((flag, index) => index > 0 && flag !== flags[index - 1]).length;

/** An address may end in one parameter. */
function addressFaults({ type, url, example }: Json, at: Path): Found[] {
  if (wordOf(type) !== 'URL') return [];
  const names = placeholdersIn(url);
  if (names.length === 0) return [];
  if (names.length > 1 || !/\{\{ *1 *\}\}$/.test(textOf(url)))
    return [{ path: [...at, 'url'], message: 'An address has one parameter at most: {{1}} at its end' }];
  return list(example).length === 1
    ? []
    : [{ path: [...at, 'example'], message: 'An address with a parameter needs one example' }];
}
