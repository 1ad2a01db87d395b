import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { childrenOf, statusClass } from '../../../src/platform/metrics/children.ts';
import type { Listener } from './request-end.ts';

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);
const buckets = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Labelled by operation id, else `none`: paths and ids would make a series per request. */
export function requestMetrics(registry: Registry): Listener {
  const requests = childrenOf(
    new Counter({
      name: 'kanal_http_requests_total',
      help: 'Requests by operation id and status; 499: the client left before its answer',
      labelNames: ['operation', 'method', 'status'],
      registers: [registry],
    }),
  );
  const duration = childrenOf(
    new Histogram({
      name: 'kanal_http_request_duration_seconds',
      help: 'Requests from the first byte read to the last one written, but for those that asked to wait (Prefer: wait)',
      labelNames: ['operation', 'method', 'status_class'],
      buckets,
      registers: [registry],
    }),
  );
  const wait = childrenOf(
    new Histogram({
      name: 'kanal_http_wait_duration_seconds',
      help: 'Requests that waited for the outcome of their operation because the client asked to (Prefer: wait)',
      labelNames: ['operation'],
      buckets,
      registers: [registry],
    }),
  );
  let inFlight = 0;
  new Gauge({
    name: 'kanal_http_requests_in_flight',
    help: 'Requests not answered yet',
    registers: [registry],
    collect() {
      this.set(inFlight);
    },
  });
  return {
    began() {
      inFlight += 1;
    },
    ended({ operationId = 'none', method, status, seconds, hasWaited }) {
      inFlight -= 1;
      const verb = methods.has(method) ? method : 'other';
      requests(operationId, verb, String(status)).inc();
      if (hasWaited) wait(operationId).observe(seconds);
      else duration(operationId, verb, statusClass(status)).observe(seconds);
    },
  };
}
