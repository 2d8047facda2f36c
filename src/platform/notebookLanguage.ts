/** The kernels' names of C++ that the extension takes as one. */
const cppNames = new Set(['c++11', 'c++12', 'c++14']);

/**
 * The language of a Jupyter notebook's code cells by its metadata, as an id in the form in which VS Code's own extension for notebooks gives it to
 * them: a cell under another id would count as changed there.
 */
export function notebookLanguage(metadata: unknown): string {
  const { language_info: info, kernelspec } = recordOf(metadata);
  const named = [recordOf(info)['name'], recordOf(kernelspec)['language']].find(
    (name) => typeof name === 'string' && name !== '',
  );
  const name = typeof named === 'string' ? named.toLowerCase() : 'python';
  if (/^.#$/s.test(name)) return `${name.slice(0, 1)}sharp`;
  return cppNames.has(name) ? 'c++' : name;
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
