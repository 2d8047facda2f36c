interface NotebookCell {
  cell_type?: unknown;
  source?: unknown;
  outputs?: unknown;
}

interface NotebookOutput {
  output_type?: unknown;
  text?: unknown;
  data?: Record<string, unknown>;
  ename?: unknown;
  evalue?: unknown;
}

const longestOutput = 2_000;

/**
 * A Jupyter notebook as a text of its cells, numbered from 0, with the text of their outputs; pictures are named only. Undefined for a text
 * that is no notebook.
 */
export function notebookText(json: string): string | undefined {
  const notebook = parse(json);
  if (!notebook) return undefined;
  const language = notebook.metadata?.kernelspec?.language ?? notebook.metadata?.language_info?.name ?? 'python';
  return notebook.cells
    .map((cell, index) => cellText(cell, index, typeof language === 'string' ? language : 'python'))
    .join('\n\n');
}

function parse(
  json: string,
): { cells: NotebookCell[]; metadata?: Record<string, Record<string, unknown> | undefined> } | undefined {
  try {
    const value: unknown = JSON.parse(json);
    const cells = typeof value === 'object' && value !== null && 'cells' in value ? value.cells : undefined;
    return Array.isArray(cells) ? (value as { cells: NotebookCell[] }) : undefined;
  } catch {
    // Not JSON: the caller shows it as the text it is.
    return undefined;
  }
}

function cellText(cell: NotebookCell, index: number, language: string): string {
  const kind =
    cell.cell_type === 'code' ? `code, ${language}` : typeof cell.cell_type === 'string' ? cell.cell_type : 'unknown';
  const outputs = Array.isArray(cell.outputs) ? (cell.outputs as NotebookOutput[]).map(outputText).filter(Boolean) : [];
  const shown = outputs.length > 0 ? `\n--- output\n${outputs.join('\n')}` : '';
  return `=== cell ${index} (${kind})\n${joined(cell.source)}${shown}`;
}

function outputText(output: NotebookOutput): string {
  if (output.output_type === 'error') return `${String(output.ename)}: ${String(output.evalue)}`;
  const data = output.data ?? {};
  const text = joined(output.text ?? data['text/plain']);
  const picture = Object.keys(data).find((type) => type.startsWith('image/'));
  const whole = [text, picture === undefined ? '' : `(${picture})`].filter((part) => part !== '').join('\n');
  return whole.length > longestOutput ? `${whole.slice(0, longestOutput)}\n… (output cut)` : whole;
}

/** Notebooks keep texts as one string or as a list of lines. */
function joined(source: unknown): string {
  return (Array.isArray(source) ? source.join('') : typeof source === 'string' ? source : '').replace(/\n$/, '');
}
