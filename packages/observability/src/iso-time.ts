let lastMs = -1;
let lastText = '';

/** The time member of a log line. The text of a millisecond is made once: busy processes write many lines in one. */
export function isoTime(): string {
  const nowMs = Date.now();
  if (nowMs !== lastMs) {
    lastMs = nowMs;
    lastText = `,"time":"${new Date(nowMs).toISOString()}"`;
  }
  return lastText;
}
