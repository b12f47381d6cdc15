import type { EndpointEntry, StackReport } from './stack-report.js';

/** What `up` tells people: where things are and a line to try. */
export function humanSummary(report: StackReport, detached: boolean): string[] {
  const trial = trialLine(report);
  return [
    '',
    'Penstock is up.',
    `  Base URL      ${report.base_url}`,
    ...(report.api_key ? [`  API key       ${report.api_key}`, `  Model         ${report.model ?? ''}`] : []),
    ...report.endpoints.map(({ url }) => `  Endpoint      ${url}`),
    ...(report.endpoints.length > 0 ? [`  Their tokens  in ${report.credentials_file}`] : []),
    `  Manager       ${report.manager_url}/docs`,
    `  Admin token   ${report.admin_token}`,
    `  Coordinator   ${report.coordinator_url}`,
    ...report.routers.map(
      ({ admin_url, pid }) => `  Router admin  ${admin_url}/status (pid ${pid ?? 'unknown'})`,
    ),
    ...internalLines(report),
    `  Data          ${report.data_dir}`,
    ...(trial === null ? [] : ['', 'Try it:', `  ${trial}`]),
    '',
    detached ? 'Stop it with ./penstock down.' : 'Press Ctrl-C to stop it.',
  ];
}

function internalLines({ routers }: StackReport): string[] {
  const urls = new Set(routers.flatMap(({ internal_url }) => internal_url ?? []));
  return [...urls].map((url) => `  Internal      ${url} (deployments that are not public)`);
}

function trialLine({ base_url, api_key, model, endpoints: [endpoint] }: StackReport): string | null {
  if (api_key !== null) return curlLine(base_url, model ?? '', api_key);
  return endpoint ? curlLine(base_url, endpoint.model, endpoint.token, endpoint) : null;
}

/** A host name under a domain of the user's own may not resolve, so the line names it in a header. */
function curlLine(baseUrl: string, model: string, credential: string, endpoint?: EndpointEntry): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], stream: true });
  const host = endpoint ? `-H 'Host: ${endpoint.host}' ` : '';
  return (
    `curl -N ${baseUrl}/chat/completions ${host}-H 'Authorization: Bearer ${credential}' ` +
    `-H 'Content-Type: application/json' -d '${body}'`
  );
}
