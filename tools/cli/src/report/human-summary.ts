import type { StackReport } from './stack-report.js';

/** What `up` tells people: where things are and a line to try. */
export function humanSummary(report: StackReport, detached: boolean): string[] {
  return [
    '',
    'Penstock is up.',
    `  Base URL      ${report.base_url}`,
    ...(report.api_key ? [`  API key       ${report.api_key}`, `  Model         ${report.model ?? ''}`] : []),
    `  Manager       ${report.manager_url}/docs`,
    `  Admin token   ${report.admin_token}`,
    `  Coordinator   ${report.coordinator_url}`,
    ...report.routers.map(
      ({ admin_url, pid }) => `  Router admin  ${admin_url}/status (pid ${pid ?? 'unknown'})`,
    ),
    `  Data          ${report.data_dir}`,
    ...(report.api_key ? ['', 'Try it:', `  ${curlLine(report)}`] : []),
    '',
    detached ? 'Stop it with ./penstock down.' : 'Press Ctrl-C to stop it.',
  ];
}

function curlLine({ base_url, api_key, model }: StackReport): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], stream: true });
  return (
    `curl -N ${base_url}/chat/completions -H 'Authorization: Bearer ${api_key ?? ''}' ` +
    `-H 'Content-Type: application/json' -d '${body}'`
  );
}
