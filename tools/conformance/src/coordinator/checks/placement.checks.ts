import { expectAnswer, expectMatch, insist, matching } from '../../checking/expect.js';
import { put, textAt } from '../../checking/json.js';
import { answers, type Exchange } from '../../mutation/mutation.js';
import type { CoordinatorCheck } from '../coordinator-check.js';
import { CREATE } from '../endpoint-item.js';
import { errorVector } from '../error-vectors.js';

/** True for creations whose existing URL contains the text. */
function wants(text: string): (exchange: Exchange) => boolean {
  return ({ sent }) => textAt(sent, 'endpoints.0.tags.endpoint.existing_url').includes(text);
}

/** Endpoints that `existing_url` ties to a worker of the check's own. */
export const PLACEMENT_CHECKS: readonly CoordinatorCheck[] = [
  {
    id: 'placement.existing-url-wildcard',
    section: '2.3',
    title: 'places by the domain of existing_url, under its first label',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard', { tls_advertised: false, wildcard_traffic_port: 8_443 });
      const { url } = await bench.endpoint(worker, { existingUrl: `http://kept${worker.domain}:8443` });
      insist(url === `http://kept${worker.domain}:8443/`, `it got ${url}`);
    },
    mutation: answers('takes the service name', CREATE, (exchange) => {
      if (wants('//kept.')(exchange)) put(exchange.body, 'endpoints.0.url', 'http://llama-a.test/');
    }),
  },
  {
    id: 'placement.existing-url-port',
    section: '2.3',
    title: 'places by host name and port of existing_url',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('port', { port_range: [21_011, 21_013] });
      const wanted = `http://${textAt(worker.body, 'hostname')}:21012`;
      const { url } = await bench.endpoint(worker, { existingUrl: wanted });
      insist(url === `${wanted}/`, `${wanted} was wanted, it got ${url}`);
    },
    mutation: answers('takes any port', CREATE, (exchange) => {
      if (wants(':21012')(exchange)) put(exchange.body, 'endpoints.0.url', 'http://other.test:1/');
    }),
  },
  {
    id: 'placement.port-taken',
    section: '2.3',
    title: 'answers 409 for a port that is taken',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('port');
      const existingUrl = worker.urlFor(1);
      await bench.endpoint(worker, { existingUrl });
      const item = bench.item({ existingUrl });
      expectAnswer(
        await bench.call('POST', '/v2/endpoints/bulk', { endpoints: [item] }),
        409,
        errorVector('port-taken'),
      );
    },
    mutation: answers('answers 503', CREATE, (exchange) => {
      if (exchange.status === 409) exchange.status = 503;
    }),
  },
  {
    id: 'placement.label-taken',
    section: '2.3',
    title: 'adds eight hex digits to a label that is taken',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard', { wildcard_traffic_port: 443 });
      const existingUrl = `https://twice${worker.domain}`;
      await bench.endpoint(worker, { existingUrl });
      const { url } = await bench.endpoint(worker, { existingUrl });
      expectMatch(url, matching(/^https:\/\/twice-[0-9a-f]{8}\./), 'the second URL');
    },
    mutation: answers('counts instead', CREATE, ({ body }) => {
      const url = textAt(body, 'endpoints.0.url');
      if (url.includes('//twice-')) put(body, 'endpoints.0.url', url.replace(/twice-\w+/, 'twice-2'));
    }),
  },
  {
    id: 'urls.default-port',
    section: '2.3',
    title: 'leaves the default port out of a URL, with the scheme of the worker',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('wildcard', { tls_advertised: true, wildcard_traffic_port: 443 });
      const { url } = await bench.endpoint(worker, { existingUrl: `https://plain${worker.domain}` });
      insist(url === `https://plain${worker.domain}/`, `the URL is ${url}`);
    },
    mutation: answers('always writes the port', CREATE, ({ body }) => {
      const url = textAt(body, 'endpoints.0.url');
      if (url.includes('//plain.')) put(body, 'endpoints.0.url', url.replace(/\/$/, ':443/'));
    }),
  },
  {
    id: 'urls.tls',
    section: '2.3',
    title: 'takes tls_listen for TLS as well',
    needs: ['bus'],
    run: async (bench) => {
      const worker = await bench.worker('port', { tls_listen: true, tls_advertised: false });
      const { url } = await bench.endpoint(worker, { existingUrl: worker.urlFor(2) });
      insist(url.startsWith('https://'), `the URL is ${url}`);
    },
    mutation: answers('looks at one of the two', CREATE, ({ body }) => {
      const url = textAt(body, 'endpoints.0.url');
      if (url.startsWith('https:') && url.endsWith(':10206/'))
        put(body, 'endpoints.0.url', url.replace('https', 'http'));
    }),
  },
];
