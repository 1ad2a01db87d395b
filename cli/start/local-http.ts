/** One JSON request to a process of ours. Undefined while nobody listens there. */
export async function ask<Body = unknown>(
  url: string,
  { method = 'GET', key, body, signal }: { method?: string; key?: string; body?: object; signal: AbortSignal },
): Promise<{ status: number; body: Body } | undefined> {
  try {
    const response = await fetch(url, {
      method,
      headers: { ...(key && { 'x-api-key': key }), ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
      signal,
    });
    return { status: response.status, body: (await response.json()) as Body };
  } catch (error) {
    // fetch hides what happened to the connection in the cause; anything else is a fault of ours.
    if (error instanceof TypeError && error.cause) return undefined;
    throw error;
  }
}
