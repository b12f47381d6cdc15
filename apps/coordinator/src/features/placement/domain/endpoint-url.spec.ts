import { describe, expect, it } from '@jest/globals';

import { endpointUrl, type AddressedCircuit } from './endpoint-url.js';

const worker = {
  hostname: 'router.example.com',
  tlsListen: false,
  tlsAdvertised: true,
  apiPort: 8080,
  trafficPort: 443,
  wildcardDomain: '.models.example.com',
  wildcardTrafficPort: 443,
  internalFrontend: { host: '10.0.0.5', port: 10440, domain: '.internal.example' },
};
const plain = { ...worker, tlsAdvertised: false };
const circuit: AddressedCircuit = {
  protocol: 'http',
  frontendMode: 'router',
  visibility: 'public',
  port: null,
  subdomain: null,
};
const labelled: AddressedCircuit = { ...circuit, frontendMode: 'wildcard', subdomain: 'llama-a' };
const numbered: AddressedCircuit = { ...circuit, frontendMode: 'port', port: 10205 };

describe('the address of a router circuit', () => {
  it.each([
    ['leaves out the default port', worker, 'https://router.example.com/'],
    ['keeps another port', { ...worker, trafficPort: 8443 }, 'https://router.example.com:8443/'],
    ['falls back to the API port', { ...worker, trafficPort: null }, 'https://router.example.com:8080/'],
    [
      'ignores that the listener has TLS',
      { ...plain, tlsListen: true, trafficPort: 80 },
      'http://router.example.com/',
    ],
    ['puts IPv6 into brackets', { ...worker, hostname: '::1', trafficPort: 10400 }, 'https://[::1]:10400/'],
  ])('%s', (_what, address, url) => {
    expect(endpointUrl(address, circuit)).toBe(url);
  });
});

describe('the address of a stock circuit', () => {
  it.each([
    ['has the label before the domain', worker, labelled, 'https://llama-a.models.example.com/'],
    [
      'keeps another port',
      { ...plain, wildcardTrafficPort: 10600 },
      labelled,
      'http://llama-a.models.example.com:10600/',
    ],
    [
      'takes TLS of the listener too',
      { ...plain, tlsListen: true },
      labelled,
      'https://llama-a.models.example.com/',
    ],
    [
      'allows labels no URL parser takes',
      plain,
      { ...labelled, subdomain: 'xn--a-' },
      'http://xn--a-.models.example.com:443/',
    ],
    ['is host and port on a port worker', plain, numbered, 'http://router.example.com:10205/'],
    [
      'has no slash for TCP',
      plain,
      { ...numbered, protocol: 'tcp' as const },
      'tcp://router.example.com:10205',
    ],
    [
      'says tls for TCP behind TLS',
      worker,
      { ...numbered, protocol: 'tcp' as const },
      'tls://router.example.com:10205',
    ],
    ['says grpc', worker, { ...numbered, protocol: 'grpc' as const }, 'grpc://router.example.com:10205'],
  ])('%s', (_what, address, of, url) => {
    expect(endpointUrl(address, of)).toBe(url);
  });
});

describe('the address of an internal circuit', () => {
  it.each(['router', 'wildcard', 'port'] as const)(
    'is on the internal frontend of a %s worker',
    (frontendMode) => {
      const internal: AddressedCircuit = { ...labelled, frontendMode, visibility: 'internal' };
      expect(endpointUrl(worker, internal)).toBe('http://llama-a.internal.example:10440/');
      const onDefaultPort = {
        ...worker,
        internalFrontend: { host: '::', port: 80, domain: 'internal.example' },
      };
      expect(endpointUrl(onDefaultPort, internal)).toBe('http://llama-a.internal.example/');
    },
  );
});
