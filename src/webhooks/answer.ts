import type { Dispatcher } from 'undici';

type Head = {
  status: number;
  statusText: string;
  headers: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];
};

/** `fault`: why `body` is not whole; it has what came until then. */
export type Answer = Head & { body: Buffer; fault?: Error };

export class AnswerTooLong extends Error {
  override name = 'AnswerTooLong';
}

export type AnswerReader = {
  handler: Dispatcher.DispatchHandler;
  /** Rejects where no head came. */
  answer: Promise<Answer>;
  /** Closes the connection; without one, nothing will be sent. */
  stop(reason: Error): void;
};

/** Reads at most `maxBytes` of a body, and closes the connection of a longer one. undici's streams cost as much as a small request. */
export function answerReader(maxBytes: number, onHead: () => void): AnswerReader {
  const { promise: answer, resolve, reject } = Promise.withResolvers<Answer>();
  const chunks: Buffer[] = [];
  let size = 0;
  let head: Head | undefined;
  let controller: Dispatcher.DispatchController | undefined;
  let stopped: Error | undefined;
  let isOver = false;

  function end(fault?: Error) {
    if (isOver) return;
    isOver = true;
    if (head) resolve({ ...head, body: Buffer.concat(chunks, size), ...(fault && { fault }) });
    else reject(fault);
  }

  function stop(reason: Error) {
    if (isOver) return;
    stopped = reason;
    end(reason);
    controller?.abort(reason);
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(given) {
      controller = given;
      if (stopped) given.abort(stopped);
    },
    onResponseStart(_controller, status, headers, statusText = '') {
      // Interim: the answer follows.
      if (status < 200) return;
      head = { status, statusText, headers };
      onHead();
    },
    onResponseData(_controller, chunk) {
      if (isOver) return;
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) stop(new AnswerTooLong(`the answer is longer than ${maxBytes} bytes`));
    },
    onResponseEnd: () => end(),
    onResponseError: (_controller, error) => end(error),
  };
  return { handler, answer, stop };
}
