/**
 * The names a path below `/v1/models/` may mean, best guess first. Clients differ in what they escape: a slash in a
 * name arrives raw or as `%2F`, and a percent sign in a name may arrive unescaped.
 */
export function readModelNames(path: string): readonly string[] {
  // Raw bytes above ASCII reach us as one character each.
  const text = Buffer.from(path, 'latin1').toString('utf8');
  const decoded = decode(text);
  return decoded === null || decoded === text ? [text] : [decoded, text];
}

function decode(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
