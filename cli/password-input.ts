import { text } from 'node:stream/consumers';

/** One line of standard input, taken as it is: an argument would be seen in the list of processes and kept by the shell. */
export async function passwordInput(): Promise<string> {
  if (process.stdin.isTTY) throw new Error('--password-stdin takes a password from a pipe or a file, not from the keyboard');
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  if (/[\r\n\0]/.test(password)) throw new Error('The password on standard input must be one line');
  return password;
}
