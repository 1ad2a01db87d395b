import { isUuid } from '../src/ids.ts';

export function idArgument(text: string, subject: string): string {
  if (!isUuid(text)) throw new Error(`${JSON.stringify(text)} is not the id of ${subject}`);
  return text;
}

export function nameArgument(text: string): string {
  const name = text.trim();
  if (name === '') throw new Error('The name is empty');
  return name;
}
