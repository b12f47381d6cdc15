import { WireError, type WorkerRequest } from '@penstock/protocol';

/** @throws WireError 400 when the slot field of the stated frontend mode is missing or holds no slot */
export function refuseUnusableFrontend(request: WorkerRequest): void {
  if (request.frontend_mode === 'wildcard' && !request.wildcard_domain)
    throw WireError.missingFrontendConfig('wildcard');
  if (request.frontend_mode !== 'port') return;
  if (request.port_range === null) throw WireError.missingFrontendConfig('port');
  const [first, last] = request.port_range;
  if (first > last) {
    const issue = {
      type: 'value_error',
      loc: ['port_range'],
      msg: 'the first port must not be above the last',
    };
    throw WireError.invalidApiParams([issue]);
  }
}
