import type { Dispatcher } from 'undici';

/** Rejects for a body that is longer, with its connection closed, and for one that breaks off. */
export function wholeBody(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    body.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= maxBytes) return;
      reject(new Error(`the answer is longer than ${maxBytes} bytes`));
      body.destroy();
    });
    body.on('end', () => resolve(Buffer.concat(chunks, size)));
    body.on('error', reject);
    body.on('close', () => reject(new Error('the answer broke off')));
  });
}
