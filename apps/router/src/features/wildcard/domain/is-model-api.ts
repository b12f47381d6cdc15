/** Whether a path belongs to the model API, whose clients read errors in its form. */
export function isModelApi(path: string): boolean {
  return path === '/v1' || path.startsWith('/v1/');
}
