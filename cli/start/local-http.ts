type Request = { method?: string; key?: string; headers?: Record<string, string>; body?: object; signal: AbortSignal };
export type LocalAnswer<Body> = { status: number; headers: Headers; body: Body };

/** One JSON request to our own process. Undefined while nothing listens there. */
export async function ask<Body = unknown>(
  url: string,
  { method = 'GET', key, headers, body, signal }: Request,
): Promise<LocalAnswer<Body> | undefined> {
  try {
    const response = await fetch(url, {
      method,
      headers: { ...(key && { 'x-api-key': key }), ...(body && { 'content-type': 'application/json' }), ...headers },
      body: body && JSON.stringify(body),
      signal,
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: (text ? JSON.parse(text) : undefined) as Body };
  } catch (error) {
    // fetch puts the connection's error into the cause; any other error is a fault of this code.
    if (error instanceof TypeError && error.cause) return undefined;
    throw error;
  }
}
