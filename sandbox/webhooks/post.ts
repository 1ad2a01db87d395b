import { type Dispatcher, request } from 'undici';

const patienceMs = 10_000;

/** One attempt. Resolves to the receiver's status, or null when no answer came. */
export async function post(
  dispatcher: Dispatcher,
  url: string,
  body: Buffer,
  signature: string | undefined,
): Promise<number | null> {
  try {
    const response = await request(url, {
      dispatcher,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'facebookexternalua',
        ...(signature === undefined ? {} : { 'x-hub-signature-256': signature }),
      },
      body,
      headersTimeout: patienceMs,
      bodyTimeout: patienceMs,
    });
    await response.body.dump();
    return response.statusCode;
  } catch {
    return null;
  }
}
