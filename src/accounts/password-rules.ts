import { invalidField } from '../platform/errors.ts';

const [minLength, maxLength] = [12, 128];
let common: Set<string> | undefined;

/** Those of the permitted length; loaded when the first password is set. */
async function commonPasswords(): Promise<Set<string>> {
  if (!common) {
    const { dictionary } = await import('@zxcvbn-ts/language-common');
    const list = dictionary['passwords-common'] as string[];
    common = new Set(list.filter((password) => password.length >= minLength));
  }
  return common;
}

/** Counts characters, not bytes. Throws 422 on `field`. */
export async function checkPassword(field: string, password: string, email: string): Promise<void> {
  const length = [...password].length;
  if (length < minLength || length > maxLength)
    throw invalidField(field, `${field} must have ${minLength} to ${maxLength} characters`, 'password.length');
  if (password.toLowerCase() === email.toLowerCase())
    throw invalidField(field, `${field} must not be the email`, 'password.email');
  if ((await commonPasswords()).has(password.toLowerCase()))
    throw invalidField(field, `${field} is too easy to guess`, 'password.common');
}
