import type { VNode } from 'preact';

type LineKind = 'added' | 'removed' | 'hunk' | 'file' | 'same';

/** A unified diff, coloured. Neighbouring lines of a kind share a node. */
export function Diff({ text, label }: { text: string; label: string }): VNode {
  return (
    <pre class="diff" tabIndex={0} aria-label={label}>
      {runsOf(text).map((run) => (
        <span class={run.kind}>{`${run.lines.join('\n')}\n`}</span>
      ))}
    </pre>
  );
}

/** Outside of a hunk `---` and `+++` name files; in one they are lines that begin with such marks, so the header's counts decide. */
function runsOf(text: string): { kind: LineKind; lines: string[] }[] {
  const runs: { kind: LineKind; lines: string[] }[] = [];
  let removed = 0;
  let added = 0;
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const header = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    const kind = header ? 'hunk' : removed + added > 0 || line.startsWith('\\') ? kindOf(line) : 'file';
    if (header) [removed, added] = [Number(header[1] ?? 1), Number(header[2] ?? 1)];
    else if (kind === 'removed') removed--;
    else if (kind === 'added') added--;
    else if (kind === 'same' && !line.startsWith('\\')) [removed, added] = [removed - 1, added - 1];
    const last = runs.at(-1);
    if (last?.kind === kind) last.lines.push(line);
    else runs.push({ kind, lines: [line] });
  }
  return runs;
}

function kindOf(line: string): LineKind {
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'same';
}
