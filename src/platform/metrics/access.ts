import { equalsInConstantTime } from '../secrets.ts';

export function mayScrape(authorization: string | undefined, token: string): boolean {
  const [scheme = '', credentials = '', ...more] = (authorization ?? '').split(' ');
  return scheme.toLowerCase() === 'bearer' && more.length === 0 && equalsInConstantTime(credentials, token);
}

export const askForToken = 'Bearer realm="Kanal metrics"';
