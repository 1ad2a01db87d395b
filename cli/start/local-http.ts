type Request = { method?: string; key?: string; headers?: Record<string, string>; body?: object; signal: AbortSignal };
export type LocalAnswer<Body> = { status: number; headers: Headers; body: Body };

/** One JSON request to a process of ours. Undefined while nobody listens there. */
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
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
  } catch (error) {
    // fetch hides what happened to the connection in the cause; anything else is a fault of ours.
    if (error instanceof TypeError && error.cause) return undefined;
    throw error;
  }
}
