import type { BenchRequest } from '../scenario.ts';

/** A wrk script that rotates over prepared requests and prints one JSON line at the end. */
export function wrkScript(requests: readonly BenchRequest[]): string {
  const rows = requests.map(
    ({ authorization, body }) => `  { auth = ${lua(authorization)}, body = ${lua(body)} },`,
  );
  return `local rows = {
${rows.join('\n')}
}
local ready = {}
local at = 0
function init(args)
  for i, row in ipairs(rows) do
    ready[i] = wrk.format("POST", "/v1/chat/completions",
      { ["content-type"] = "application/json", ["authorization"] = row.auth }, row.body)
  end
end
function request()
  at = at % #ready + 1
  return ready[at]
end
function done(summary, latency, requests)
  local e = summary.errors
  print(string.format('{"requests":%d,"duration_us":%d,"p50_us":%.1f,"p99_us":%.1f,"errors":%d}',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    e.connect + e.read + e.write + e.status + e.timeout))
end
`;
}

/** A long bracket of Lua takes any text as it is. */
function lua(text: string): string {
  return `[==[${text}]==]`;
}
